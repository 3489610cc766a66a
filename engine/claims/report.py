"""The report that ends the lesson's week: floor, first token, each further token, kernels, gaps, fixes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.claims.evidence import Results, only_on
from engine.claims.record import Machine
from engine.measure.events import Finding, Metric, Scalar
from engine.measure.results import Result

DECODE_LAB, GAPS_LAB, LAUNCH_LAB = "mbu_floor", "decode_gaps", "launch_overhead"
KERNEL_SERIES = "slowest_kernels"
FIRST_MODE = "eager"
MOST_KERNELS = 5


@dataclass(frozen=True, slots=True)
class Kernel:
    """One of the kernels that take most time: a step's microseconds, and percent of the GPU's time."""

    name: str
    part: str
    count: float
    us: float
    share: float


@dataclass(frozen=True, slots=True)
class Fix:
    """A step of the ladder: one thing changed, measured again. `change` is against the step before it,
    `of_first` against the first, both measured ÷ before; `mbu` in percent of the datasheet's bandwidth."""

    lab: str
    mode: str
    weights: str
    ms: float
    change: float | None
    of_first: float
    mbu: float | None

    @property
    def key(self) -> str:
        """Names the step for notes."""
        return f"report/{self.lab}/{self.mode}/{self.weights}"


@dataclass(frozen=True, slots=True)
class Report:
    """Of one model on one GPU at batch 1. Times in ms, shares in percent; None where it wasn't measured."""

    model: str
    floor: float | None
    floor_measured: float | None
    first_token: float | None
    per_token: float | None
    gap_share: float | None
    kernels: tuple[Kernel, ...]
    fixes: tuple[Fix, ...]
    findings: tuple[tuple[str, Finding], ...]
    results: tuple[Result, ...]

    @property
    def ratio(self) -> float | None:
        """Time per output token ÷ floor."""
        return None if not self.floor or self.per_token is None else self.per_token / self.floor

    @property
    def first_ratio(self) -> float | None:
        """Time to first token ÷ time per output token."""
        return None if not self.per_token or self.first_token is None else self.first_token / self.per_token


def models(machine: Machine, results: Results) -> tuple[str, ...]:
    """The models that decode was measured of on that GPU, those with gaps and kernels first."""
    there = only_on(results, machine.hardware)
    found: dict[str, None] = {}
    for lab in (GAPS_LAB, DECODE_LAB):
        for result in _all(there, lab):
            for metric in result.metrics:
                if metric.name == "ms_per_token" and isinstance(metric.labels.get("model"), str):
                    found[str(metric.labels["model"])] = None
    return tuple(found)


def report(machine: Machine, results: Results, model: str) -> Report:
    """What the newest results of the labs say of a model on that GPU."""
    there = only_on(results, machine.hardware)
    decode, gaps, launches = (_of_model(there, lab, model) for lab in (DECODE_LAB, GAPS_LAB, LAUNCH_LAB))
    used = tuple(result for result in (decode, gaps, launches) if result is not None)
    per_token = _value(decode, "ms_per_token", model, mode=FIRST_MODE)
    busy = _value(decode, "busy_ratio", model, mode=FIRST_MODE, profiler="off")
    gap_share = _value(gaps, "gap_share", model, mode=FIRST_MODE, batch=1)
    return Report(
        model=model,
        floor=_value(decode, "floor", model, ceiling="datasheet"),
        floor_measured=_value(decode, "floor", model, ceiling="measured"),
        first_token=_value(decode, "first_token", model, mode=FIRST_MODE),
        per_token=_value(gaps, "ms_per_token", model, mode=FIRST_MODE) if per_token is None else per_token,
        gap_share=gap_share if gap_share is not None or busy is None else 100 - busy,
        kernels=_kernels(gaps),
        fixes=(*_fixes(decode, model), *_fixes(launches, model)),
        findings=tuple((result.lab, finding) for result in used for finding in result.findings),
        results=used,
    )


def _all(results: Results, lab: str) -> Iterable[Result]:
    """Here before elsewhere before recorded, each newest first."""
    for source in results.by_origin().values():
        yield from source(lab)


def _of_model(results: Results, lab: str, model: str) -> Result | None:
    return next((result for result in _all(results, lab) if any(_steps(result, model))), None)


def _steps(result: Result, model: str) -> Iterable[Metric]:
    """The decode steps of the model at batch 1, in the order measured."""
    for metric in result.metrics:
        labels = metric.labels
        if (
            metric.name == "ms_per_token"
            and labels.get("model") == model
            and labels.get("batch", 1) == 1
            and metric.value > 0  # a step of no time at all wasn't measured
        ):
            yield metric


def _value(result: Result | None, name: str, model: str, **labels: Scalar) -> float | None:
    """The first such metric of the model at batch 1; a label that the metric lacks is no matter."""
    for metric in () if result is None else result.metrics:
        wanted = {"model": model, "batch": 1, **labels}
        if metric.name == name and all(
            metric.labels.get(label, value) == value for label, value in wanted.items()
        ):
            return metric.value
    return None


def _kernels(result: Result | None) -> tuple[Kernel, ...]:
    series = next((each for each in result.series if each.name == KERNEL_SERIES), None) if result else None
    if series is None:
        return ()
    rows = [dict(zip(series.columns, row, strict=True)) for row in series.rows[:MOST_KERNELS]]
    return tuple(
        Kernel(
            name=str(row.get("kernel") or ""),
            part=str(row.get("part") or ""),
            count=float(row.get("count") or 0),
            us=float(row.get("time_per_step") or 0),
            share=float(row.get("share") or 0),
        )
        for row in rows
    )


def _fixes(result: Result | None, model: str) -> Iterable[Fix]:
    if result is None:
        return
    first = before = None
    for metric in _steps(result, model):
        mode, weights = str(metric.labels.get("mode", "")), str(metric.labels.get("weights", ""))
        mbu = next(
            (
                other.value
                for other in result.metrics
                if other.name == "mbu"
                and other.labels.get("ceiling") == "datasheet"
                and all(other.labels.get(name) == value for name, value in metric.labels.items())
            ),
            None,
        )
        fix = Fix(result.lab, mode, weights, metric.value, None, 1.0, mbu)
        if first is not None and before is not None:
            fix = replace(fix, change=metric.value / before, of_first=metric.value / first)
        first, before = first or metric.value, metric.value
        yield fix
