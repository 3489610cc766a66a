"""The teeth of a sawtooth of allocated bytes, and whether their floor climbs.

Teeth are the largest falls that come again and again: a tooth ends where the curve has fallen, from its last
peak, by at least half of the deepest fall; where fewer than eight do, by a quarter, and so on down to 1/64.
The climb of the floor is judged by the Mann-Kendall test, which asks only for order and so stands noise and
outliers (Mann 1945, Kendall 1975), and measured by the Theil-Sen slope, the median of all pairwise slopes
(Sen 1968), both over the lowest floors of groups of teeth: neighbouring teeth are not independent.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

WARM_UP = 0.25
"""The share of the teeth at the beginning that is left out: caches and workspaces are set up there."""
REPEATED = 8
MOST_POINTS = 24
"""The points that a test looks at: the teeth, or the lowest floor in each group of them."""
FEWEST = 5
CONFIDENT = 0.001
"""A trend by chance in one of a thousand. With fewer than eight teeth only an unbroken climb counts."""


@dataclass(frozen=True, slots=True)
class Climb:
    """What the floor does from tooth to tooth, after the warm-up. Bytes; `p` of the test for a climb."""

    per_tooth: float
    total: float
    p: float
    noise: float
    steady: bool
    """The climb stands out of the noise and goes on to the end."""


def troughs(curve: Sequence[int], *, repeated: int = REPEATED) -> list[int]:
    """The indices of the floors between the teeth; of the last tooth too, if the curve came down.

    Falls are taken as large as still come `repeated` times.
    """
    deepest = max((top - curve[at] for top, at in _falls(curve, 1)), default=0)
    found: list[tuple[int, int]] = []
    least = deepest
    while len(found) < repeated and least > deepest >> 6:
        least //= 2
        found = _falls(curve, max(1, least))
    return [at for _, at in found]


def _falls(curve: Sequence[int], least: int) -> list[tuple[int, int]]:
    """The falls of at least `least` bytes: the peak's height, and the index of the lowest point after it."""
    found: list[tuple[int, int]] = []
    top = low = curve[0] if curve else 0
    low_at = 0
    falling = False
    for at, value in enumerate(curve):
        if falling:
            if value < low:
                low, low_at = value, at
            elif value - low >= least:
                found.append((top, low_at))
                falling, top = False, value
        elif value > top:
            top = value
        elif top - value >= least:
            falling, low, low_at = True, value, at
    if falling:
        found.append((top, low_at))
    return found


def climb_of(floors: Sequence[int]) -> Climb | None:
    """The climb of the floors in order of time; None where they are too few to say anything."""
    kept = list(floors[int(len(floors) * WARM_UP) :])
    teeth = len(kept)
    if teeth < FEWEST:
        return None
    step = max(1, -(-teeth // MOST_POINTS))
    points = [min(kept[n : n + step]) for n in range(0, teeth - teeth % step, step)]
    slopes = [
        (later - earlier) / ((j - i) * step)
        for i, earlier in enumerate(points)
        for j, later in enumerate(points[i + 1 :], start=i + 1)
    ]
    slope = statistics.median(slopes)
    p = _mann_kendall(points)
    level = statistics.median(value - slope * step * n for n, value in enumerate(points))
    errors = [abs(value - slope * step * n - level) for n, value in enumerate(points)]
    noise = 1.4826 * statistics.median(errors)
    total = slope * (teeth - 1)
    third = len(points) // 3
    late = statistics.median(points[-third:]) - statistics.median(points[third : 2 * third] or points[:1])
    unbroken = all(b >= a for a, b in itertools.pairwise(points)) and points[-1] > points[0]
    clear = p < CONFIDENT if len(points) >= 8 else unbroken
    steady = slope > 0 and clear and total > 2 * noise and late > total / 16
    return Climb(slope, total, p, noise, steady)


def _mann_kendall(values: Sequence[int]) -> float:
    """The one-sided probability of such a climb by chance, corrected for ties (normal approximation)."""
    count = len(values)
    score = sum(
        (later > value) - (later < value) for i, value in enumerate(values) for later in values[i + 1 :]
    )
    ties: dict[int, int] = {}
    for value in values:
        ties[value] = ties.get(value, 0) + 1
    variance = (
        count * (count - 1) * (2 * count + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties.values())
    ) / 18
    if variance <= 0:
        return 1.0
    z = (score - (score > 0) + (score < 0)) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))
