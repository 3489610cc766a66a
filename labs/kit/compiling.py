"""What torch.compile did: whether it can run here, and whether it kept its promise."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass

import torch

from labs.kit.lab import DeviceType


def why_no_compiler(device: DeviceType) -> str | None:
    """What to install before torch.compile can work on the device; None where it can."""
    if device == "cuda":
        try:
            import triton  # noqa: F401  # only whether it is there
        except ImportError:
            return "The Python package triton is missing: install torch's own build of it."
        if not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
            return "Triton needs a C compiler: install gcc (Debian, Ubuntu: apt install build-essential)."
        return None
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    try:
        get_cpp_compiler()
    except (InvalidCxxCompiler, RuntimeError, OSError):
        return (
            "torch.compile on a CPU needs a C++ compiler: install one (Debian, Ubuntu: apt install "
            "build-essential; macOS: xcode-select --install)."
        )
    return None


@dataclass(frozen=True, slots=True)
class Compiled:
    """dynamo's and inductor's counters at one moment."""

    graphs: int
    breaks: int
    cudagraph_skips: int
    recordings: int
    """CUDA graphs recorded so far."""


def compiled_so_far() -> Compiled:
    """The counters of this process; the difference of two says what happened between."""
    if "torch._dynamo.utils" not in sys.modules:
        return Compiled(0, 0, 0, 0)
    from torch._dynamo.utils import counters

    return Compiled(
        graphs=int(counters["stats"]["unique_graphs"]),
        breaks=sum(counters["graph_break"].values()),
        cudagraph_skips=int(counters["inductor"]["cudagraph_skips"]),
        recordings=_recordings(),
    )


def forget_compiled() -> None:
    """Drops every compiled function and sets the counters back."""
    if "torch._dynamo.utils" not in sys.modules:
        return
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()


def compile_in_this_process() -> None:
    """No pool of compiler processes: for one kernel it costs more than it gives, and while its workers start
    (each imports torch) they disturb what is being timed."""
    from torch._inductor import config

    config.compile_threads = 1


def send_workers_home() -> None:
    """Ends the pool of compiler processes, so that none of them disturbs what is timed next."""
    if "torch._inductor.async_compile" in sys.modules:
        from torch._inductor.async_compile import shutdown_compile_workers

        shutdown_compile_workers()


def generated_kernels() -> int:
    """Kernels that inductor has generated since `forget_generated`: loops in C++, or Triton kernels."""
    from torch._inductor import metrics

    return int(metrics.generated_kernel_count)


def forget_generated() -> None:
    from torch._inductor import metrics

    metrics.reset()


def _recordings() -> int:
    """Nodes in torch's trees of recorded CUDA graphs on the current GPU."""
    if "torch._inductor.cudagraph_trees" not in sys.modules or not torch.cuda.is_initialized():
        return 0
    from torch._inductor import cudagraph_trees

    manager = cudagraph_trees.get_manager(torch.cuda.current_device(), create_if_none_exists=False)
    if manager is None or manager.roots is None:
        return 0
    waiting = [node for nodes in manager.roots.values() for node in nodes]
    count = 0
    while waiting:
        node = waiting.pop()
        count += 1
        waiting.extend(child for children in node.children.values() for child in children)
    return count
