"""The profiler's steps on the GPU: each from the first work launched in it to the first of the next."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, compress
from typing import Any

import msgspec

from engine.measure.analyse.device_time import DeviceTime, GapTime, Work
from engine.measure.analyse.host_side import HostSide

STEPS = 500
"""How many steps are listed."""


class StepTime(msgspec.Struct, frozen=True):
    """A step's window on a device, in nanoseconds. `cpu_ns`: its length on the CPU; `launches`: calls in it
    that started work of this device."""

    name: str
    start_ns: int
    wall_ns: int
    busy_ns: int
    cpu_ns: int
    kernels: int
    launches: int

    @property
    def busy_ratio(self) -> float:
        return self.busy_ns / self.wall_ns if self.wall_ns else 1.0

    def to_json(self, start_ns: int) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; starts count from `start_ns`."""
        return {
            "name": self.name,
            "start_us": (self.start_ns - start_ns) / 1e3,
            "wall_us": self.wall_ns / 1e3,
            "busy_us": self.busy_ns / 1e3,
            "busy_ratio": round(self.busy_ratio, 6),
            "cpu_us": self.cpu_ns / 1e3,
            "kernels": self.kernels,
            "launches": self.launches,
        }


def step_times(device: DeviceTime, work: Work, host: HostSide) -> tuple[StepTime, ...]:
    """The steps in which this device had work; none where the profiler recorded no steps."""
    if not host.steps:
        return ()
    step_of, launches = _steps_of(work, host)
    # the last place is for work of no step
    first: list[int | None] = [None] * (len(host.steps) + 1)
    kernels = [0] * (len(host.steps) + 1)
    steps = [step_of.get(correlation, -1) for correlation in work.correlations]
    for step, start in zip(steps, work.starts, strict=True):
        if first[step] is None:
            first[step] = start
    for step in compress(steps, work.kernels):
        kernels[step] += 1
    seen = [step for step, start in enumerate(first[:-1]) if start is not None]
    if not seen:
        windows = [(n, max(step.start, device.start_ns), min(step.end, device.end_ns))
                   for n, step in enumerate(host.steps)]  # fmt: skip
    else:
        # what a step launched may begin before the last work of the step before it, on another stream
        starts = list(accumulate((start for start in first[:-1] if start is not None), max))
        windows = list(zip(seen, starts, [*starts[1:], device.end_ns], strict=True))
    gaps = GapTime(device.gaps)
    return tuple(
        StepTime(
            name=host.steps[number].name,
            start_ns=start,
            wall_ns=end - start,
            busy_ns=end - start - gaps.between(start, end),
            cpu_ns=host.steps[number].end - host.steps[number].start,
            kernels=kernels[number],
            launches=launches[number],
        )
        for number, start, end in windows
        if end > start
    )


def _steps_of(work: Work, host: HostSide) -> tuple[dict[int | None, int], list[int]]:
    """The number of the step that each launch happens in, on whatever thread, where it is in one; and how
    many launches there are in each."""
    starts = [call.start for call in host.started]
    launching, mine = host.names.launching, work.calls
    found: dict[int | None, int] = {}
    launches = []
    for number, step in enumerate(host.steps):
        # steps are disjoint
        calls = host.started[bisect_left(starts, step.start) : bisect_left(starts, step.end)]
        own = [call for call in calls if mine.get(call.correlation) is call]
        found.update([(call.correlation, number) for call in own])
        launches.append(len([call for call in own if call.name in launching]))
    return found, launches
