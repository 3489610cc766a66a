"""One device's time: busy or in a gap, and the launch that ended each gap.

Busy is the union over all streams, wall is first start to last end, both in integer nanoseconds. All GPU
events count; beside them stands how many belong to launches that the file holds too (work launched before the
window has its kernels in the file and not its launch).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from functools import cached_property
from itertools import accumulate, compress
from operator import sub

import msgspec

from engine.measure.analyse.chrome_trace import GpuEvent
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, length, overlap, union
from engine.measure.analyse.nesting import NONE

_FEW = 10
"""Spans so much fewer than gaps are looked up one by one rather than gone through beside them; so many gaps
in a window are gone through."""


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
    """The GPU events of one device in order of start, and columns of them.

    `starts`, `ends` and `lasting` (durations) in nanoseconds; `calls`: the place of the call that each came
    by among those that started work, `NONE` where it isn't known; `kernels`: whether it is one.
    """

    events: Sequence[GpuEvent]
    starts: list[int]
    ends: list[int]
    lasting: list[int]
    calls: list[int]
    kernels: list[bool]

    def launches(self, host: HostSide) -> list[int]:
        """The places of the calls that started kernels, each once, in order of start."""
        started, launching = host.started, host.names.launching
        return [place for place in sorted(set(self.calls) - {NONE}) if started[place].name in launching]


def device_time(
    device: int, events: Sequence[GpuEvent], host: HostSide, *, calls_known: bool
) -> tuple[DeviceTime, Work]:
    """The device's time, and its work as the tables need it. `events` in order of start, at least one."""
    starts = [event.start for event in events]
    ends = [event.end for event in events]
    kinds = [event.kind for event in events]
    place_of = host.calls.place_of
    work = Work(
        events,
        starts,
        ends,
        lasting=list(map(sub, ends, starts)),
        calls=[place_of.get(event.correlation, NONE) for event in events],
        kernels=[kind == "kernel" for kind in kinds],
    )
    gaps = _gaps(work, host)
    wall = max(ends) - starts[0]
    busy = wall - sum([gap.duration_ns for gap in gaps])
    number_of = Counter(kinds)
    time = DeviceTime(
        device=device,
        kernels=number_of["kernel"],
        copies=number_of["copy"],
        sets=number_of["set"],
        streams=len({event.stream for event in events}),
        start_ns=starts[0],
        wall_ns=wall,
        busy_ns=busy,
        launch_recorded=_recorded(work, wall, busy) if calls_known else None,
        gaps=gaps,
    )
    return time, work


def _gaps(work: Work, host: HostSide) -> tuple[Gap, ...]:
    """Where all work so far has ended and the next begins later."""
    starts: list[int] = []
    lengths: list[int] = []
    launches: list[int] = []
    reached = work.starts[0]
    for start, end, place in zip(work.starts, work.ends, work.calls, strict=True):
        if start > reached:
            starts.append(reached)
            lengths.append(start - reached)
            launches.append(place)
        if end > reached:
            reached = end
    outermost = host.operators.outermost()
    names = [None if place == NONE else host.started[place].name for place in launches]
    return tuple(map(Gap, starts, lengths, [outermost[place] for place in launches], names))


def _recorded(work: Work, wall: int, busy: int) -> Recorded:
    missing = work.calls.count(NONE)
    number = len(work.calls) - missing
    if not missing:
        return Recorded(number, wall, busy)
    known = [place != NONE for place in work.calls]
    merged = union(compress(zip(work.starts, work.ends, strict=True), known))
    return Recorded(number, merged[-1][1] - merged[0][0] if merged else 0, length(merged))


class GapTime:
    """The gap time of any window, in nanoseconds."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self._gaps = gaps
        self._starts = [gap.start_ns for gap in gaps]
        self._before = [0, *accumulate([gap.duration_ns for gap in gaps])]

    def between(self, start: int, end: int) -> int:
        return self._until(end) - self._until(start)

    def begun_in(self, spans: Iterable[Interval]) -> int:
        """The whole time of the gaps that begin in one of these disjoint spans."""
        starts, before = self._starts, self._before
        return sum(
            before[bisect_left(starts, end)] - before[bisect_left(starts, start)] for start, end in spans
        )

    def shared_with(self, spans: Iterable[Interval]) -> int:
        """The gap time that lies in these disjoint spans, which are in order."""
        if isinstance(spans, Sized) and len(spans) * _FEW < len(self._gaps):
            return sum(self.between(start, end) for start, end in spans)
        return overlap(zip(self._starts, self._ends, strict=True), spans)

    @cached_property
    def _ends(self) -> list[int]:
        return [gap.start_ns + gap.duration_ns for gap in self._gaps]

    def within(self, spans: Iterable[Interval]) -> list[int]:
        """The gap time in each of many windows, which are mostly in order and hold a gap or two."""
        starts, ends, before = self._starts, self._ends, self._before
        found = []
        number, begun, latest = len(starts), 0, 0
        for start, end in spans:
            # gaps that have begun when the window does
            if start < latest:
                begun = bisect_right(starts, start)
            while begun < number and starts[begun] <= start:
                begun += 1
            latest = start
            within = 0
            if begun and ends[begun - 1] > start:
                within = (end if end < ends[begun - 1] else ends[begun - 1]) - start
            if begun < number and starts[begun] < end:
                last = begun
                while last - begun < _FEW and last + 1 < number and starts[last + 1] < end:
                    last += 1
                if last - begun == _FEW:
                    last = bisect_left(starts, end, last) - 1
                within += before[last] - before[begun]
                within += (end if end < ends[last] else ends[last]) - starts[last]
            found.append(within)
        return found

    def _until(self, instant: int) -> int:
        place = bisect_right(self._starts, instant)
        if not place:
            return 0
        last = self._gaps[place - 1]
        return self._before[place - 1] + min(instant - last.start_ns, last.duration_ns)
