"""What the analysers need of a chrome trace as PyTorch's profiler writes it, 2021 to now, CUDA and ROCm."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.measure.analyse.damage import Damage

GPU_KINDS = {
    "kernel": "kernel",
    "gpu_memcpy": "copy",
    "memcpy": "copy",
    "gpu_memset": "set",
    "memset": "set",
}
"""Category (lower case) of the events that are work of the GPU. gpu_user_annotation and cuda_sync are not."""

CALL_CATEGORIES = frozenset({"cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "hip_driver"})
OPERATOR_CATEGORIES = frozenset({"cpu_op", "operator"})
RANGE_CATEGORIES = frozenset({"user_annotation", "nvtx"})
"""Ranges that the program named itself (`torch.profiler.record_function`, NVTX)."""
GPU_RANGE_CATEGORIES = frozenset({"gpu_user_annotation"})
"""The same ranges on the GPU's rows, from the first work launched in them to the last."""
OVERHEAD_CATEGORIES = frozenset({"overhead"})
"""What the profiler itself took of the CPU's time (CUPTI flushing its buffers, and the like)."""
STACK_CATEGORIES = frozenset({"python_function"})
PROFILER_STEP = "ProfilerStep#"
"""Named like an operator in 2021; it spans a whole step and says nothing of who let the GPU wait."""
LAUNCH_WORDS = ("LaunchKernel", "GraphLaunch", "LaunchCooperativeKernel")
RANGE = "range"


# the two below are made by the million: such a struct is made four times as fast as a frozen dataclass, and
# the garbage collector passes over it
class GpuEvent(msgspec.Struct, frozen=True, gc=False):
    """Work of a GPU. `start` and `end` in nanoseconds; `kind` is kernel, copy or set (or range: what the
    program named, over the work launched in it); `bytes` of a copy or set, where the file says so."""

    kind: str
    name: str
    device: int
    stream: str
    start: int
    end: int
    correlation: int | None
    bytes: int | None = None


class CpuEvent(msgspec.Struct, frozen=True, gc=False):
    """An operator, a range or a runtime call on a CPU thread. `start` and `end` in nanoseconds; a call says
    by `correlation` what work it started."""

    name: str
    thread: tuple[str, str]
    start: int
    end: int
    correlation: int | None = None


class ChromeTrace(msgspec.Struct, frozen=True):
    """What the analysers need of a trace; everything in order of start, times from `origin_ns` on."""

    events: int
    gpu: tuple[GpuEvent, ...]
    calls: tuple[CpuEvent, ...]
    operators: tuple[CpuEvent, ...]
    unreadable: int
    """Events of a kind that counts whose time or duration is no finite number."""
    ranges: tuple[CpuEvent, ...] = ()
    """What the program marked by name, on the CPU."""
    gpu_ranges: tuple[GpuEvent, ...] = ()
    """The same on the GPU's rows, and the profiler's steps there."""
    steps: tuple[CpuEvent, ...] = ()
    """The profiler's steps (`prof.step()`), on the CPU."""
    overheads: tuple[CpuEvent, ...] = ()
    """What the profiler itself did on the CPU."""
    stacks: bool = False
    """Python's calls were recorded too, which makes the CPU slower still."""
    gpu_names: Mapping[int, str] = msgspec.field(default_factory=dict)
    """The devices' names, where the file says them before its events."""
    damage: Damage = msgspec.field(default_factory=Damage)
    """What was wrong with the file's text."""
    text_times: int = 0
    """Events whose times stand there as text."""
    origin_ns: int = 0
    """By the file's own clock; not 0 only where that counts since 1970."""
    without_args: int = 0
    """GPU events that don't say which launch they belong to, nor their device and stream."""
