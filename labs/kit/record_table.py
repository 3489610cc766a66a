"""The record table of the lesson "timeline 上的 gap", filled by what was measured.

Each row sets what is expected of this GPU beside what was measured. Expected is the lesson's own reckoning
with this GPU's numbers instead of a T4's: its bandwidth, the measured time of a kernel that does nothing,
and the measured CPU time of a launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.measure.events import Scalar

PER_LAYER = (14, 18)
OUTSIDE = 5
"""Kernels that the lesson counts in a layer, and outside of the layers: embedding, norm, head, sampling."""
LAUNCH_US = (30.0, 50.0)
"""What the lesson reckons a launch costs the CPU."""
AS_EXPECTED = 1.15
"""Up to this ratio a measurement agrees with what was expected."""
WAITS_BELOW = 0.7
"""Below this busy ratio the CPU sets the pace."""
COLUMNS = ["item", "expected_low", "expected_high", "measured", "unit", "ratio", "why"]


@dataclass(frozen=True, slots=True)
class Given:
    """What the expectation stands on. `bandwidth` is the datasheet's in B/s, the measured one where there is
    none; `empty_us` the GPU's time for a kernel that does nothing, `bytes_read` what a step must read."""

    layers: int
    bandwidth: float
    empty_us: float
    launch_us: float
    bytes_read: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One batch as measured; times in ms, the busy ratio from 0 to 1, both without the profiler."""

    kernels: float
    busy_ms: float
    step_ms: float
    gap_us: float

    @property
    def busy_ratio(self) -> float:
        return min(1.0, self.busy_ms / self.step_ms)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table. `why` is a code that the lab's words explain."""

    item: str
    low: Scalar
    high: Scalar
    measured: Scalar
    unit: str
    why: str

    @property
    def ratio(self) -> float | None:
        """Measured over the nearer end of what was expected; 1 within it."""
        if not isinstance(self.measured, int | float) or not isinstance(self.low, int | float):
            return None
        high = self.high if isinstance(self.high, int | float) else self.low
        near = min(max(self.measured, self.low), high)
        return self.measured / near if near else None

    def cells(self) -> list[Scalar]:
        """In the order of `COLUMNS`."""
        return [
            self.item,
            self.low,
            self.high,
            self.measured,
            self.unit,
            self.ratio,
            self.why,
        ]


def rows(
    given: Given,
    one: Measured,
    many: Measured | None,
    *,
    graph_ms: float | None,
    compiled_ms: float | None,
    operator: str,
    versions: str,
) -> Iterator[Row]:
    """The lesson's rows in its order; `many` is batch 32, `operator` what ended most gaps."""
    kernels = [given.layers * count + OUTSIDE for count in PER_LAYER]
    gpu = [_gpu_ms(given, count) for count in kernels]
    step = [max(count * given.launch_us / 1e3, gpu_ms) for count, gpu_ms in zip(kernels, gpu, strict=True)]
    busy = sorted(100 * g / s for g, s in zip(gpu, step, strict=True))
    yield _row("kernels", kernels, one.kernels, "", "more_kernels", "fewer_kernels")
    yield Row("launch_cost", *LAUNCH_US, given.launch_us, "us", _launch_why(given.launch_us))
    yield _row("gpu_time", gpu, one.busy_ms, "ms", "gpu_over", "gpu_under")
    yield _row("step", step, one.step_ms, "ms", "step_longer", "step_shorter")
    yield _row("busy", busy, 100 * one.busy_ratio, "%", "busier", "waits_more")
    if many is not None:
        same = many.step_ms <= AS_EXPECTED * one.step_ms
        yield Row(
            "step_32",
            one.step_ms,
            AS_EXPECTED * one.step_ms,
            many.step_ms,
            "ms",
            "cpu_sets_pace"
            if many.busy_ratio < WAITS_BELOW
            else "memory_sets_pace"
            if same
            else "gpu_sets_pace",
        )
        yield Row(
            "busy_32",
            100 * one.busy_ratio,
            100.0,
            100 * many.busy_ratio,
            "%",
            "more_work_a_launch" if many.busy_ratio > one.busy_ratio else "work_did_not_grow",
        )
    gap = sorted(max(0.0, given.launch_us - 1e3 * g / k) for g, k in zip(gpu, kernels, strict=True))
    yield _row("gap", gap, one.gap_us, "us", "gap_longer", "gap_shorter")
    yield Row("operator", "aten::linear, aten::silu …", None, operator, "", "operator_of_most_gaps")
    if graph_ms is not None:
        yield _row("graph_step", gpu, graph_ms, "ms", "graph_over", "compiled_under")
    if compiled_ms is not None:
        yield _row("compiled_step", gpu, compiled_ms, "ms", "compiled_over", "compiled_under")
    yield Row("versions", None, None, versions, "", "numbers_belong_to_versions")


def _gpu_ms(given: Given, kernels: int) -> float:
    """The lesson's time of the GPU: reading the bytes, and a fixed time for each kernel."""
    return given.bytes_read / given.bandwidth * 1e3 + kernels * given.empty_us / 1e3


def _launch_why(us: float) -> str:
    low, high = LAUNCH_US
    return "launch_cheaper" if us < low else "launch_dearer" if us > high else "as_expected"


def _row(
    item: str, expected: list[int] | list[float], measured: float, unit: str, more: str, less: str
) -> Row:
    row = Row(item, expected[0], expected[-1], measured, unit, "as_expected")
    ratio = row.ratio or 1.0
    why = more if ratio > AS_EXPECTED else less if ratio < 1 / AS_EXPECTED else "as_expected"
    return Row(item, expected[0], expected[-1], measured, unit, why)
