"""One device's time: busy or in a gap, and the launch that ended each gap.

Busy is the union over all streams, wall is first start to last end, both in integer nanoseconds. All GPU
events count; beside them stands how many belong to launches that the file holds too (work launched before the
window has its kernels in the file and not its launch).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import add

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent, GpuEvent
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, length, overlap, union
from engine.measure.analyse.nesting import NONE

_FEW = 10
"""Spans so much fewer than gaps are looked up one by one rather than gone through beside them."""


# such a class is made in a tenth of a dataclass's time, which counts in a process of half a second
class Gap(msgspec.Struct, frozen=True, gc=False):
    """Time in which a device had nothing to do, and the launch that ended it.

    `cpu_op` is the outermost operator around that launch; None where the file doesn't hold it.
    """

    start_ns: int
    duration_ns: int
    cpu_op: str | None
    runtime_call: str | None


class Recorded(msgspec.Struct, frozen=True):
    """The GPU events whose launch call is in the file too."""

    events: int
    wall_ns: int
    busy_ns: int


class DeviceTime(msgspec.Struct, frozen=True):
    """One device's time in the trace. Gaps in order of start."""

    device: int
    kernels: int
    copies: int
    sets: int
    streams: int
    start_ns: int
    wall_ns: int
    busy_ns: int
    launch_recorded: Recorded | None
    gaps: tuple[Gap, ...]

    @property
    def busy_ratio(self) -> float:
        return self.busy_ns / self.wall_ns if self.wall_ns else 1.0

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.wall_ns

    @property
    def gap_ns(self) -> int:
        """All gaps together, in nanoseconds."""
        return self.wall_ns - self.busy_ns

    def gap_time_by_operator(self) -> list[tuple[str, int]]:
        """Gap time in nanoseconds by the operator whose launch the GPU waited for, largest first."""
        total: Counter[str] = Counter()
        for gap in self.gaps:
            total[gap.cpu_op or "?"] += gap.duration_ns
        return total.most_common()


class Work(msgspec.Struct, frozen=True):
    """The GPU events of one device in order of start, with what they have to do with the CPU.

    `calls`: the recorded calls that launched them, by correlation; `inner`: the operator directly around each
    of these, by number; `lengths`: durations in nanoseconds by name, `kinds`: kernel, copy or set by name.
    """

    events: Sequence[GpuEvent]
    calls: dict[int, CpuEvent]
    inner: dict[int, int]
    lengths: dict[str, list[int]]
    kinds: dict[str, str]


def device_time(
    device: int, events: Sequence[GpuEvent], host: HostSide, *, calls_known: bool
) -> tuple[DeviceTime, Work]:
    """The device's time, and its work as the tables need it. `events` in order of start, at least one."""
    launches, operators, roots_of = host.launches, host.operators.events, host.operators.roots_of
    calls = {
        c: launches[c] for c in {event.correlation for event in events} if c is not None and c in launches
    }
    inner = host.operators.innermost(calls)
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    kinds = Counter([event.kind for event in events])
    gaps: list[Gap] = []
    begin = run = events[0].start
    reached = begin
    busy = 0
    for event in events:
        start, end = event.start, event.end
        if start > reached:
            busy += reached - run
            call = launches.get(event.correlation)  # type: ignore[arg-type]
            if call is None:
                gaps.append(Gap(reached, start - reached, None, None))
            else:
                number = inner[event.correlation]  # type: ignore[index]
                name = None
                if number != NONE:
                    root = operators[roots_of[number]]
                    if root.end <= call.start:
                        root = operators[host.operators.outermost(number, call.start)]
                    name = root.name
                gaps.append(Gap(reached, start - reached, name, call.name))
            run = start
        if end > reached:
            reached = end
        lengths[event.name].append(end - start)
    busy += reached - run
    time = DeviceTime(
        device=device,
        kernels=kinds["kernel"],
        copies=kinds["copy"],
        sets=kinds["set"],
        streams=len({event.stream for event in events}),
        start_ns=begin,
        wall_ns=reached - begin,
        busy_ns=busy,
        launch_recorded=_recorded(events, calls, reached - begin, busy) if calls_known else None,
        gaps=tuple(gaps),
    )
    return time, Work(events, calls, inner, lengths, {event.name: event.kind for event in events})


def _recorded(events: Sequence[GpuEvent], calls: dict[int, CpuEvent], wall: int, busy: int) -> Recorded:
    own = [event for event in events if event.correlation in calls]
    if len(own) == len(events):
        return Recorded(len(own), wall, busy)
    merged = union((event.start, event.end) for event in own)
    return Recorded(len(own), merged[-1][1] - merged[0][0] if merged else 0, length(merged))


class GapTime:
    """The gap time of any window, in nanoseconds."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self._gaps = gaps
        self._starts = [gap.start_ns for gap in gaps]
        self._before = [0, *accumulate(gap.duration_ns for gap in gaps)]

    def between(self, start: int, end: int) -> int:
        return self._until(end) - self._until(start)

    def begun_in(self, spans: Iterable[Interval]) -> int:
        """The whole time of the gaps that begin in one of these disjoint spans."""
        starts, before = self._starts, self._before
        return sum(
            before[bisect_left(starts, end)] - before[bisect_left(starts, start)] for start, end in spans
        )

    def shared_with(self, spans: Sequence[Interval]) -> int:
        """The gap time that lies in these disjoint spans, which are in order."""
        if len(spans) * _FEW < len(self._gaps):
            return sum(self.between(start, end) for start, end in spans)
        ends = map(add, self._starts, [gap.duration_ns for gap in self._gaps])
        return overlap(list(zip(self._starts, ends, strict=True)), spans)

    def within(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """The gap time in each of many windows that are mostly shorter than the time between two gaps."""
        starts, gaps, before = self._starts, self._gaps, self._before
        found = []
        for start, end in spans:
            place = bisect_right(starts, end)
            if not place:
                found.append(0)
                continue
            last = gaps[place - 1]
            if last.start_ns <= start:
                # no gap begins in it: what there is of the last one
                reached = last.start_ns + last.duration_ns
                found.append(min(end, reached) - start if reached > start else 0)
            else:
                until = before[place - 1] + min(end - last.start_ns, last.duration_ns)
                if place > 1 and starts[place - 2] <= start:
                    # one gap begins in it: what there is of the one before
                    reached = start - starts[place - 2]
                    length_before = gaps[place - 2].duration_ns
                    until -= before[place - 2] + (reached if reached < length_before else length_before)
                elif place > 1:
                    until -= self._until(start)
                found.append(until)
        return found

    def _until(self, instant: int) -> int:
        place = bisect_right(self._starts, instant)
        if not place:
            return 0
        last = self._gaps[place - 1]
        return self._before[place - 1] + min(instant - last.start_ns, last.duration_ns)
