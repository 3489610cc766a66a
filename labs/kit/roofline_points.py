"""Times the learner's kernels and places each under the roof."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from engine.measure.events import Scalar
from labs.kit.ceilings import cache_bytes
from labs.kit.models import SHAPES
from labs.kit.roofline_findings import Point
from labs.kit.roofline_kernels import Kernel, Setting, attentions, elementwise, products
from labs.kit.roofline_session import Session
from labs.kit.timing import time_calls
from labs.kit.triton_here import why_no_triton

ATTENTION_BATCHES = {"cuda": (1, 8, 64), "cpu": (1, 8)}
_BUDGET_S = 0.06
_LONGEST_MS = 100.0
"""A kernel that takes longer ends the row of batches (a CPU): a dozen calls of each are needed."""
_DEFAULT_MODEL = {"cuda": "llama-3-8b", "cpu": "tinyllama-1.1b"}
_DEFAULT_CONTEXT = {"cuda": 4096, "cpu": 2048}


def measure_kernels(session: Session) -> None:
    """Every kernel of the model's decode step that the lab knows, each sent as a point at once."""
    bench, dtype = session.bench, session.dtype
    model, context = str(bench.params["model"]), str(bench.params["context"])
    model = _DEFAULT_MODEL[bench.device] if model == "auto" else model
    setting = Setting(
        device=bench.device,
        dtype=dtype,
        shape=SHAPES[model],
        context=_DEFAULT_CONTEXT[bench.device] if context == "auto" else int(context),
        cache_bytes=cache_bytes(bench.device),
    )
    labels: dict[str, Scalar] = {"model": model, "dtype": dtype}
    _measure(session, products(setting), "timing_gemm", labels)
    attending = attentions(setting, ATTENTION_BATCHES[bench.device])
    _measure(session, attending, "timing_attention", {**labels, "context": setting.context})
    _measure(session, elementwise(setting, _chain(session)), "timing_elementwise", {"dtype": dtype})


def _measure(session: Session, kernels: Iterator[Kernel], stage: str, labels: dict[str, Scalar]) -> None:
    bench = session.bench
    for kernel in kernels:
        session.steps.next(stage)
        with session.others.during():
            timing = time_calls(kernel.calls, device=bench.device, budget_s=_BUDGET_S)
        session.clocks.read()
        seconds = timing.median_ms / 1e3
        of: dict[str, Scalar] = {"kernel": kernel.name, **labels}
        if kernel.batch is not None:
            of["batch"] = kernel.batch
        point = Point(
            kernel=kernel.name,
            batch=kernel.batch,
            intensity=kernel.intensity,
            rate=kernel.flop / seconds,
            ms=timing.median_ms,
            reads=kernel.reads,
            labels=of,
        )
        session.points.append(point)
        session.report("kernel_time", timing.median_ms, "ms", of, timing)
        session.report("kernel_intensity", kernel.intensity, "FLOP/B", of)
        session.report("kernel_rate", point.rate / 1e12, "TFLOP/s", of)
        session.report("kernel_bandwidth", kernel.bytes / seconds / 1e9, "GB/s", of)
        bench.series(
            "roofline",
            ("intensity", "rate", "kernel", "batch", "dtype"),
            [[kernel.intensity, point.rate / 1e12, kernel.name, kernel.batch, session.dtype]],
            intensity="FLOP/B",
            rate="TFLOP/s",
        )
        if timing.low_ms > _LONGEST_MS:
            return


def _chain(session: Session) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """Multiply, add and GELU in one kernel, where there is Triton."""
    if session.bench.device != "cuda" or why_no_triton():
        return None
    from labs.kit.fused_triton import SHORT_GELU, TILINGS, scale_bias_gelu

    gelu = SHORT_GELU.get(session.dtype, "library")
    return lambda x: scale_bias_gelu(x, 1.25, 0.125, gelu=gelu, tiling=TILINGS[1])
