"""Measures a decode step: first without the profiler, for every batch, and only then under it.

A profiler leaves its hooks in the driver: a launch costs the CPU a quarter more for the rest of the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labs.kit.decode import EAGER, Decoder, random_prompt
from labs.kit.decode_subject import Subject, cpu_time, stepper
from labs.kit.decode_timing import time_loop, warm_up
from labs.kit.decode_trace import Traced, record_trace
from labs.kit.gap_findings import Point
from labs.kit.timing import Timing

TIMED, PROFILED = 16, 4


@dataclass(frozen=True, slots=True)
class Timed:
    """A step without the profiler. `gpu_behind`: the GPU had much left to do when all was issued."""

    batch: int
    timing: Timing
    cpu_ms: float
    gpu_behind: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A step at one batch, with the trace it was seen in."""

    point: Point
    timing: Timing
    traced: Traced


def time_batch(subject: Subject, batch: int) -> Timed:
    """Times the step of `batch` sequences."""
    decoder = _decoder(subject, batch)
    warm_up(decoder)
    # twice over the same lengths: an attention library may prepare itself for each new one
    time_loop(decoder, "cuda", TIMED)
    loop = time_loop(decoder, "cuda", TIMED)
    cpu = cpu_time(decoder)
    return Timed(batch, loop.timing, cpu.ms, cpu.gpu_behind)


def trace_batch(subject: Subject, timed: Timed, path: Path) -> Seen:
    """Traces the step that was timed. Raises NoGpuEvents."""
    traced = record_trace(stepper(_decoder(subject, timed.batch)), PROFILED, path)
    point = Point(
        size=timed.batch,
        ms=timed.timing.median_ms,
        profiled_ms=traced.wall_ms,
        cpu_ms=timed.cpu_ms,
        busy_ms=traced.busy_ms,
        kernels=traced.kernels_per_step,
        launches=traced.launches_per_step,
        gap_us=traced.gap_us(0.5),
    )
    return Seen(point, timed.timing, traced)


def _decoder(subject: Subject, batch: int) -> Decoder:
    prompt = random_prompt(subject.model, batch=batch, tokens=subject.prompt)
    return Decoder(subject.model, prompt, EAGER, subject.capacity)
