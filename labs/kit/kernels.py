"""What the GPU did during some calls, by torch's profiler: kernels, launches, busy time and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import torch

from engine.measure.analyse.intervals import gaps_between, length, percentile, union

_LAUNCHES = ("LaunchKernel", "LaunchCooperativeKernel", "ModuleLaunch")
_GRAPH_LAUNCHES = ("GraphLaunch",)
_CAPTURES = ("StreamBeginCapture",)


@dataclass(frozen=True, slots=True)
class GpuTime:
    """What `steps` calls did. Times in milliseconds; counts and times are of all calls together.

    Busy is the union over all streams, wall reaches from the first kernel's start to the last one's end.
    """

    steps: int
    kernels: int
    launches: int
    """Launch calls of the CPU, kernels and CUDA graphs alike."""
    graph_launches: int
    captures: int
    busy_ms: float
    wall_ms: float
    gap_p50_us: float
    gap_p90_us: float
    heaviest: tuple[tuple[str, float], ...]
    """The kernels with most time, by name, with their milliseconds; five at most."""
    kernels_ms: float = 0.0
    """All kernels' times added up: more than busy where they overlap."""

    @property
    def busy_ratio(self) -> float:
        return self.busy_ms / self.wall_ms if self.wall_ms else 0.0


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the profiler: on the GPU or a call of its runtime on the CPU."""

    name: str
    on_gpu: bool
    start_ns: int
    duration_ns: int


def profile(call: Callable[[], object], steps: int) -> GpuTime:
    """Profiles `steps` calls on the current GPU; the first call in a process takes seconds to set up."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities, acc_events=True) as profiler:
        for _ in range(steps):
            call()
        torch.cuda.synchronize()
    kineto = profiler.profiler.kineto_results
    records = [
        Record(
            name=event.name(),
            on_gpu=event.device_type() != torch.autograd.DeviceType.CPU,
            start_ns=int(event.start_ns()),
            duration_ns=int(event.duration_ns()),
        )
        for event in kineto.events()
    ]
    return gpu_time(records, steps)


def gpu_time(records: list[Record], steps: int) -> GpuTime:
    """The summary of a profile's records. Copies and fills count as busy time, not as kernels."""
    work = [r for r in records if r.on_gpu and not _is_annotation(r)]
    kernels = [r for r in work if not r.name.startswith(("Memcpy", "Memset"))]
    merged = union((r.start_ns, r.start_ns + r.duration_ns) for r in work)
    gaps = sorted(end - start for start, end in gaps_between(merged))
    by_name: Counter[str] = Counter()
    for kernel in kernels:
        by_name[kernel.name] += kernel.duration_ns
    calls = [r.name for r in records if not r.on_gpu and r.name.startswith(("cu", "hip"))]
    graph_launches = sum(any(word in name for word in _GRAPH_LAUNCHES) for name in calls)
    return GpuTime(
        steps=steps,
        kernels=len(kernels),
        launches=graph_launches + sum(any(word in name for word in _LAUNCHES) for name in calls),
        graph_launches=graph_launches,
        captures=sum(any(word in name for word in _CAPTURES) for name in calls),
        busy_ms=length(merged) / 1e6,
        wall_ms=(merged[-1][1] - merged[0][0]) / 1e6 if merged else 0.0,
        gap_p50_us=percentile(gaps, 0.5) / 1e3,
        gap_p90_us=percentile(gaps, 0.9) / 1e3,
        heaviest=tuple((name, ns / 1e6) for name, ns in by_name.most_common(5)),
        kernels_ms=sum(kernel.duration_ns for kernel in kernels) / 1e6,
    )


def _is_annotation(record: Record) -> bool:
    """User ranges are mirrored onto the GPU's timeline; they are no work (`gpu_user_annotation`)."""
    return record.name.startswith(("ProfilerStep", "## ", "Context Sync", "Stream Sync", "Event Sync"))
