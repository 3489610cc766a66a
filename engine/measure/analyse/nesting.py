"""Which of a thread's operators or ranges lie around an instant, and how long each ran itself.

Made for hundreds of thousands of events: what is needed per event are a few numbers in arrays. Events of the
same name within the same names share a *path*, and sums are kept by path: a trace has some hundred of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from engine.measure.analyse.chrome_trace import CpuEvent

NONE = -1
"""In place of an event's or a path's number: there is none."""
DEEPEST = 200
"""Events around one that are looked at: real ones lie some tens deep, and a hostile file's without end."""
_Thread = tuple[str, str]
_Open = tuple[int, int, int, int]
"""An event that runs: its end, its number, its path, and the outermost event around it."""


class Nesting:
    """Events of CPU threads, by their number in `events` (in order of start, an outer one before the inner
    ones that begin with it). An event lies within another if it begins while that runs on its thread."""

    def __init__(self, events: Sequence[CpuEvent]) -> None:
        self.events = events
        self.parents = array("q")
        """The event that each lies directly in; `NONE` where it is outermost."""
        self.roots_of = array("q")
        """The outermost event around each; itself where it is outermost."""
        self.path_of = array("q")
        """The number of each event's path."""
        self.names: list[str] = []
        """Of each path: the name of its events."""
        self.above: list[int] = []
        """Of each path: the path around it, or `NONE`."""
        self.counts: list[int] = []
        """Of each path: how many events it has."""
        self.own_ns: list[int] = []
        """Of each path: its events' time without that of the events directly in them."""
        self._threads: dict[_Thread, tuple[list[int], array[int]]] = {}
        self._nest()

    def _nest(self) -> None:
        # this loop is gone through by the million: its lists become arrays behind it
        parents: list[int] = []
        roots: list[int] = []
        path_of: list[int] = []
        own = self.own_ns
        inside: list[dict[str, int]] = []  # of each path: the paths directly in it, by name
        outermost: dict[str, int] = {}
        stacks: dict[_Thread, tuple[list[_Open], list[int], list[int]]] = {}
        current: _Thread | None = None
        stack: list[_Open] = []
        starts: list[int] = []
        order: list[int] = []
        for number, event in enumerate(self.events):
            if event.thread is not current:
                current = event.thread
                stack, starts, order = stacks.setdefault(current, ([], [], []))
            start, end, name = event.start, event.end, event.name
            while stack:
                until, parent, around, root = stack[-1]
                if until > start:
                    # clocks are rounded: an inner event may end a little later than the outer one
                    own[around] -= (end if end < until else until) - start
                    known = inside[around]
                    break
                stack.pop()
            else:
                parent, around, root = NONE, NONE, number
                known = outermost
            path = known.get(name)
            if path is None:
                path = known[name] = len(own)
                inside.append({})
                self.names.append(name)
                self.above.append(around)
                own.append(0)
            own[path] += end - start
            parents.append(parent)
            roots.append(root)
            path_of.append(path)
            starts.append(start)
            order.append(number)
            stack.append((end, number, path, root))
        self.parents, self.roots_of, self.path_of = (array("q", each) for each in (parents, roots, path_of))
        self._threads = {thread: (starts, array("q", order)) for thread, (_, starts, order) in stacks.items()}
        number_of = Counter(path_of)
        self.counts = [number_of[path] for path in range(len(own))]

    def innermost(self, calls: Mapping[int, CpuEvent]) -> dict[int, int]:
        """The number of the innermost event around the begin of each call on its thread, by the call's key;
        `NONE` where there is none."""
        events, parents, threads = self.events, self.parents, self._threads
        nothing: tuple[list[int], array[int]] = ([], array("q"))
        starts, order = nothing
        found = {}
        current: _Thread | None = None
        for key, call in calls.items():
            instant = call.start
            if call.thread is not current:
                current = call.thread
                starts, order = threads.get(current, nothing)
            place = bisect_right(starts, instant)
            number = order[place - 1] if place else NONE
            left = DEEPEST
            while number != NONE and events[number].end <= instant:
                left -= 1
                number = parents[number] if left else NONE
            found[key] = number
        return found

    def outermost(self, number: int, instant: int) -> int:
        """The outermost event around `number` that still runs at the instant."""
        events, parents = self.events, self.parents
        found = self.roots_of[number]
        if events[found].end > instant:
            return found
        # the clocks of outer and inner don't fit together
        found = number
        for _ in range(DEEPEST):
            number = parents[number]
            if number == NONE:
                break
            if events[number].end > instant:
                found = number
        return found

    def names_on(self, path: int) -> tuple[str, ...]:
        """The names on a path, each once, inner ones first."""
        found: dict[str, None] = {}
        for _ in range(DEEPEST):
            if path == NONE:
                break
            found[self.names[path]] = None
            path = self.above[path]
        return tuple(found)

    def roots(self) -> Iterator[CpuEvent]:
        """The outermost events, in order of start."""
        return (event for event, parent in zip(self.events, self.parents, strict=True) if parent == NONE)
