"""Why fusing three operations gives the speed-up that was measured: conclusions from the numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.measure.events import Finding
from labs.kit.ceilings import Limits
from labs.kit.traffic import Operands

MODEL = 3.0
"""Six transfers against two."""
_NEAR = 0.1
"""A speed-up within a tenth of the model's is called as modelled."""
_SLOW_BELOW = 0.9
"""An operation under nine tenths of the copy's speed is named as slower than its traffic."""
_OVER = 1.03
"""Above the measured ceiling by more than its own spread: something was counted or timed wrong."""


@dataclass(frozen=True, slots=True)
class Took:
    """A variant's time and what it reached by the traffic counted (B/s)."""

    ms: float
    bandwidth: float
    issue_ms: float | None = None
    """What the CPU needs to issue one call (GPU only)."""


@dataclass(frozen=True, slots=True)
class Case:
    """What was measured of one size and kind of operands."""

    side: int
    operands: Operands
    tensor_bytes: int
    variants: Mapping[str, Took]
    operations: Mapping[str, Took] = field(default_factory=dict)
    """Each of eager's operations alone; only at the main size."""

    @property
    def best(self) -> str | None:
        """The fastest fused variant."""
        fused = [name for name in self.variants if name != "eager"]
        return min(fused, key=lambda name: self.variants[name].ms) if fused else None

    def speedup(self, variant: str) -> float:
        return self.variants["eager"].ms / self.variants[variant].ms


def cached(tensor_bytes: int, limits: Limits) -> bool:
    """Whether an intermediate of that size may still be in the cache when the next operation reads it."""
    return tensor_bytes <= 2 * limits.cache_bytes


def explain(case: Case, limits: Limits, slack: Mapping[str, Took]) -> Iterator[Finding]:
    """Findings on the main case. `slack` holds experiments on the fused kernel: `without_gelu`, …"""
    best = case.best
    if best is None:
        return
    speedup = case.speedup(best)
    fused = case.variants[best]
    verdict = "above" if speedup > MODEL * (1 + _NEAR) else "below" if speedup < MODEL * (1 - _NEAR) else "as"
    yield Finding(
        f"speedup_{verdict}_model",
        {
            "operands": case.operands,
            "variant": best,
            "speedup": round(speedup, 2),
            "eager_ms": case.variants["eager"].ms,
            "fused_ms": fused.ms,
            "model": MODEL,
        },
    )
    yield from _slow_operations(case, limits)
    yield from _shortfall(case, limits, best, slack)


def _slow_operations(case: Case, limits: Limits) -> Iterator[Finding]:
    """Eager's operations that take longer than their traffic would at the speed of a copy."""
    if cached(case.tensor_bytes, limits):
        return
    for name, took in case.operations.items():
        share = took.bandwidth / limits.copy
        if share < _SLOW_BELOW:
            yield Finding(
                f"slow_{name}",
                {
                    "operands": case.operands,
                    "ms": took.ms,
                    "bandwidth": took.bandwidth / 1e9,
                    "share": 100 * share,
                    "copy_ms": took.ms * share,
                },
            )


def _shortfall(case: Case, limits: Limits, best: str, slack: Mapping[str, Took]) -> Iterator[Finding]:
    """Why a fused kernel stays below a copy's speed, by the same kernel with less to compute."""
    for name, took in case.variants.items():
        if name == "eager":
            continue
        share = took.bandwidth / limits.copy
        bare = slack.get("without_gelu")
        if share < _SLOW_BELOW and bare is not None and took.ms > 1.1 * bare.ms:
            yield Finding(
                "gelu_limits_fused",
                {
                    "variant": name,
                    "operands": case.operands,
                    "share": 100 * share,
                    "ms": took.ms,
                    "without_ms": bare.ms,
                },
            )
        elif name == best:
            yield Finding(
                "fused_near_copy" if share >= _SLOW_BELOW else "fused_below_copy",
                {
                    "variant": name,
                    "operands": case.operands,
                    "share": 100 * share,
                    "bandwidth": took.bandwidth / 1e9,
                },
            )
    library, short = slack.get("library_erf"), slack.get("short_erf")
    if library is not None and short is not None and library.ms > 1.05 * short.ms:
        yield Finding(
            "erf_costs_instructions",
            {"operands": case.operands, "library_ms": library.ms, "short_ms": short.ms},
        )


