"""The same decode loop with ever larger layers: where the GPU's work outlasts the CPU's launches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from labs.kit.decode import EAGER, Decoder, random_prompt
from labs.kit.decode_subject import CpuTime, cpu_time
from labs.kit.decode_timing import time_loop, warm_up, watch_gpu
from labs.kit.gap_findings import Point
from labs.kit.lab import Bench, LabFailed
from labs.kit.models import Shape, random_model
from labs.kit.steps import Steps

LAYERS = 2
_VOCABULARY = 4096
_PROMPT, _CAPACITY, _TIMED, _PROFILED = 32, 96, 24, 4
WIDTHS = {
    # hidden size: intermediate size, heads, heads of keys and values; those of the Llamas of that width
    2048: (5632, 32, 4),
    4096: (14336, 32, 8),
    8192: (28672, 64, 8),
    16384: (53248, 128, 8),
}


@dataclass(frozen=True, slots=True)
class Width:
    """Layers of one width, timed without the profiler, and the decoder to look at later."""

    hidden: int
    ms: float
    cpu: CpuTime
    decoder: Decoder


def time_widths(bench: Bench, dtype: torch.dtype, steps: Steps) -> tuple[list[Width], str | None]:
    """A step at batch 1 for each width until the GPU falls behind; why it stopped before (`memory`, `end`).

    Every model stays in memory until it was looked at.
    """
    found: list[Width] = []
    for width, (intermediate, heads, kv_heads) in WIDTHS.items():
        steps.next("timing_width")
        shape = Shape(LAYERS, width, intermediate, heads, kv_heads, _VOCABULARY, 10000.0, 1e-5, 2048)
        try:
            found.append(_time(bench, shape, dtype))
        except (torch.OutOfMemoryError, LabFailed) as fault:
            if isinstance(fault, LabFailed) and fault.code != "out_of_memory":
                raise
            torch.cuda.empty_cache()
            return found, "memory"
        if found[-1].cpu.gpu_behind:
            return found, None
    return found, "end"


def look_at_widths(bench: Bench, widths: Sequence[Width]) -> list[Point]:
    """What the GPU does in a step of each."""
    points = []
    for width in widths:
        gpu = watch_gpu(width.decoder, _PROFILED)
        point = Point(
            size=width.hidden,
            ms=width.ms,
            profiled_ms=gpu.wall_ms / gpu.steps,
            cpu_ms=width.cpu.ms,
            busy_ms=gpu.busy_ms / gpu.steps,
            kernels=gpu.kernels / gpu.steps,
            launches=gpu.launches / gpu.steps,
            gap_us=gpu.gap_p50_us,
        )
        points.append(point)
        bench.series(
            "widths",
            ["width", "time", "cpu_time", "gpu_time", "busy"],
            [[width.hidden, point.ms, point.cpu_ms, point.busy_ms, 100 * point.busy_ratio]],
            time="ms",
            cpu_time="ms",
            gpu_time="ms",
            busy="%",
        )
    return points


def _time(bench: Bench, shape: Shape, dtype: torch.dtype) -> Width:
    model = random_model(shape, device=bench.device, dtype=dtype, tokens=_CAPACITY, batch=1)
    decoder = Decoder(model, random_prompt(model, batch=1, tokens=_PROMPT), EAGER, _CAPACITY)
    warm_up(decoder)
    # twice over the same lengths: an attention library may prepare itself for each new one
    time_loop(decoder, bench.device, _TIMED)
    loop = time_loop(decoder, bench.device, _TIMED)
    return Width(shape.hidden, loop.timing.median_ms, cpu_time(decoder), decoder)
