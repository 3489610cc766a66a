"""What the roofline lab's numbers say: conclusions from the numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.measure.device import Device
from engine.measure.events import Finding, Scalar
from engine.measure.specs import Spec, spec
from labs.kit.ceilings import Limits

AGREES = 0.02
"""The lab's copy and the best of the independent ways are told to agree within this share."""
_BUS_AGREES = 0.05
"""As in `engine.measure.specs.disagreement`."""
SAME_TIME = 1.25
"""Up to this times batch 1's time a larger batch counts as taking the same."""
_OVER = 1.05
_FAR_BELOW = 0.5
_SLOW_DTYPE = 0.25
_MOSTLY_READ = 0.9
_DOCUMENT_T4, _DOCUMENT_H100 = 153, 295
"""Ridge points as the study documents name them."""


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel as measured: FLOP per byte, FLOP/s, and the share of its bytes that is read."""

    kernel: str
    batch: int | None
    intensity: float
    rate: float
    ms: float
    reads: float = 1.0
    labels: Mapping[str, Scalar] = field(default_factory=dict)

    def share(self, limits: Limits) -> float:
        """Of the most it could reach at its intensity.

        Where nearly all bytes are read, the slope is what reading reaches, where that is more than a copy.
        """
        slope = max(limits.copy, limits.read) if self.reads > _MOSTLY_READ else limits.copy
        return self.rate / min(self.intensity * slope, limits.matmul)


def copy_checked(copy: float, ways: Mapping[str, float]) -> Finding:
    """Whether the copy that labs are set against is what independent copies reach, too (B/s)."""
    best = max(ways, key=lambda way: ways[way])
    off = copy / ways[best] - 1
    return Finding(
        "copy_agrees" if abs(off) <= AGREES else "copy_disagrees",
        {"copy": copy / 1e9, "way": best, "best": ways[best] / 1e9, "off": 100 * off, "ways": len(ways)},
    )


def bandwidth_against(copy: float, row: Spec | None, device: Device) -> Iterator[Finding]:
    """The copy against what the datasheet and the memory's own clock promise."""
    bus = device.bus_bandwidth
    if row is None:
        if device.type == "cuda":
            yield Finding("no_datasheet", {"name": device.name})
        if bus:
            yield Finding("copy_of_bus", {"copy": copy / 1e9, "bus": bus / 1e9, "share": 100 * copy / bus})
        return
    if bus:
        off = bus / row.bandwidth - 1
        yield Finding(
            "bus_agrees" if abs(off) <= _BUS_AGREES else "bus_disagrees",
            {
                "clock": device.memory_clock_mhz,
                "bits": device.bus_width_bits,
                "bus": bus / 1e9,
                "datasheet": row.bandwidth / 1e9,
                "off": 100 * off,
            },
        )
    yield Finding(
        "copy_of_datasheet",
        {"copy": copy / 1e9, "datasheet": row.bandwidth / 1e9, "share": 100 * copy / row.bandwidth},
    )


def cache_against(cached: float, memory: float, cache_bytes: int) -> Finding:
    """Reading a working set that stays in the last cache, against reading it from memory (B/s)."""
    return Finding(
        "cache_gives" if cached > 1.2 * memory else "cache_gives_little",
        {
            "cached": cached / 1e9,
            "memory": memory / 1e9,
            "times": cached / memory,
            "cache_mb": cache_bytes / 1e6,
        },
    )


def rates_against(rates: Mapping[str, Mapping[int, float]], limits: Limits) -> Iterator[Finding]:
    """Matrix rates by dtype and side (FLOP/s): sizes, dtypes, the datasheet."""
    own = rates[limits.dtype]
    best_side = max(own, key=lambda side: own[side])
    small = min(own)
    if own[small] < _FAR_BELOW * own[best_side]:
        yield Finding(
            "small_matrices_slow",
            {
                "dtype": limits.dtype,
                "side": small,
                "rate": own[small] / 1e12,
                "best_side": best_side,
                "best": own[best_side] / 1e12,
                "share": 100 * own[small] / own[best_side],
            },
        )
    if limits.peak:
        yield Finding(
            "rate_of_datasheet",
            {
                "dtype": limits.dtype,
                "rate": limits.matmul / 1e12,
                "peak": limits.peak / 1e12,
                "share": 100 * limits.matmul / limits.peak,
                "source": limits.source,
            },
        )
    wide = max(rates["fp32"].values())
    for dtype, by_side in rates.items():
        if dtype != "fp32" and max(by_side.values()) < _SLOW_DTYPE * wide:
            yield Finding(
                "slow_dtype",
                {"dtype": dtype, "rate": max(by_side.values()) / 1e12, "fp32": wide / 1e12},
            )
    fast = {dtype: max(by_side.values()) for dtype, by_side in rates.items()}
    quickest = max(fast, key=lambda dtype: fast[dtype])
    if quickest != limits.dtype and fast[quickest] > 1.2 * limits.matmul:
        yield Finding(
            "narrower_is_faster",
            {"dtype": quickest, "times": fast[quickest] / limits.matmul, "than": limits.dtype},
        )


