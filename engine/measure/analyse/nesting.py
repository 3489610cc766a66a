"""Which of a thread's operators or ranges lie around an instant, and how long each ran itself."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from engine.measure.analyse.chrome_trace import CpuEvent

NONE = -1
"""In place of an event's number: there is none."""
DEEPEST = 200
"""Events around one that are looked at: real ones lie some tens deep, and a hostile file's without end."""
_Thread = tuple[str, str]


class Nesting:
    """Events of CPU threads, by their number in `events` (in order of start, an outer one before the inner
    ones that begin with it). An event lies within another if it begins while that runs on its thread."""

    def __init__(self, events: Sequence[CpuEvent]) -> None:
        self.events = events
        # arrays of numbers rather than lists: there are millions of operators in a large trace
        self.parents = array("q")
        """The event that each lies directly in; `NONE` where it is outermost."""
        self.own_ns = array("q")
        """The time of each without that of the events directly in it."""
        self._threads: dict[_Thread, tuple[list[int], array[int]]] = {}
        self._nest()

    def _nest(self) -> None:
        stacks: dict[_Thread, list[tuple[int, int]]] = {}
        parents, own = self.parents, self.own_ns
        current: _Thread | None = None
        stack: list[tuple[int, int]] = []
        starts: list[int] = []
        numbers: array[int] = array("q")
        for number, event in enumerate(self.events):
            if event.thread is not current:
                current = event.thread
                stack = stacks.setdefault(current, [])
                starts, numbers = self._threads.setdefault(current, ([], array("q")))
            start, end = event.start, event.end
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack:
                reached, parent = stack[-1]
                # clocks are rounded: an inner event may end a little later than the outer one
                own[parent] -= (end if end < reached else reached) - start
            else:
                parent = NONE
            parents.append(parent)
            own.append(end - start)
            starts.append(start)
            numbers.append(number)
            stack.append((end, number))

    def around(self, number: int) -> Iterator[int]:
        """An event and those around it, inner ones first; at most `DEEPEST`."""
        parents = self.parents
        for _ in range(DEEPEST):
            if number == NONE:
                return
            yield number
            number = parents[number]

    def innermost(self, thread: _Thread, instant: int) -> int:
        """The number of the innermost event around the instant, or `NONE`."""
        known = self._threads.get(thread)
        if known is None:
            return NONE
        place = bisect_right(known[0], instant) - 1
        if place < 0:
            return NONE
        return next((n for n in self.around(known[1][place]) if self.events[n].end > instant), NONE)

    def outermost(self, number: int, instant: int) -> int:
        """The outermost event around `number` that still runs at the instant."""
        found = number
        for one in self.around(number):
            if self.events[one].end > instant:
                found = one
        return found

    def names_around(self, number: int) -> tuple[str, ...]:
        """The names of an event and of those around it, each once, inner ones first."""
        return tuple(dict.fromkeys(self.events[one].name for one in self.around(number)))

    def roots(self) -> Iterator[CpuEvent]:
        """The outermost events, in order of start."""
        return (event for event, parent in zip(self.events, self.parents, strict=True) if parent == NONE)