def over_ceiling(case: Case, limits: Limits) -> Iterator[Finding]:
    """More than the measured copy although nothing of it can be in the cache: a fault of the measurement."""
    if case.tensor_bytes < 4 * limits.cache_bytes:
        return
    for name, took in case.variants.items():
        share = took.bandwidth / limits.copy
        if share > _OVER:
            yield Finding(
                "over_ceiling",
                {"variant": name, "side": case.side, "operands": case.operands, "share": 100 * share},
            )


def across_sizes(cases: list[Case], limits: Limits) -> Iterator[Finding]:
    """What the series of sizes shows: the cache's part and the launches' part."""
    for operands in dict.fromkeys(case.operands for case in cases):
        row = sorted(
            (case for case in cases if case.operands == operands and case.best is not None),
            key=lambda case: case.side,
        )
        big = [case for case in row if case.tensor_bytes >= 4 * limits.cache_bytes]
        small = [case for case in row if case.tensor_bytes < limits.cache_bytes]
        if small and big:
            yield from _small_against_large(small, big[-1], limits)
    waiting = [
        (case, took)
        for case in cases
        if (took := case.variants.get("eager")) and took.issue_ms is not None and took.issue_ms > took.ms
    ]
    if waiting:
        case, took = max(waiting, key=lambda pair: pair[0].tensor_bytes)
        yield Finding(
            "launch_bound_up_to",
            {"side": case.side, "issue_us": (took.issue_ms or 0.0) * 1e3, "gpu_us": took.ms * 1e3},
        )


def _small_against_large(small: list[Case], large: Case, limits: Limits) -> Iterator[Finding]:
    """What is different where tensors fit into the cache: eager's intermediates stay there, or kernels are
    over before they fill the GPU."""
    best = large.best or ""
    for case in reversed(small):
        gain = case.variants["eager"].bandwidth / large.variants["eager"].bandwidth
        if gain > 1 + _NEAR:
            yield Finding(
                "cache_holds_intermediates",
                {
                    "side": case.side,
                    "operands": case.operands,
                    "tensor_mb": case.tensor_bytes / 1e6,
                    "cache_mb": limits.cache_bytes / 1e6,
                    "times": round(gain, 2),
                    "speedup": round(case.speedup(case.best or best), 2),
                    "large_side": large.side,
                    "large_speedup": round(large.speedup(best), 2),
                },
            )
            break
    first = small[0]
    fused = first.variants[first.best or best]
    if fused.bandwidth < (1 - 2 * _NEAR) * large.variants[best].bandwidth:
        yield Finding(
            "too_short_to_fill",
            {
                "side": first.side,
                "operands": first.operands,
                "us": fused.ms * 1e3,
                "share": 100 * fused.bandwidth / limits.copy,
                "large_share": 100 * large.variants[best].bandwidth / limits.copy,
                "speedup": round(first.speedup(first.best or best), 2),
            },
        )


def still_memory_bound(intensity: float, limits: Limits, gelu: str, flop_per_element: int) -> Finding:
    """The fused kernel's intensity beside this device's ridge point."""
    ridge = limits.ridge_datasheet or limits.ridge_measured
    return Finding(
        "still_memory_bound" if intensity < ridge else "compute_bound",
        {
            "intensity": round(intensity, 3),
            "ridge": round(ridge, 1),
            "ridge_measured": round(limits.ridge_measured, 1),
            "ceiling": "datasheet" if limits.ridge_datasheet else "measured",
            "gelu": gelu,
            "flop": flop_per_element,
        },
    )