def ridge(limits: Limits) -> Iterator[Finding]:
    """Where this device's two ceilings meet, beside those that the documents name."""
    sheet = limits.ridge_datasheet
    args: dict[str, Scalar] = {
        "ridge": limits.ridge_measured,
        "dtype": limits.dtype,
        "rate": limits.matmul / 1e12,
        "copy": limits.copy / 1e9,
    }
    if sheet:
        yield Finding("ridge_both", {**args, "datasheet": sheet})
    else:
        yield Finding("ridge_measured", args)
    t4, h100 = spec("t4"), spec("h100-sxm")
    if t4 and h100:
        yield Finding(
            "ridge_elsewhere",
            {
                "t4_said": _DOCUMENT_T4,
                "t4": t4.peak_fp16 / t4.bandwidth,
                "t4_rate": _DOCUMENT_T4 * t4.bandwidth / 1e12,
                "h100_said": _DOCUMENT_H100,
                "h100": (h100.peak_bf16 or 0.0) / h100.bandwidth,
            },
        )


def products_said(own: Sequence[Point], limits: Limits) -> Iterator[Finding]:
    """What a larger batch costs, and from where the matrix product is on the flat part of the roof.

    `own` are the products in order of batch.
    """
    if len(own) < 2:
        return
    first = own[0]
    free = same_time_up_to(own)
    if free is first:
        yield Finding("batch_costs_at_once", {"batch": own[1].batch, "ms": own[1].ms, "first_ms": first.ms})
    else:
        yield Finding(
            "batch_is_free",
            {
                "batch": free.batch,
                "ms": free.ms,
                "first_ms": first.ms,
                "intensity": free.intensity,
                "times": free.rate / first.rate,
            },
        )
    crossed = batch_at(own, limits.ridge_measured)
    if crossed is None:
        yield Finding("ridge_not_reached", {"batch": own[-1].batch, "intensity": own[-1].intensity})
    else:
        yield Finding(
            "ridge_reached",
            {"batch": crossed.batch, "intensity": crossed.intensity, "share": 100 * crossed.share(limits)},
        )
    low = min(own, key=lambda point: point.share(limits))
    if low.share(limits) < _FAR_BELOW:
        yield Finding(
            "product_below_roof", {"batch": low.batch, "share": 100 * low.share(limits), "ms": low.ms}
        )


def same_time_up_to(products: Sequence[Point]) -> Point:
    """The largest batch in a row that takes about batch 1's time; `products` in order of batch."""
    free = products[0]
    for point in products:
        if point.ms > SAME_TIME * products[0].ms:
            break
        free = point
    return free


def batch_at(products: Sequence[Point], at: float) -> Point | None:
    """The smallest batch measured whose intensity lies above the ridge point."""
    return next((point for point in products if point.intensity > at), None)


def others_said(points: Sequence[Point], limits: Limits) -> Iterator[Finding]:
    """Attention and elementwise work: their intensity doesn't grow with the batch."""
    attention = [p for p in points if p.kernel == "attention"]
    if attention:
        first, last = attention[0], attention[-1]
        yield Finding(
            "attention_keeps_intensity",
            {
                "intensity": first.intensity,
                "batch": last.batch,
                "last_intensity": last.intensity,
                "share": 100 * first.share(limits),
                "last_share": 100 * last.share(limits),
            },
        )
    single = [p for p in points if p.batch is None]
    if single:
        high = max(single, key=lambda p: p.intensity)
        low = min(single, key=lambda p: p.intensity)
        yield Finding(
            "elementwise_far_from_ridge",
            {
                "low": low.intensity,
                "high": high.intensity,
                "ridge": limits.ridge_measured,
                "times": limits.ridge_measured / high.intensity,
                "share": 100 * max(point.share(limits) for point in single),
            },
        )


def over_roof(points: Sequence[Point], limits: Limits) -> Iterator[Finding]:
    """More than the roof allows is a fault of the measurement; the worst point is named."""
    over = [point for point in points if point.share(limits) > _OVER]
    if over:
        worst = max(over, key=lambda point: point.share(limits))
        yield Finding(
            "over_roof",
            {
                "kernel": worst.kernel,
                "intensity": worst.intensity,
                "share": 100 * worst.share(limits),
                "count": len(over),
            },
        )
