"""Which of a thread's operators or ranges lie around a call, and how long each ran itself.

Made for hundreds of thousands of events: one sweep by time over events and calls together. Events of the same
name within the same names share a *path*, and sums are kept by path: a trace has some hundred of them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

from engine.measure.analyse.chrome_trace import CpuEvent

NONE = -1
"""In place of an event's or a path's number: there is none."""
DEEPEST = 200
"""Events around one that are looked at: real ones lie some tens deep, and a hostile file's without end."""
_NEVER = 1 << 64
"""No instant of a trace is later."""
_Thread = tuple[str, str]
_LAST = CpuEvent("", ("", ""), _NEVER, _NEVER)
_Open = tuple[int, int, int, int]
"""An event that runs: its end, its number, its path, and the outermost event around it."""


class Nesting:
    """Events of CPU threads, by their number in `events` (in order of start, an outer one before the inner
    ones that begin with it). An event lies within another if it begins while that runs on its thread.

    `calls`, in order of start too, are looked up by their correlations, of which each has one; of two calls
    with the same the later one counts.
    """

    def __init__(self, events: Sequence[CpuEvent], calls: Sequence[CpuEvent] = ()) -> None:
        self.events = events
        self.parents: list[int] = []
        """The event that each lies directly in; `NONE` where it is outermost."""
        self.roots: list[int] = []
        """The outermost events, in order of start."""
        self.path_of: list[int] = []
        """The number of each event's path."""
        self.names: list[str] = []
        """Of each path: the name of its events."""
        self.above: list[int] = []
        """Of each path: the path around it, or `NONE`."""
        self.counts: list[int] = []
        """Of each path: how many events it has."""
        self.own_ns: list[int] = []
        """Of each path: its events' time without that of the events directly in them."""
        self._around: dict[int | None, _Open | None] = {}
        self._running: dict[int | None, str] = {}
        """By the call: the name of the outermost event that runs on, where a shorter one is around it."""
        self._sweep(calls)

    def _sweep(self, calls: Sequence[CpuEvent]) -> None:
        # this loop is gone through by the million
        parents, path_of, own = self.parents, self.path_of, self.own_ns
        found, running = self._around, self._running
        inside: list[dict[str, int]] = []  # of each path: the paths directly in it, by name
        outermost: dict[str, int] = {}
        stacks: dict[_Thread, list[_Open]] = {}
        current: _Thread | None = None
        stack: list[_Open] = []
        following = iter(calls)
        call = next(following, _LAST)
        instant = call.start
        for number, event in enumerate(itertools.chain(self.events, (_LAST,))):
            start, thread = event.start, event.thread
            while instant < start:
                # of its thread's events, those that have begun by now and run on
                begun = stack if call.thread is current else stacks.get(call.thread)
                while begun and begun[-1][0] <= instant:
                    begun.pop()
                found[call.correlation] = begun[-1] if begun else None
                if begun and begun[0][0] <= instant:
                    # the clocks of outer and inner don't fit together
                    path = next(path for end, _, path, _ in begun[-DEEPEST:] if end > instant)
                    running[call.correlation] = self.names[path]
                elif running:
                    running.pop(call.correlation, None)
                call = next(following, _LAST)
                instant = call.start
            if event is _LAST:
                break
            end, name = event.end, event.name
            if thread is not current:
                current = thread
                stack = stacks.setdefault(current, [])
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
                self.roots.append(number)
            path = known.get(name)
            if path is None:
                path = known[name] = len(own)
                inside.append({})
                self.names.append(name)
                self.above.append(around)
                own.append(0)
            own[path] += end - start
            parents.append(parent)
            path_of.append(path)
            stack.append((end, number, path, root))
        number_of = Counter(path_of)
        self.counts = [number_of[path] for path in range(len(own))]

    def innermost(self, calls: Iterable[int | None]) -> list[int]:
        """The number of the innermost event around each call's begin; `NONE` where there is none."""
        return [around[1] if around else NONE for around in map(self._around.get, calls)]

    def paths(self, calls: Iterable[int | None]) -> list[int]:
        """The paths of these."""
        return [around[2] if around else NONE for around in map(self._around.get, calls)]

    def outermost(self, calls: Sequence[int | None]) -> list[str | None]:
        """The name of the outermost event around each call's begin; None where there is none."""
        names, path_of, running = self.names, self.path_of, self._running
        found = [names[path_of[around[3]]] if around else None for around in map(self._around.get, calls)]
        return [running.get(call, name) for call, name in zip(calls, found, strict=True)] if running else found

    def around_calls(self) -> set[int]:
        """The outermost events around calls."""
        return {around[3] for around in self._around.values() if around}

    def names_on(self, path: int) -> tuple[str, ...]:
        """The names on a path, each once, inner ones first."""
        found: dict[str, None] = {}
        for _ in range(DEEPEST):
            if path == NONE:
                break
            found[self.names[path]] = None
            path = self.above[path]
        return tuple(found)
