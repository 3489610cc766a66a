"""What traces of decode at several batches and widths mean, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.measure.events import Finding, Scalar
from labs.kit.decode_findings import BUSY_BELOW
from labs.kit.decode_trace import DuringGaps, Waiting
from labs.kit.faster_gpu import Replayed
from labs.kit.parts import KernelTime

CLOSED_FROM = 0.95
"""From this share of a step spent in kernels on, the gap counts as closed."""
WIDENED = 1.15
_SAME = 1.25
_RISES = 1.05
_REPLAY_HOLDS = 0.1


@dataclass(frozen=True, slots=True)
class Point:
    """A step of one batch or width: ms without the profiler and with it, of the CPU, of the GPU."""

    size: int
    ms: float
    profiled_ms: float
    cpu_ms: float
    busy_ms: float
    kernels: float
    launches: float
    gap_us: float

    @property
    def busy_ratio(self) -> float:
        """Share of the unprofiled step in which the GPU works (the profiler hardly changes a kernel)."""
        return min(1.0, self.busy_ms / self.ms) if self.ms else 0.0

    @property
    def launch_us(self) -> float:
        """CPU time of a launch, everything around it included, in microseconds."""
        return 1e3 * self.cpu_ms / self.launches if self.launches else 0.0

    @property
    def closed(self) -> bool:
        return self.busy_ratio >= CLOSED_FROM


def of_one(point: Point) -> Iterator[Finding]:
    """What the step at batch 1 is bound by, and what the profiler did to it."""
    args: dict[str, Scalar] = {
        "batch": point.size,
        "ms": point.ms,
        "busy": 100 * point.busy_ratio,
        "busy_ms": point.busy_ms,
        "kernels": round(point.kernels),
        "launch_us": point.launch_us,
        "gap_us": point.gap_us,
    }
    yield Finding("overhead_bound" if point.busy_ratio < BUSY_BELOW else "gpu_paces", args)
    if point.profiled_ms > WIDENED * point.ms:
        yield Finding(
            "profiler_widens_gaps",
            {"with_ms": point.profiled_ms, "without_ms": point.ms, "times": point.profiled_ms / point.ms},
        )


def of_gaps(during: DuringGaps | None, waiting: Sequence[Waiting]) -> Iterator[Finding]:
    """What the CPU did meanwhile, and whose launch ended most of the gap time."""
    if during is not None:
        yield Finding(
            "during_gaps",
            {
                "python": 100 * during.python,
                "dispatcher": 100 * during.dispatcher,
                "driver": 100 * during.driver,
            },
        )
    named = [one for one in waiting if one.operator]
    if named:
        first = named[0]
        yield Finding(
            "waited_for", {"operator": first.operator, "call": first.call, "share": 100 * first.share}
        )


def of_batches(points: Sequence[Point], stopped: str | None) -> Iterator[Finding]:
    """How step, CPU and GPU changed with the batch, and where the gap closed. `stopped` is why no larger
    batch was taken (memory, time, size), None where the GPU fell behind the CPU."""
    if not points:
        return
    one = points[0]
    lesson = next((point for point in points if point.size == 32), None)
    if lesson is not None and lesson is not one:
        yield Finding(
            "batch_fills_gaps" if lesson.busy_ratio > _RISES * one.busy_ratio else "batch_fills_nothing",
            {
                "batch": lesson.size,
                "cpu_ms": one.cpu_ms,
                "cpu_ms_after": lesson.cpu_ms,
                "busy": 100 * one.busy_ratio,
                "busy_after": 100 * lesson.busy_ratio,
                "ms": one.ms,
                "ms_after": lesson.ms,
            },
        )
    last = points[-1]
    closed = next((point for point in points if point.closed), None)
    if closed is not None:
        yield Finding(
            "gap_closes_at_batch",
            {"batch": closed.size, "busy": 100 * closed.busy_ratio, "ms": closed.ms, "times": closed.size},
        )
    else:
        yield Finding(
            f"gap_open_{stopped}" if stopped else "no_waiting_left",
            {"batch": last.size, "busy": 100 * last.busy_ratio, "ms": last.ms},
        )


def of_widths(points: Sequence[Point], stopped: str | None) -> Iterator[Finding]:
    """From which width of the layers on the GPU needs longer for a kernel than the CPU for a launch."""
    if not points:
        return
    first, last = points[0], points[-1]
    closed = next((point for point in points if point.closed), None)
    if closed is not None:
        yield Finding(
            "gap_closes_at_width",
            {"width": closed.size, "busy": 100 * closed.busy_ratio, "from_width": first.size,
             "from_busy": 100 * first.busy_ratio},
        )  # fmt: skip
    else:
        yield Finding(
            f"width_open_{stopped}" if stopped else "no_waiting_at_width",
            {"width": last.size, "busy": 100 * last.busy_ratio},
        )


def of_faster_gpu(point: Point, same: Replayed, faster: Replayed, speed: float) -> Iterator[Finding]:
    """The prediction, where the replay at this GPU's own speed gives what was measured."""
    if abs(same.busy_ratio - point.busy_ratio) > _REPLAY_HOLDS * max(point.busy_ratio, 0.01):
        yield Finding("replay_off", {"busy": 100 * same.busy_ratio, "measured": 100 * point.busy_ratio})
        return
    yield Finding(
        "faster_gpu_waits" if faster.ms > point.ms / _SAME else "faster_gpu_gains",
        {
            "speed": speed,
            "ms": point.ms,
            "faster_ms": faster.ms,
            "busy": 100 * point.busy_ratio,
            "faster_busy": 100 * faster.busy_ratio,
        },
    )


def of_kernels(kernels: Sequence[KernelTime], steps: int) -> Iterator[Finding]:
    """The kernel that takes most of the GPU's time."""
    total = sum(kernel.ns for kernel in kernels)
    if not total:
        return
    first = kernels[0]
    yield Finding(
        "slowest_kernel",
        {
            "kernel": short_name(first.name),
            "share": 100 * first.ns / total,
            "parts": ", ".join(part for part, _ in first.parts[:3]),
            "us": first.ns / 1e3 / steps,
        },
    )


def short_name(kernel: str) -> str:
    """A kernel's name without return type, arguments and template arguments."""
    name = kernel.removeprefix("void ").split("(")[0]
    return (name.split("<")[0] or name)[:80]
