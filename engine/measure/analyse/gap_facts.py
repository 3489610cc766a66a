"""The gaps of a device: what ended them, what the CPU did in them, and the longest in detail."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.measure.analyse.device_time import DeviceTime, Gap, GapTime, Work
from engine.measure.analyse.host_rows import HostRows, Outermost
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import percentile
from engine.measure.analyse.nesting import NONE

LONGEST = 20
"""How many of the longest gaps are listed."""
PAIRS = 50
"""How many pairs of operator and runtime call are listed."""
NAME = 400
"""Characters of a name that are told: some kernels' names go on for thousands."""


class CpuInGaps(msgspec.Struct, frozen=True):
    """What the CPU did while the device had nothing to do, in nanoseconds; all parts make up the gap time.

    Of threads that do different things at a time the one counts that comes first here.
    """

    launching: int
    """In a call of the CUDA runtime or driver, other than one that waits."""
    operators: int
    """In an operator, outside of such a call; a short one, or one that launches something."""
    between: int
    """In a hole of at most `BETWEEN_NS` between the two."""
    computing: int
    """In work of its own: more than `BETWEEN_NS` of an operator that launched nothing, or loading data."""
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
            "computing_us": self.computing / 1e3,
            "waiting_us": self.waiting / 1e3,
            "elsewhere_us": self.elsewhere / 1e3,
        }


class WaitedFor(msgspec.Struct, frozen=True):
    """Gaps that were ended by the same call under the same operator; either is None where it isn't known."""

    cpu_op: str | None
    runtime_call: str | None
    count: int
    ns: int


class Under(msgspec.Struct, frozen=True):
    """Gap time in which the CPU was in an outermost operator of that name; of several threads at a time each
    counts."""

    name: str
    ns: int
    launches: bool
    """Whether it launched work of a GPU."""


class LongGap(msgspec.Struct, frozen=True):
    """One of the longest gaps: the innermost operator around the launch that ended it, the outermost one that
    the CPU was in for most of the gap, and the work before and after."""

    gap: Gap
    inner_op: str | None
    during: str | None
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
    under: tuple[Under, ...]
    cpu: CpuInGaps | None

    @property
    def own_work(self) -> str | None:
        """The operator without launches that most of the gap time lies under."""
        return next((row.name for row in self.under if not row.launches), None)

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
                    "cpu_during": one.during,
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
            "under": [
                {
                    "name": row.name[:NAME],
                    "total_us": row.ns / 1e3,
                    "share": round(row.ns / self.total, 6) if self.total else 0.0,
                    "launches": row.launches,
                }
                for row in self.under[:PAIRS]
            ],
            "cpu": self.cpu and self.cpu.to_json(),
        }


def gap_facts(
    device: DeviceTime, work: Work, host: HostSide, rows: HostRows | None, time: GapTime
) -> GapFacts:
    """The facts about a device's gaps; `rows` is None where the file holds no CPU events."""
    lengths = sorted([gap.duration_ns for gap in device.gaps])
    at_least = lengths[-LONGEST:][0] if lengths else 0
    return GapFacts(
        count=len(lengths),
        total=device.gap_ns,
        p50=percentile(lengths, 0.5),
        p90=percentile(lengths, 0.9),
        drained=time.begun_in(rows.waits) if rows else 0,
        longest=_longest(device.gaps, at_least, work, host, rows.outermost if rows else None),
        waited_for=_waited_for(device.gaps),
        under=_under(time, rows.outermost) if rows else (),
        cpu=_cpu_in_gaps(device, time, rows) if rows else None,
    )


def _cpu_in_gaps(device: DeviceTime, time: GapTime, rows: HostRows) -> CpuInGaps:
    calls, at_work = time.shared_with(rows.calls), time.shared_with(rows.at_work)
    near, near_own = time.shared_with(rows.near), time.shared_with(rows.near_or_own)
    any_of_them = time.shared_with(rows.any_of_them)
    return CpuInGaps(
        launching=calls,
        operators=at_work - calls,
        between=near - at_work,
        computing=near_own - near,
        waiting=any_of_them - near_own,
        elsewhere=device.gap_ns - any_of_them,
    )


def _waited_for(gaps: Iterable[Gap]) -> tuple[WaitedFor, ...]:
    lengths: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
    for gap in gaps:
        lengths[gap.cpu_op, gap.runtime_call].append(gap.duration_ns)
    found = [WaitedFor(*pair, len(of_pair), sum(of_pair)) for pair, of_pair in lengths.items()]
    return tuple(sorted(found, key=lambda pair: -pair.ns))


def _under(gaps: GapTime, outermost: Outermost) -> tuple[Under, ...]:
    time: dict[tuple[str, int], int] = defaultdict(int)
    within = gaps.within(zip(outermost.starts, outermost.ends, strict=True))
    for name, launches, ns in zip(outermost.names, outermost.launches, within, strict=True):
        if ns:
            time[name, launches] += ns
    found = [Under(name, ns, bool(launches)) for (name, launches), ns in time.items()]
    return tuple(sorted(found, key=lambda row: -row.ns))


def _during(longest: Sequence[Gap], outermost: Outermost | None) -> dict[int, str]:
    """By the start of each gap: the name of what the CPU was in for most of it."""
    gaps = sorted(longest, key=lambda gap: gap.start_ns)
    starts, ends = [gap.start_ns for gap in gaps], [gap.start_ns + gap.duration_ns for gap in gaps]
    time: dict[int, dict[str, int]] = {start: defaultdict(int) for start in starts}
    spans = zip(outermost.names, outermost.starts, outermost.ends, strict=True) if outermost else ()
    for name, start, end in spans:
        for at in range(bisect_right(ends, start), bisect_left(starts, end)):
            time[starts[at]][name] += min(ends[at], end) - max(starts[at], start)
    most = {start: max(names.items(), key=lambda item: item[1]) for start, names in time.items() if names}
    return {gap.start_ns: most[gap.start_ns][0] for gap in gaps
            if gap.start_ns in most and 2 * most[gap.start_ns][1] > gap.duration_ns}  # fmt: skip


def _longest(
    gaps: Sequence[Gap], at_least: int, work: Work, host: HostSide, outermost: Outermost | None
) -> tuple[LongGap, ...]:
    """`at_least`: as long as the last of them is, in nanoseconds."""
    longest = sorted([gap for gap in gaps if gap.duration_ns > at_least], key=lambda gap: -gap.duration_ns)
    # of those that are as long as the last one there may be any number
    longest += itertools.islice((g for g in gaps if g.duration_ns == at_least), LONGEST - len(longest))
    during = _during(longest, outermost)
    names, events, ends = host.operators.names, work.events, work.ends
    found = []
    for gap in longest:
        behind = bisect_left(work.starts, gap.start_ns + gap.duration_ns)
        before = next(number for number in range(behind - 1, -1, -1) if ends[number] == gap.start_ns)
        path = host.operators.path_at(work.calls[behind])
        found.append(
            LongGap(
                gap,
                inner_op=None if path == NONE else names[path],
                during=during.get(gap.start_ns),
                before=events[before].name,
                after=events[behind].name,
            )
        )
    return tuple(found)
