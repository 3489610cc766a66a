"""The gaps of a device: what ended them, what the CPU did in them, and the longest in detail."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.measure.analyse.device_time import DeviceTime, Gap, Work
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, overlap, percentile, solid, union, without
from engine.measure.analyse.nesting import NONE

LONGEST = 20
"""How many of the longest gaps are listed."""
PAIRS = 50
"""How many pairs of operator and runtime call are listed."""
BETWEEN_NS = 100_000
"""Between operators closer than this lies Python that prepares the next one (some 10 to 40 µs an operation,
by whether a profiler watches), not other work of the CPU."""
NAME = 400
"""Characters of a name that are told: some kernels' names go on for thousands."""


class CpuInGaps(msgspec.Struct, frozen=True):
    """What the CPU did while the device had nothing to do, in nanoseconds; all parts make up the gap time.

    Of threads that do different things at a time the one counts that comes first here.
    """

    launching: int
    """In a call of the CUDA runtime or driver, other than one that waits."""
    operators: int
    """In an operator, outside of such a call."""
    between: int
    """In a hole of at most `BETWEEN_NS` between the two."""
    waiting: int
    """In a call that waits for the GPU."""
    elsewhere: int
    """In none of these."""

    def to_json(self) -> dict[str, float]:
        """Times in microseconds."""
        return {
            "launching_us": self.launching / 1e3,
            "operators_us": self.operators / 1e3,
            "between_us": self.between / 1e3,
            "waiting_us": self.waiting / 1e3,
            "elsewhere_us": self.elsewhere / 1e3,
        }


class WaitedFor(msgspec.Struct, frozen=True):
    """Gaps that were ended by the same call under the same operator; either is None where it isn't known."""

    cpu_op: str | None
    runtime_call: str | None
    count: int
    ns: int


class LongGap(msgspec.Struct, frozen=True):
    """One of the longest gaps: the innermost operator around the launch that ended it, and the work before
    and after."""

    gap: Gap
    inner_op: str | None
    before: str
    after: str


class GapFacts(msgspec.Struct, frozen=True):
    """What is to be said of a device's gaps. Times in nanoseconds; `cpu` is None without CPU events."""

    count: int
    total: int
    p50: int
    p90: int
    drained: int
    """Gaps that began while the CPU waited for the GPU."""
    longest: tuple[LongGap, ...]
    waited_for: tuple[WaitedFor, ...]
    cpu: CpuInGaps | None

    def to_json(self, start_ns: int) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; starts count from `start_ns`."""
        return {
            "count": self.count,
            "total_us": self.total / 1e3,
            "p50_us": self.p50 / 1e3,
            "p90_us": self.p90 / 1e3,
            "drained_us": self.drained / 1e3,
            "longest": [
                {
                    "start_us": (one.gap.start_ns - start_ns) / 1e3,
                    "duration_us": one.gap.duration_ns / 1e3,
                    "cpu_op": one.gap.cpu_op,
                    "inner_op": one.inner_op,
                    "runtime_call": one.gap.runtime_call,
                    "kernel_before": one.before[:NAME],
                    "kernel_after": one.after[:NAME],
                }
                for one in self.longest
            ],
            "waited_for": [
                {
                    "cpu_op": pair.cpu_op,
                    "runtime_call": pair.runtime_call,
                    "count": pair.count,
                    "total_us": pair.ns / 1e3,
                    "share": round(pair.ns / self.total, 6) if self.total else 0.0,
                }
                for pair in self.waited_for[:PAIRS]
            ],
            "cpu": self.cpu and self.cpu.to_json(),
        }


class HostRows:
    """The CPU's rows, merged once for all devices."""

    def __init__(self, host: HostSide) -> None:
        waiting = host.names.waiting
        waits: dict[tuple[str, str], list[Interval]] = defaultdict(list)
        roots: dict[tuple[str, str], list[Interval]] = defaultdict(list)
        for call in host.calls:
            if call.name in waiting:
                waits[call.thread].append((call.start, call.end))
        for operator in host.operators.roots():
            roots[operator.thread].append((operator.start, operator.end))
        running: list[Interval] = []
        for thread, spans in roots.items():
            running += without(solid(spans), solid(waits.get(thread, [])))
        self.waits = union(span for spans in waits.values() for span in spans)
        self.calls = solid([(call.start, call.end) for call in host.calls if call.name not in waiting])
        self.at_work = union([*self.calls, *running])
        self.near = solid(self.at_work, BETWEEN_NS)
        self.near_or_waiting = union([*self.near, *self.waits])


def gap_facts(device: DeviceTime, work: Work, host: HostSide, rows: HostRows | None) -> GapFacts:
    """The facts about a device's gaps; `rows` is None where the file holds no CPU events."""
    lengths = sorted(gap.duration_ns for gap in device.gaps)
    return GapFacts(
        count=len(lengths),
        total=device.gap_ns,
        p50=percentile(lengths, 0.5),
        p90=percentile(lengths, 0.9),
        drained=_drained(device.gaps, rows.waits) if rows else 0,
        longest=_longest(device.gaps, work, host),
        waited_for=_waited_for(device.gaps),
        cpu=_cpu_in_gaps(device, rows) if rows else None,
    )


def _cpu_in_gaps(device: DeviceTime, rows: HostRows) -> CpuInGaps:
    gaps = [(gap.start_ns, gap.start_ns + gap.duration_ns) for gap in device.gaps]
    calls, at_work = overlap(gaps, rows.calls), overlap(gaps, rows.at_work)
    near, any_of_them = overlap(gaps, rows.near), overlap(gaps, rows.near_or_waiting)
    return CpuInGaps(
        launching=calls,
        operators=at_work - calls,
        between=near - at_work,
        waiting=any_of_them - near,
        elsewhere=device.gap_ns - any_of_them,
    )


def _drained(gaps: Sequence[Gap], waits: Sequence[Interval]) -> int:
    starts = [start for start, _ in waits]
    total = 0
    for gap in gaps:
        place = bisect_right(starts, gap.start_ns) - 1
        if place >= 0 and gap.start_ns < waits[place][1]:
            total += gap.duration_ns
    return total


def _waited_for(gaps: Iterable[Gap]) -> tuple[WaitedFor, ...]:
    lengths: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
    for gap in gaps:
        lengths[gap.cpu_op, gap.runtime_call].append(gap.duration_ns)
    found = [WaitedFor(*pair, len(of_pair), sum(of_pair)) for pair, of_pair in lengths.items()]
    return tuple(sorted(found, key=lambda pair: -pair.ns))


def _longest(gaps: Sequence[Gap], work: Work, host: HostSide) -> tuple[LongGap, ...]:
    longest = heapq.nlargest(LONGEST, gaps, key=lambda gap: gap.duration_ns)
    starts = {gap.start_ns for gap in longest}
    ends = {gap.start_ns + gap.duration_ns for gap in longest}
    before = {event.end: event.name for event in work.events if event.end in starts}
    after = {event.start: event for event in reversed(work.events) if event.start in ends}
    found = []
    for gap in longest:
        next_one = after[gap.start_ns + gap.duration_ns]
        number = NONE if next_one.correlation is None else work.inner.get(next_one.correlation, NONE)
        inner = None if number == NONE else host.operators.events[number].name
        found.append(LongGap(gap, inner, before[gap.start_ns], next_one.name))
    return tuple(found)
