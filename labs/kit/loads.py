"""Seconds of a load on the GPU: what NVML said of them, and how long the GPU really worked in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from engine.measure.analyse.intervals import length, union
from labs.kit.utilisation_samples import UtilisationWatch

_IN_FLIGHT = 32
"""Calls after which the CPU waits once: a graph's launches would fill the queue for seconds."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """A load that ran for `seconds` in `calls` calls. `percent` are NVML's samples, 0 to 100."""

    seconds: float
    calls: int
    percent: tuple[int, ...]
    busy_s: float | None = None
    """Seconds in which the GPU worked, by the profiler's records; None where they weren't taken."""

    @property
    def busy_ratio(self) -> float | None:
        return None if self.busy_s is None else self.busy_s / self.seconds


def run_for(
    seconds: float, call: Callable[[], object], watch: UtilisationWatch, in_flight: int | None = _IN_FLIGHT
) -> Seconds:
    """Calls it again and again for that long and samples meanwhile. The CPU waits for the GPU after
    `in_flight` calls, never where that is None."""
    calls = 0
    torch.cuda.synchronize()
    start = time.perf_counter()
    with watch:
        while time.perf_counter() - start < seconds:
            call()
            calls += 1
            if in_flight and calls % in_flight == 0:
                torch.cuda.synchronize()
        torch.cuda.synchronize()
        spent = time.perf_counter() - start
    return Seconds(spent, calls, tuple(watch.percent))


def run_recorded(
    seconds: float, call: Callable[[], object], watch: UtilisationWatch, in_flight: int | None = _IN_FLIGHT
) -> Seconds:
    """The same with every piece of GPU work recorded: busy is the union over these very seconds."""
    with _gpu_records() as records:
        seen = run_for(seconds, call, watch, in_flight)
    return Seconds(seen.seconds, seen.calls, seen.percent, busy_s=length(union(records)) / 1e9)


@contextmanager
def _gpu_records() -> Iterator[list[tuple[int, int]]]:
    """Start and end in ns of all GPU work in the block, there once it is left. Operators aren't recorded:
    that would slow the CPU down several times more."""
    records: list[tuple[int, int]] = []
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities, acc_events=True) as profiler:
        yield records
    for event in profiler.profiler.kineto_results.events():
        if event.device_type() != torch.autograd.DeviceType.CPU:
            start = int(event.start_ns())
            records.append((start, start + int(event.duration_ns())))


@dataclass(slots=True)
class Spinner:
    """A kernel that only takes time, launched at even intervals twice as long as itself."""

    cycles: int
    period_s: float
    _next: float = 0.0

    @classmethod
    def of(cls, gap_us: float) -> Spinner:
        """Kernels of `gap_us` microseconds with gaps as long between them."""
        torch.cuda._sleep(1_000_000)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        torch.cuda._sleep(10_000_000)
        end.record()
        end.synchronize()
        cycles_per_us = 10_000_000 / (float(start.elapsed_time(end)) * 1e3)
        return cls(cycles=max(1, round(gap_us * cycles_per_us)), period_s=2 * gap_us / 1e6)

    def beat(self) -> None:
        """Waits for the next interval and launches."""
        now = time.perf_counter()
        self._next = max(now, self._next)  # what was missed stays missed: no catching up back to back
        while now < self._next:
            now = time.perf_counter()
        self._next += self.period_s
        torch.cuda._sleep(self.cycles)
