"""What a run of the ladder holds, and how it reports: the floor, and each rung against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.measure.events import Metric, Scalar
from labs.kit.ceilings import Limits
from labs.kit.clocks import ClockWatch
from labs.kit.decode import Agreement
from labs.kit.decode_findings import Decoded
from labs.kit.decode_timing import LoopTime
from labs.kit.kernels import GpuTime
from labs.kit.lab import Bench
from labs.kit.models import StepBytes
from labs.kit.others import OtherLoad
from labs.kit.steps import Steps
from labs.kit.timing import Timing


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """How many tokens each part takes."""

    prompt: int
    checked: int
    timed: int
    profiled: int

    @property
    def capacity(self) -> int:
        """Tokens that the longest part needs; the warm-up takes up to 16, the loops skip two."""
        return self.prompt + max(self.checked, self.timed + 2, self.profiled + 2, 16)

    @property
    def context(self) -> int:
        """Tokens in the cache halfway through the timed steps."""
        return self.prompt + 2 + self.timed // 2


@dataclass(slots=True)
class DecodeSession:
    """`dtype` names the weights' type as loaded. `measured` holds the ceilings once they are known."""

    bench: Bench
    steps: Steps
    plan: DecodePlan
    model: Any
    model_name: str
    dtype: str
    batch: int
    clocks: ClockWatch
    others: OtherLoad
    told: set[str] = field(default_factory=set)
    """The kinds of weights whose bytes and floor have been reported."""
    measured: Limits | None = None

    @property
    def limits(self) -> Limits:
        """The ceilings. A first number is said before they are measured; a floor needs them."""
        if self.measured is None:
            raise RuntimeError("the ceilings have not been measured yet")
        return self.measured

    def labels(self, weights: str, mode: str | None = None, **more: Scalar) -> dict[str, Scalar]:
        labels: dict[str, Scalar] = {"model": self.model_name, "weights": weights, "batch": self.batch}
        return {**labels, **({"mode": mode} if mode else {}), **more}

    def report(
        self, name: str, value: float, unit: str, labels: dict[str, Scalar], spread: Timing | None = None
    ) -> None:
        given = {} if spread is None else {"samples": spread.samples}
        low, high = (spread.low_ms, spread.high_ms) if spread else (None, None)
        self.bench.emit(Metric(name=name, value=value, unit=unit, labels=labels, low=low, high=high, **given))

    def report_time(self, mode: str, weights: str, timing: Timing) -> None:
        """Time and rate of a token; said again later, the later word counts."""
        labels = self.labels(weights, mode)
        self.report("ms_per_token", timing.median_ms, "ms", labels, timing)
        self.report("tokens_per_second", 1e3 * self.batch / timing.median_ms, "token/s", labels)

    def floors(self, read: StepBytes) -> dict[str, float]:
        """Milliseconds that reading these bytes takes at each ceiling."""
        floors = {"measured": read.total / self.limits.reading * 1e3}
        if self.limits.datasheet:
            floors["datasheet"] = read.total / self.limits.datasheet * 1e3
        return floors

    def report_floor(self, weights: str, read: StepBytes) -> None:
        """Bytes and floor of a step with weights of this type, once for each type."""
        if weights in self.told:
            return
        self.told.add(weights)
        labels = self.labels(weights)
        self.report("bytes_per_step", read.total, "B", labels)
        self.report("weight_bytes", read.weights, "B", labels)
        self.report("kv_bytes", read.kv, "B", labels)
        floors = self.floors(read)
        for ceiling, ms in floors.items():
            self.report("floor", ms, "ms", self.labels(weights, ceiling=ceiling))
        self.bench.finding(
            "weights_floor" if "datasheet" in floors else "weights_floor_measured",
            model=self.model_name,
            weights=weights,
            gb=read.total / 1e9,
            bandwidth=self.limits.reading / 1e9,
            ms=floors["measured"],
            datasheet_ms=floors.get("datasheet"),
        )
        if read.weights < 2 * self.limits.cache_bytes:
            self.bench.finding(
                "weights_fit_cache", mb=read.weights / 1e6, cache_mb=self.limits.cache_bytes / 1e6
            )

    def report_rung(self, step: Decoded, loop: LoopTime, first: Timing, agrees: Agreement) -> None:
        """Everything measured of a rung but what compares it with others."""
        labels = self.labels(step.weights, step.mode)
        self.report_time(step.mode, step.weights, loop.timing)
        self.report("first_token", first.median_ms, "ms", labels, first)
        self.report("mbu", step.mbu_measured, "%", {**labels, "ceiling": "measured"})
        if step.mbu_datasheet is not None:
            self.report("mbu", step.mbu_datasheet, "%", {**labels, "ceiling": "datasheet"})
        self.report("agreement", 100 * agrees.same / agrees.tokens, "%", labels)
        self.report("logit_error", agrees.logit_error, "", labels)
        if agrees.ties:
            self.bench.finding("ties", mode=step.mode, ties=agrees.ties, tokens=agrees.tokens)
        if step.gpu is not None and step.busy_ratio is not None and step.busy_ms is not None:
            self._report_gpu(step.gpu, labels, busy_ms=step.busy_ms, busy=step.busy_ratio)
        self.bench.series(
            "modes",
            ["mode", "weights", "time", "floor_measured", "floor_datasheet", "mbu_measured", "mbu_datasheet"],
            [
                [
                    step.mode,
                    step.weights,
                    step.ms,
                    step.floor_ms,
                    step.floor_datasheet_ms,
                    step.mbu_measured,
                    step.mbu_datasheet,
                ]
            ],
            time="ms",
            floor_measured="ms",
            floor_datasheet="ms",
            mbu_measured="%",
            mbu_datasheet="%",
        )
        rows: list[list[Scalar]] = [
            [number, step.mode, ms] for number, ms in enumerate(loop.steps_ms, start=1)
        ]
        self.bench.series("steps", ["step", "mode", "time"], rows, time="ms")

    def report_speedups(self, done: Sequence[Decoded]) -> None:
        """How many times as fast as the rungs below each rung is."""
        for over in done:
            if over.mode not in ("eager", "reduce-overhead", "compiled", "best"):
                continue
            for step in done[done.index(over) + 1 :]:
                labels = self.labels(step.weights, step.mode, over=over.mode)
                self.report("speedup", over.ms / step.ms, "×", labels)

    def _report_gpu(self, gpu: GpuTime, labels: dict[str, Scalar], *, busy_ms: float, busy: float) -> None:
        self.report("kernels_per_step", gpu.kernels / gpu.steps, "", labels)
        self.report("launches_per_step", gpu.launches / gpu.steps, "", labels)
        self.report("busy_per_step", busy_ms, "ms", labels)
        self.report("busy_ratio", 100 * busy, "%", {**labels, "profiler": "off"})
        self.report("busy_ratio", 100 * gpu.busy_ratio, "%", {**labels, "profiler": "on"})
        self.report("profiled_step", gpu.wall_ms / gpu.steps, "ms", labels)
        self.report("gap", gpu.gap_p50_us, "us", {**labels, "percentile": 50})
        self.report("gap", gpu.gap_p90_us, "us", {**labels, "percentile": 90})
