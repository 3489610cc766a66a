"""Which of a thread's operators or ranges lie around a call, and how long each ran itself.

Made for hundreds of thousands of events: one sweep by time over events and calls together. Events of the same
name within the same names share a *path*, and sums are kept by path: a trace has some hundred of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from engine.measure.analyse.chrome_trace import CpuEvent

NONE = -1
"""In place of an event's or a path's number: there is none."""
DEEPEST = 200
"""Events around one that are looked at: real ones lie some tens deep, and a hostile file's without end."""
_NEVER = 1 << 64
"""No instant of a trace is later."""
_LAST = CpuEvent("", ("", ""), _NEVER, _NEVER)
_Thread = tuple[str, str]
_Open = tuple[int, int, int, int]
"""An event that runs: its end, its number (where parents are wanted), its path, and the place of the
outermost event around it."""


class Nesting:
    """Events of CPU threads (in order of start, an outer one before the inner ones that begin with it). An
    event lies within another if it begins while that runs on its thread.

    What lies around `calls`, which are in order of start too, is found by their places; the last place stands
    for no call.
    """

    def __init__(
        self, events: Sequence[CpuEvent], calls: Sequence[CpuEvent] = (), *, parents: bool = False
    ) -> None:
        """`parents`: they are wanted."""
        self.events = events
        self.parents: list[int] | None = [] if parents else None
        """The number of the event that each lies directly in; `NONE` where it is outermost."""
        self.names: list[str] = []
        """Of each path: the name of its events."""
        self.above: list[int] = []
        """Of each path: the path around it, or `NONE`."""
        self.counts: list[int] = []
        """Of each path: how many events it has."""
        self.own_ns: list[int] = []
        """Of each path: its events' time without that of the events directly in them."""
        # of the outermost events, in order of start
        self.outer_starts: list[int] = []
        self.outer_ends: list[int] = []
        self.outer_paths: list[int] = []
        self.outer_threads: list[_Thread] = []
        self.outer_calling = bytearray()
        """Whether there are calls in each."""
        self._around: list[_Open | None] = []
        self._running: dict[int, str] = {}
        """By the call's place: the outermost event that runs on, where one around it has ended."""
        self._sweep(calls)

    def _sweep(self, calls: Sequence[CpuEvent]) -> None:
        # this loop is gone through by the million
        parents, own, counts, found = self.parents, self.own_ns, self.counts, self._around
        calling = self.outer_calling
        inside: list[dict[str, int]] = []  # of each path: the paths directly in it, by name
        outermost: dict[str, int] = {}
        stacks: dict[_Thread, list[_Open]] = {}
        current: _Thread | None = None
        stack: list[_Open] = []
        following = iter(calls)
        call = next(following, _LAST)
        instant = call.start
        number = NONE
        for event in itertools.chain(self.events, (_LAST,)):
            start, thread = event.start, event.thread
            while instant < start:
                # of its thread's events, those that have begun by now and run on
                begun = stack if call.thread is current else stacks.get(call.thread)
                while begun and begun[-1][0] <= instant:
                    begun.pop()
                if begun and begun[0][0] <= instant:
                    # the clocks of outer and inner don't fit together
                    path = next(path for end, _, path, _ in begun[-DEEPEST:] if end > instant)
                    self._running[len(found)] = self.names[path]
                if begun:
                    calling[begun[-1][3]] = True
                found.append(begun[-1] if begun else None)
                call = next(following, _LAST)
                instant = call.start
            if event is _LAST:
                break
            end, name = event.end, event.name
            if thread is not current:
                current = thread
                stack = stacks.setdefault(thread, [])
            while stack:
                until, parent, around, root = stack[-1]
                if until > start:
                    # clocks are rounded: an inner event may end a little later than the outer one
                    own[around] -= (end if end < until else until) - start
                    known = inside[around]
                    break
                stack.pop()
            else:
                parent, around, root = NONE, NONE, len(self.outer_threads)
                known = outermost
                self.outer_threads.append(thread)
                calling.append(False)
                self.outer_starts.append(start)
                self.outer_ends.append(end)
            path = known.get(name, NONE)
            if path == NONE:
                path = known[name] = len(own)
                inside.append({})
                self.names.append(name)
                self.above.append(around)
                own.append(0)
                counts.append(0)
            if around == NONE:
                self.outer_paths.append(path)
            own[path] += end - start
            counts[path] += 1
            if parents is not None:
                number = len(parents)
                parents.append(parent)
            stack.append((end, number, path, root))
        found.append(None)

    def innermost(self) -> list[int]:
        """By the call: the number of the innermost event around its begin, or `NONE`. For parents only."""
        return [around[1] if around else NONE for around in self._around]

    def paths(self) -> list[int]:
        """By the call: the path of that event, or `NONE`."""
        return [around[2] if around else NONE for around in self._around]

    def path_at(self, place: int) -> int:
        """The same for one call."""
        around = self._around[place]
        return around[2] if around else NONE

    def outermost(self) -> list[str | None]:
        """By the call: the name of the outermost event around its begin; None where there is none."""
        names = [self.names[path] for path in self.outer_paths]
        found = [names[around[3]] if around else None for around in self._around]
        for place, name in self._running.items():
            found[place] = name
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
