"""The CPU's rows, merged once for all devices: what it did at any instant, on whatever thread."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, outside, solid, union, without
from engine.measure.analyse.nesting import Nesting

BETWEEN_NS = 100_000
"""Between operators closer than this lies Python that prepares the next one (some 10 to 40 µs an operation,
by whether a profiler watches), not other work of the CPU. An operator longer than this that launches nothing
is work of the CPU's own."""
LOADING = "enumerate(DataLoader)"
"""The begin of the name under which PyTorch's DataLoader marks the wait for its next batch: an operator in
2021, a range since."""
_Thread = tuple[str, str]


class Outermost(msgspec.Struct, frozen=True):
    """Columns of the outermost operators, in order of start, and behind them of the loading of data. Times in
    nanoseconds; `launches`: whether GPU work was launched in it."""

    names: list[str]
    starts: Sequence[int]
    ends: Sequence[int]
    launches: Sequence[int]


class HostRows:
    """Disjoint intervals in order. Each row holds the ones before it, so that their differences are what the
    CPU did where several threads did different things."""

    def __init__(self, host: HostSide) -> None:
        waits = _waits(host)
        loading = [event for event in host.ranges if event.name.startswith(LOADING)]
        self.outermost = _outermost(host.operators, loading)
        running, own = _operators(host.operators, loading, waits)
        self.waits = union(span for spans in waits.values() for span in spans)
        self._doing = host.calls.doing
        self.at_work = _merged(running, list(outside(self.calls, running)))
        self.near = solid(self.at_work, BETWEEN_NS)
        self.near_or_own = union([*self.near, *own])
        self.any_of_them = union([*self.near_or_own, *self.waits])

    @property
    def calls(self) -> Iterator[Interval]:
        """The calls other than those that wait."""
        return zip(*self._doing, strict=True)


def _outermost(operators: Nesting, loading: Sequence[CpuEvent]) -> Outermost:
    return Outermost(
        names=[operators.names[path] for path in operators.outer_paths] + [event.name for event in loading],
        starts=operators.outer_starts + [event.start for event in loading],
        ends=operators.outer_ends + [event.end for event in loading],
        launches=operators.outer_calling + bytes(len(loading)),
    )


def _operators(
    operators: Nesting, loading: Sequence[CpuEvent], waits: dict[_Thread, list[Interval]]
) -> tuple[list[Interval], list[Interval]]:
    """Times in operators that launch or are short, and in work of the CPU's own; both without waits, and
    merged."""
    spans: dict[_Thread, list[Interval]] = defaultdict(list)
    others: dict[_Thread, list[Interval]] = defaultdict(list)
    loads: dict[_Thread, list[Interval]] = defaultdict(list)
    intervals = zip(operators.outer_starts, operators.outer_ends, strict=True)
    for thread, launches, interval in zip(
        operators.outer_threads, operators.outer_calling, intervals, strict=True
    ):
        (spans if launches else others)[thread].append(interval)
    for event in loading:
        loads[event.thread].append((event.start, event.end))
    running: list[list[Interval]] = []
    own: list[Interval] = []
    for thread in {**spans, **others, **loads}:
        waited = solid(waits.get(thread, []))
        loaded = union(without(union(loads[thread]), waited))
        own += loaded
        # one by one: two short operators side by side are no long one
        pieces = list(without(others[thread], waited))
        own += [piece for piece in pieces if piece[1] - piece[0] > BETWEEN_NS]
        short = [piece for piece in pieces if piece[1] - piece[0] <= BETWEEN_NS]
        running.append(list(without(_merged(list(without(solid(spans[thread]), waited)), short), loaded)))
    return _merged(*running), union(own)


def _merged(*lists: list[Interval]) -> list[Interval]:
    """The union of merged lists, and of one that isn't merged."""
    filled = [one for one in lists if one]
    return filled[0] if len(filled) == 1 else union(itertools.chain(*filled))


def _waits(host: HostSide) -> dict[_Thread, list[Interval]]:
    found: dict[_Thread, list[Interval]] = defaultdict(list)
    for call in host.calls.waits:
        found[call.thread].append((call.start, call.end))
    return found
