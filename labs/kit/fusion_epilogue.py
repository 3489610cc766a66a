"""The case in which fusing changes what limits: bias and GELU in the epilogue of a matrix product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from engine.measure.events import Finding, Scalar
from labs.kit.ceilings import Limits
from labs.kit.epilogue import DEPTHS, FUSED, VARIANTS, Layer, Size, layer
from labs.kit.fusion_registers import report_resources, tile_in_registers
from labs.kit.kernel_resources import known, of_triton
from labs.kit.kernels import profile
from labs.kit.memory import free_bytes
from labs.kit.reference import TOLERANCE
from labs.kit.timing import time_calls
from labs.kit.traffic import Gelu
from labs.kit.triton_here import why_no_triton

if TYPE_CHECKING:
    from labs.kit.fusion_session import Session

_BUDGET_S = 0.06
_LARGEST = {"cuda": 8192, "cpu": 4096}
_PRODUCT = "product"
"""The product without bias and GELU: what the others add to it."""


@dataclass(frozen=True, slots=True)
class Depth:
    """What was measured at one depth: milliseconds by variant."""

    size: Size
    ms: Mapping[str, float]

    @property
    def best(self) -> str | None:
        """The fastest that writes nothing in between."""
        fused = [variant for variant in self.ms if variant in FUSED]
        return min(fused, key=lambda variant: self.ms[variant]) if fused else None

    def turns(self, ridge: float, gelu: Gelu) -> bool:
        """Whether the ridge point lies between the intensity apart and the intensity fused."""
        return self.size.intensity("apart", gelu) < ridge < self.size.intensity("fused", gelu)


def steps_of(device: str) -> int:
    """Steps that the epilogue takes."""
    return len(DEPTHS[device]) + 1


def measure_epilogue(session: Session) -> None:
    """Every variant over a row of depths: from a product that memory limits to one that arithmetic limits."""
    device = session.bench.device
    side = min(session.main_side, _LARGEST[device])
    variants = [variant for variant in VARIANTS[device] if _can(variant, side, session)]
    if 8 * side * side * session.item_bytes > free_bytes(device):
        session.steps.skip(steps_of(device))
        return
    session.steps.next("checking_epilogue")
    variants = _checked(session, variants, side)
    found: list[Depth] = []
    for depth in DEPTHS[device]:
        session.steps.next("timing_epilogue")
        found.append(_measure(session, variants, side, depth))
    for finding in said(found, session.limits, session.gelu):
        session.bench.emit(finding)


def said(found: list[Depth], limits: Limits, gelu: Gelu) -> Iterator[Finding]:
    """What the depths show: where the bound changes, and what the elementwise part costs in each form."""
    ridge = limits.ridge_measured
    turning = [depth for depth in found if depth.best and depth.turns(ridge, gelu)]
    if not turning:
        if found and found[0].best:
            yield Finding("epilogue_bound_stays", {"ridge": ridge, "depths": len(found)})
        return
    # the depth at which both lie about equally far from the ridge point
    depth = min(
        turning,
        key=lambda one: abs(one.size.intensity("apart", gelu) * one.size.intensity("fused", gelu) - ridge**2),
    )
    size, best = depth.size, depth.best or ""
    faster = depth.ms[best] < depth.ms["apart"]
    yield Finding(
        "epilogue_changes_bound" if faster else "epilogue_no_faster",
        {
            "depth": size.depth,
            "side": size.rows,
            "variant": best,
            "before": size.intensity("apart", gelu),
            "after": size.intensity("fused", gelu),
            "ridge": ridge,
            "before_ms": depth.ms["apart"],
            "after_ms": depth.ms[best],
            "speedup": depth.ms["apart"] / depth.ms[best],
        },
    )
    product = depth.ms[_PRODUCT]
    if faster and product < depth.ms["apart"]:
        yield Finding(
            "epilogue_costs_little",
            {
                "depth": size.depth,
                "product_ms": product,
                "apart_ms": depth.ms["apart"] - product,
                "epilogue_ms": max(0.0, depth.ms[best] - product),
                "share": 100 * (depth.ms["apart"] - product) / depth.ms["apart"],
                "variant": best,
            },
        )
    first, last = found[0], found[-1]
    if first.best and last.best:
        yield Finding(
            "epilogue_gain_by_depth",
            {
                "first": first.size.depth,
                "first_speedup": first.ms["apart"] / first.ms[first.best],
                "last": last.size.depth,
                "last_speedup": last.ms["apart"] / last.ms[last.best],
            },
        )


def _can(variant: str, side: int, session: Session) -> bool:
    if variant == "triton":
        from labs.kit.epilogue_triton import fits

        return why_no_triton() is None and fits(side, side, min(DEPTHS["cuda"]))
    # AMD's torch has no epilogue of that kind
    return variant != "cublaslt" or torch.version.hip is None


def _checked(session: Session, variants: list[str], side: int) -> list[str]:
    """The variants whose result agrees with float64 and that start as few kernels as they should."""
    good = []
    device, depth = session.bench.device, DEPTHS[session.bench.device][1]
    one = layer(
        side,
        depth,
        dtype=session.dtype,
        gelu=session.gelu,
        device=session.bench.device,
    )
    for variant in variants:
        try:
            error = one.relative_error(variant, one.function(variant)())
        except Exception as failure:  # an epilogue that this build lacks costs this variant alone
            if variant == "apart" or type(failure).__name__ == "OutOfMemoryError":
                raise
            text = (str(failure).strip() or type(failure).__name__).splitlines()[0]
            session.bench.finding("variant_failed", variant=variant, message=text[:300])
            continue
        tolerance = TOLERANCE[one.x.dtype]
        session.report("epilogue_error", error, "", _labels(session, one, variant))
        if not error <= tolerance:
            shown = {"error": f"{error:.2g}", "tolerance": f"{tolerance:g}"}
            session.bench.finding("variant_wrong", variant=variant, **shown)
            continue
        if device == "cuda":
            kernels = profile(one.function(variant), 1).kernels
            session.report("epilogue_kernels", kernels, "", _labels(session, one, variant))
            if variant in FUSED and kernels != 1:
                session.bench.finding("not_fused", variant=variant, kernels=kernels)
                continue
        good.append(variant)
    if "triton" in good and known(device):
        resources = of_triton(one.launched())
        report_resources(session, resources, _labels(session, one, "triton"))
        session.bench.emit(tile_in_registers(resources))
    return good


def _measure(session: Session, variants: list[str], side: int, depth: int) -> Depth:
    """Times the product alone and every variant at that depth, and sends the points."""
    device, limits = session.bench.device, session.limits
    one = layer(side, depth, dtype=session.dtype, gelu=session.gelu, device=device)
    size, taken = one.size, {}
    for variant in (_PRODUCT, *variants):
        with session.others.during():
            timing = time_calls([one.function(variant)], device=device, budget_s=_BUDGET_S)
        session.clocks.read()
        taken[variant] = timing.median_ms
        labels, seconds = _labels(session, one, variant), timing.median_ms / 1e3
        session.report_time("epilogue_time", timing, labels)
        if variant == _PRODUCT:
            continue
        intensity, rate = size.intensity(variant, session.gelu), size.flop(session.gelu) / seconds
        session.report("epilogue_intensity", intensity, "FLOP/B", labels)
        session.report("epilogue_rate", rate / 1e12, "TFLOP/s", labels)
        session.report("epilogue_bandwidth", size.bytes(variant) / seconds / 1e9, "GB/s", labels)
        session.report("epilogue_share_of_roof", 100 * rate / _roof(intensity, limits), "%", labels)
        session.report("epilogue_speedup", taken["apart"] / timing.median_ms, "×", labels)
        session.bench.series(
            "roofline",
            ("intensity", "rate", "variant", "depth", "dtype"),
            [[intensity, rate / 1e12, variant, depth, session.dtype]],
            intensity="FLOP/B",
            rate="TFLOP/s",
        )
        session.bench.series(
            "epilogue", ("depth", "variant", "time"), [[depth, variant, timing.median_ms]], time="ms"
        )
    return Depth(size=size, ms=taken)


def _roof(intensity: float, limits: Limits) -> float:
    return min(intensity * limits.copy, limits.matmul)


def _labels(session: Session, one: Layer, variant: str) -> dict[str, Scalar]:
    return {
        "rows": one.size.rows,
        "columns": one.size.columns,
        "depth": one.size.depth,
        "dtype": session.dtype,
        "gelu": one.gelu_of(variant),
        "variant": variant,
    }
