"""The CPU's rows, merged once for all devices: what it did at any instant, on whatever thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, outside, solid, union, without

BETWEEN_NS = 100_000
"""Between operators closer than this lies Python that prepares the next one (some 10 to 40 µs an operation,
by whether a profiler watches), not other work of the CPU. An operator longer than this that launches nothing
is work of the CPU's own."""
LOADING = "enumerate(DataLoader)"
"""The begin of the name under which PyTorch's DataLoader marks the wait for its next batch: an operator in
2021, a range since."""
_Thread = tuple[str, str]


class Outermost(msgspec.Struct, frozen=True, gc=False):
    """An outermost operator (or the loading of data), in nanoseconds; `launches`: it launched GPU work."""

    name: str
    start: int
    end: int
    launches: bool


class HostRows:
    """Disjoint intervals in order. Each row holds the ones before it, so that their differences are what the
    CPU did where several threads did different things."""

    def __init__(self, host: HostSide) -> None:
        waits = _waits(host)
        running, own = self._operators(host, waits)
        self.waits = union(span for spans in waits.values() for span in spans)
        self._doing = host.doing
        self.at_work = union([*running, *outside(self.calls, running)])
        self.near = solid(self.at_work, BETWEEN_NS)
        self.near_or_own = union([*self.near, *own])
        self.any_of_them = union([*self.near_or_own, *self.waits])

    @property
    def calls(self) -> Iterator[Interval]:
        """The calls other than those that wait."""
        return zip(*self._doing, strict=True)

    def _operators(
        self, host: HostSide, waits: dict[_Thread, list[Interval]]
    ) -> tuple[list[Interval], list[Interval]]:
        """Times in operators that launch or are short, and in work of the CPU's own; without waits."""
        nested = host.operators
        spans: dict[_Thread, list[Interval]] = defaultdict(list)
        others: dict[_Thread, list[Interval]] = defaultdict(list)
        loading: dict[_Thread, list[Interval]] = defaultdict(list)
        self.outermost: list[Outermost] = []
        outer = zip(
            nested.outer_paths,
            nested.outer_threads,
            nested.outer_starts,
            nested.outer_ends,
            nested.outer_calling,
            strict=True,
        )
        for path, thread, start, end, launches in outer:
            self.outermost.append(Outermost(nested.names[path], start, end, bool(launches)))
            (spans if launches else others)[thread].append((start, end))
        for event in host.ranges:
            if event.name.startswith(LOADING):
                self.outermost.append(Outermost(event.name, event.start, event.end, launches=False))
                loading[event.thread].append((event.start, event.end))
        running: list[Interval] = []
        own: list[Interval] = []
        for thread in {**spans, **others, **loading}:
            waited = solid(waits.get(thread, []))
            loaded = union(without(union(loading[thread]), waited))
            own += loaded
            # one by one: two short operators side by side are no long one
            pieces = list(without(others[thread], waited))
            own += [piece for piece in pieces if piece[1] - piece[0] > BETWEEN_NS]
            short = [piece for piece in pieces if piece[1] - piece[0] <= BETWEEN_NS]
            running += without(union([*without(solid(spans[thread]), waited), *short]), loaded)
        return running, own


def _waits(host: HostSide) -> dict[_Thread, list[Interval]]:
    found: dict[_Thread, list[Interval]] = defaultdict(list)
    for call in host.waits:
        found[call.thread].append((call.start, call.end))
    return found
