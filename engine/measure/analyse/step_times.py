"""The profiler's steps on the GPU: each from the first work launched in it to the first of the next."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
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


def step_times(
    device: DeviceTime, work: Work, host: HostSide, launching: Sequence[int], gaps: GapTime
) -> tuple[StepTime, ...]:
    """The steps in which this device had work; none where the profiler recorded no steps. `launching`: see
    `Work.launches`."""
    if not host.steps:
        return ()
    step_of = _steps_of(host)
    launches = Counter(map(step_of.__getitem__, launching))
    # the last place is for work of no step
    first: list[int | None] = [None] * (len(host.steps) + 1)
    kernels = [0] * (len(host.steps) + 1)
    steps = [step_of[place] for place in work.calls]
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


def _steps_of(host: HostSide) -> list[int]:
    """The number of the step that each call that started work begins in, on whatever thread, by the call's
    place; -1 where it is in none, and at the last place, which stands for no call."""
    starts = [call.start for call in host.started]
    found = [-1] * (len(starts) + 1)
    for number, step in enumerate(host.steps):
        # steps are disjoint
        first, end = bisect_left(starts, step.start), bisect_left(starts, step.end)
        found[first:end] = [number] * (end - first)
    return found
