"""What a faster GPU would make of a traced step: its kernels shortened, the CPU's launches as they came."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from engine.measure.analyse.chrome_trace import ChromeTrace
from labs.kit.decode_trace import launches_of


@dataclass(frozen=True, slots=True)
class Replayed:
    """A step as reckoned: its length in ms, and the share of it in which the GPU works."""

    ms: float
    busy_ratio: float


@dataclass(frozen=True, slots=True)
class _Work:
    launched: float
    duration: float


class Replay:
    """Lets the work of a trace of `steps` steps run again on a GPU of another speed.

    `step_ms` is a step without the profiler. The profiler makes the CPU slower and not the GPU, so the times
    between launches are shrunk until a GPU of this speed gives `step_ms`. One stream is assumed: a kernel
    starts when it was launched and its predecessor has ended.
    """

    def __init__(self, trace: ChromeTrace, steps: int, step_ms: float) -> None:
        at = {call.correlation: call.start for call in launches_of(trace)}
        own = [event for event in trace.gpu if event.correlation in at]
        first = min(at.values(), default=0)
        self._steps = steps
        self._work = [
            _Work(float(at[event.correlation] - first), float(event.end - event.start)) for event in own
        ]
        idle = [event.start - at[event.correlation] for event in own]
        self._latency = float(median(sorted(idle)[: max(1, len(idle) // 2)])) if idle else 0.0
        self._shrink = self._fit(step_ms)

    def at(self, speed: float) -> Replayed:
        """The step where every kernel takes 1/`speed` of its time."""
        return self._run(self._shrink, speed)

    def _fit(self, step_ms: float) -> float:
        """What the times between launches must be multiplied with."""
        low, high = 0.0, 4.0
        for _ in range(40):  # the step grows with the factor: halve the interval
            middle = (low + high) / 2
            low, high = (middle, high) if self._run(middle, 1.0).ms < step_ms else (low, middle)
        return high

    def _run(self, shrink: float, speed: float) -> Replayed:
        free_at = busy = 0.0
        first: float | None = None
        for work in self._work:
            start = max(free_at, work.launched * shrink + self._latency)
            first = start if first is None else first
            free_at = start + work.duration / speed
            busy += work.duration / speed
        wall = free_at - (first or 0.0)
        return Replayed(wall / 1e6 / self._steps, busy / wall if wall else 0.0)
