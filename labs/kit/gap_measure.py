"""Measures a decode step at one batch: without the profiler, on the CPU alone, and under the profiler."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labs.kit.decode import Decoder
from labs.kit.decode_subject import Subject, issue_ms, stepper
from labs.kit.decode_timing import time_loop
from labs.kit.decode_trace import Traced, record_trace
from labs.kit.gap_findings import Point
from labs.kit.timing import Timing

TIMED, PROFILED = 16, 4


@dataclass(frozen=True, slots=True)
class Seen:
    """A step at one batch or width, with the trace it was seen in."""

    point: Point
    timing: Timing
    traced: Traced


def look_at(subject: Subject, decoder: Decoder, size: int, path: Path) -> Seen:
    """Times the warm decoder, then traces it (a profiler leaves its hooks in the driver, so it comes last).

    Raises NoGpuEvents and NotAsMeant.
    """
    device = subject.bench.device
    # twice over the same lengths: an attention library may prepare itself for each new one
    time_loop(decoder, device, TIMED)
    loop = time_loop(decoder, device, TIMED)
    cpu = issue_ms(decoder)
    traced = record_trace(stepper(decoder), PROFILED, path)
    point = Point(
        size=size,
        ms=loop.timing.median_ms,
        profiled_ms=traced.wall_ms,
        cpu_ms=cpu,
        busy_ms=traced.busy_ms,
        kernels=traced.kernels_per_step,
        launches=traced.launches_per_step,
        gap_us=traced.gap_us(0.5),
    )
    return Seen(point, loop.timing, traced)
