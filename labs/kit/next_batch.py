"""Which batch to take next on the way to the one at which the gap closes."""

from __future__ import annotations

from collections.abc import Sequence

from labs.kit.gap_findings import CLOSED_FROM, Point

LEAST, MOST = 4, 32
"""The next batch is at least and at most so many times the last one."""
LARGEST = 16384


def next_batch(points: Sequence[Point]) -> int:
    """The power of two at which the GPU's work, growing as between the last two points, fills the CPU's time.

    0 where that would be larger than `LARGEST`.
    """
    before, last = points[-2:]
    growth = (last.busy_ms - before.busy_ms) / (last.size - before.size)
    missing = max(last.cpu_ms, last.ms) / CLOSED_FROM - last.busy_ms
    wanted = last.size + missing / growth if growth > 0 else float("inf")
    batch = min(max(wanted, LEAST * last.size), MOST * last.size)
    power = 1
    while power < batch:
        power *= 2
    return power if power <= LARGEST else 0
