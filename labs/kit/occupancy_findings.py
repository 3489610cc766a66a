"""What a sweep of block sizes shows: where more resident warps buy something, and where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.measure.events import Finding
from labs.kit.occupancy_sweep import Point

CARD_OCCUPANCY = 0.25
"""The achieved occupancy of the card's kernel."""
NO_GAIN = 1.1
"""Up to this ratio of times a change has bought nothing."""


def of_block_sizes(points: Sequence[Point]) -> Iterator[Finding]:
    """The colleague's advice: other block sizes, as many blocks as fit."""
    gemv = [point for point in points if point.kernel == "gemv" and point.fills]
    if len(gemv) < 2:
        return
    fastest = min(gemv, key=lambda point: point.timing.median_ms)
    slowest = max(gemv, key=lambda point: point.timing.median_ms)
    gain = slowest.timing.median_ms / fastest.timing.median_ms
    yield Finding(
        "block_size_buys_nothing" if gain <= NO_GAIN else "block_size_buys",
        {
            "from_block": min(point.geometry.block for point in gemv),
            "to_block": max(point.geometry.block for point in gemv),
            "best_block": fastest.geometry.block,
            "worst_block": slowest.geometry.block,
            "percent": round(100 * (gain - 1), 1),
            "gbs": fastest.bandwidth / 1e9,
        },
    )


def of_occupancy(points: Sequence[Point]) -> Iterator[Finding]:
    """For each kernel: from the occupancy of the card to the best, and from where on more buys nothing."""
    for name in dict.fromkeys(point.kernel for point in points):
        own = [point for point in points if point.kernel == name]
        at_card = at(own, CARD_OCCUPANCY)
        low, best = min(own, key=lambda point: point.resident), max(own, key=lambda point: point.bandwidth)
        if at_card is None:
            continue
        gain = best.bandwidth / at_card.bandwidth
        knee = min(
            (point for point in own if point.bandwidth * NO_GAIN >= best.bandwidth),
            key=lambda point: point.resident,
        )
        yield Finding(
            "occupancy_buys_nothing" if gain <= NO_GAIN else "occupancy_buys",
            {
                "kernel": f"swept_{name}",
                "times": round(gain, 2),
                "occupancy": 100 * at_card.resident,
                "best_occupancy": 100 * best.resident,
                "gbs": at_card.bandwidth / 1e9,
                "best_gbs": best.bandwidth / 1e9,
                "knee": 100 * knee.resident,
                "lowest": 100 * low.resident,
                "from_lowest": round(best.bandwidth / low.bandwidth, 1),
            },
        )


def at(points: Sequence[Point], resident: float) -> Point | None:
    """The point at that occupancy, one block on each multiprocessor before more; None where there is none."""
    near = [point for point in points if abs(point.resident - resident) < 0.01]
    return min(near, key=lambda point: point.geometry.blocks, default=None)
