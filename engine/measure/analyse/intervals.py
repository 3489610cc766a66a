"""Unions of time intervals and what lies between them, in integer nanoseconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

Interval = tuple[int, int]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The intervals merged where they touch or overlap, in order."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def length(merged: Iterable[Interval]) -> int:
    """The total length of disjoint intervals, in nanoseconds."""
    return sum(end - start for start, end in merged)


def gaps_between(merged: list[Interval]) -> list[Interval]:
    """What lies between disjoint intervals in order: from one's end to the next one's start."""
    return [(before[1], after[0]) for before, after in itertools.pairwise(merged)]


def percentile(sorted_values: list[int], share: float) -> int:
    """The nearest-rank percentile (share from 0 to 1) of values in order; 0 where there are none."""
    if not sorted_values:
        return 0
    return sorted_values[max(0, math.ceil(share * len(sorted_values)) - 1)]
