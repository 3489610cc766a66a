"""What the reports say of the card's sentences, one verdict each, for this GPU and this version of ncu."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.measure.events import Finding
from labs.kit.ncu_report import Report
from labs.kit.speed_of_light import Counted, Predicted, Roof

NEAR_POINTS = 10.0
"""Percentage points up to which a prediction of the memory throughput counts as right."""
CACHED_PERCENT = 50.0
"""From this L2 hit rate on, much of what was counted never came from memory."""
SAME_DURATION = 1.2
"""Up to this ratio the duration under ncu is the kernel's own."""
AT_LIMIT = 0.85
"""From this share of the predicted memory throughput on, a kernel is at its limit."""
LOW_OCCUPANCY = 50.0
APART_POINTS = 5.0
"""Points from which on DRAM and "memory" throughput are called different."""


@dataclass(slots=True)
class Seen:
    """A case: on paper, by its own time (ms, outside ncu), and in the reports by set."""

    name: str
    batch: int
    counted: Counted
    predicted: Predicted
    own_ms: float
    kernels: int
    reports: dict[str, Report] = field(default_factory=dict)

    @property
    def own_us(self) -> float:
        return self.own_ms * 1e3


@dataclass(frozen=True, slots=True)
class Machine:
    """What the verdicts are about."""

    roof: Roof
    l2_bytes: int
    ncu: str
    sm_mhz: int | None
    """The clock that was read outside ncu while the kernels were timed."""


def of_prediction(case: Seen, roof: Roof) -> Finding:
    """What the roofline says of a case, before any report is opened."""
    return Finding(
        "predicted",
        {
            "kernel": case.name,
            "intensity": round(case.counted.intensity, 3),
            "ridge": round(roof.ridge, 1),
            "limit": case.predicted.limit,
            "memory": case.predicted.memory,
            "compute": case.predicted.compute,
            "us": case.predicted.seconds * 1e6,
        },
    )


def of_reports(cases: Mapping[str, Seen], machine: Machine) -> Iterator[Finding]:
    """The verdicts that a report is needed for."""
    gemv = cases["gemv"]
    for case in cases.values():
        if "basic" in case.reports:
            for finding in _prediction(case, case.reports["basic"]):
                # the table shows all pairs: of the others only what is off, or limited otherwise, needs words
                if case is gemv or finding.code != "prediction_held":
                    yield finding
    yield from _passes(gemv, machine)
    yield from _duration(gemv, machine)
    for report in (gemv.reports.get("full"), gemv.reports.get("basic")):
        if report is not None:
            yield from _limit(gemv, report)
            yield from _occupancy(gemv, report)
            yield from _cache(gemv, report, machine)
            return


def _prediction(case: Seen, report: Report) -> Iterator[Finding]:
    if report.memory is None or report.compute is None:
        return
    points = report.memory - case.predicted.memory
    args: dict[str, str | int | float | bool | None] = {
        "kernel": case.name,
        "predicted": case.predicted.memory,
        "measured": report.memory,
        "points": round(abs(points), 1),
        "compute": report.compute,
        "predicted_compute": case.predicted.compute,
        "us": (report.duration_s or 0.0) * 1e6,
        "predicted_us": case.predicted.seconds * 1e6,
    }
    if case.predicted.limit == "compute":
        right = report.compute > (report.dram or 0.0)
        mhz = None if report.sm_hz is None else round(report.sm_hz / 1e6)
        yield Finding(
            "compute_limit_held" if right else "compute_limit_off", args | {"dram": report.dram, "mhz": mhz}
        )
    elif abs(points) <= NEAR_POINTS:
        yield Finding("prediction_held", args)
    elif report.l2_hit is not None and report.l2_hit >= CACHED_PERCENT:
        yield Finding("prediction_off_cache", args | {"l2_hit": report.l2_hit})
    else:
        code = "prediction_off_slow" if points < 0 else "prediction_off_fast"
        yield Finding(code, args | {"dram": report.dram, "occupancy": report.achieved})


def _passes(gemv: Seen, machine: Machine) -> Iterator[Finding]:
    counts = {name: report.passes for name, report in gemv.reports.items()}
    if all(counts.get(name) for name in ("basic", "full")):
        yield Finding("passes", {"basic": counts["basic"], "full": counts["full"], "version": machine.ncu})


def _duration(gemv: Seen, machine: Machine) -> Iterator[Finding]:
    basic, full = gemv.reports.get("basic"), gemv.reports.get("full")
    if basic is not None and basic.duration_s is not None:
        ratio = basic.duration_s * 1e6 / gemv.own_us
        yield Finding(
            "duration_as_outside" if ratio <= SAME_DURATION else "duration_longer",
            {
                "ncu_us": basic.duration_s * 1e6,
                "own_us": gemv.own_us,
                "ratio": round(ratio, 2),
                "version": machine.ncu,
            },
        )
    if full is not None and full.wall_s is not None and full.passes:
        yield Finding(
            "replay_wall",
            {
                "passes": full.passes,
                "wall_ms": full.wall_s * 1e3,
                "own_us": gemv.own_us,
                "times": round(full.wall_s * 1e6 / gemv.own_us),
            },
        )
    clocked = [report.sm_hz for report in gemv.reports.values() if report.sm_hz]
    if clocked:
        yield Finding("clocks_alone", {"mhz": round(clocked[-1] / 1e6), "own_mhz": machine.sm_mhz})


def _limit(gemv: Seen, report: Report) -> Iterator[Finding]:
    if report.memory is None or report.compute is None or report.dram is None:
        return
    near = report.memory >= AT_LIMIT * gemv.predicted.memory
    yield Finding(
        "at_memory_limit" if near else "below_memory_limit",
        {"memory": report.memory, "compute": report.compute, "predicted": gemv.predicted.memory},
    )
    yield Finding(
        "memory_is_dram" if abs(report.memory - report.dram) < APART_POINTS else "memory_is_not_dram",
        {"memory": report.memory, "dram": report.dram},
    )
    yield Finding(
        "compute_counts_instructions", {"compute": report.compute, "predicted": gemv.predicted.compute}
    )


def _occupancy(gemv: Seen, report: Report) -> Iterator[Finding]:
    if report.achieved is None or report.memory is None:
        return
    low = report.achieved < LOW_OCCUPANCY
    near = report.memory >= AT_LIMIT * gemv.predicted.memory
    code = (
        "low_occupancy_at_limit"
        if low and near
        else "low_occupancy_off_limit"
        if low
        else "occupancy_not_low"
    )
    yield Finding(
        code,
        {
            "achieved": report.achieved,
            "theoretical": report.theoretical,
            "registers": report.registers,
            "block": report.block,
            "memory": report.memory,
        },
    )


def _cache(gemv: Seen, report: Report, machine: Machine) -> Iterator[Finding]:
    if report.l2_hit is None:
        return
    yield Finding(
        "l2_hit_low" if report.l2_hit < CACHED_PERCENT else "l2_hit_high",
        {"hit": report.l2_hit, "mb": gemv.counted.bytes / 1e6, "cache_mb": machine.l2_bytes / 1e6},
    )


def of_batch(gemv: Seen, gemm: Seen) -> Finding:
    """What more tokens for each reading of the weights buy."""
    times = gemm.batch * gemv.own_ms / gemm.own_ms
    return Finding(
        "more_tokens_a_read" if times > 0.7 * gemm.batch else "more_tokens_cost",
        {
            "batch": gemm.batch,
            "us": gemv.own_us,
            "batch_us": gemm.own_us,
            "times": round(times, 1),
            "intensity": round(gemm.counted.intensity, 1),
        },
    )
