"""Unions of time intervals and what lies between them, in integer nanoseconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

Interval = tuple[int, int]
_NEVER = (1 << 1000, 1 << 1000)
"""Behind the last interval: no instant of a file has so many digits."""


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The intervals merged where they touch or overlap, in order."""
    return solid(sorted(intervals))


def length(merged: Iterable[Interval]) -> int:
    """The total length of disjoint intervals, in nanoseconds."""
    return sum(end - start for start, end in merged)


def solid(intervals: Iterable[Interval], hole: int = 0) -> list[Interval]:
    """Intervals in order of start, merged where they overlap or where at most `hole` lies between them."""
    merged: list[Interval] = []
    begin = reached = None
    for start, end in intervals:
        if begin is None or reached is None:
            begin, reached = start, end
        elif start <= reached + hole:
            if end > reached:
                reached = end
        else:
            merged.append((begin, reached))
            begin, reached = start, end
    if begin is not None and reached is not None:
        merged.append((begin, reached))
    return merged


def without(merged: Sequence[Interval], taken: Sequence[Interval]) -> Iterator[Interval]:
    """What disjoint intervals in order have outside of `taken`, which are disjoint and in order too."""
    if not taken:
        yield from merged
        return
    place = 0
    for start, end in merged:
        while place < len(taken) and taken[place][1] <= start:
            place += 1
        at, begin = place, start
        while at < len(taken) and taken[at][0] < end:
            if taken[at][0] > begin:
                yield begin, taken[at][0]
            begin = max(begin, taken[at][1])
            at += 1
        if begin < end:
            yield begin, end


def outside(intervals: Iterable[Interval], merged: Iterable[Interval]) -> Iterator[Interval]:
    """Of intervals in order of start, those that lie within none of `merged`, disjoint ones in order."""
    following = iter(merged)
    begin, until = next(following, _NEVER)
    for start, end in intervals:
        while until <= start:
            begin, until = next(following, _NEVER)
        if start < begin or end > until:
            yield start, end


def overlap(first: Iterable[Interval], second: Iterable[Interval]) -> int:
    """How long two lists of disjoint intervals in order overlap, in nanoseconds."""
    total = 0
    following = iter(second)
    begin, until = next(following, _NEVER)
    for start, end in first:
        while until <= start:
            begin, until = next(following, _NEVER)
        while begin < end:
            total += (until if until < end else end) - (begin if begin > start else start)
            if until >= end:
                break
            begin, until = next(following, _NEVER)
    return total


def gaps_between(merged: list[Interval]) -> list[Interval]:
    """What lies between disjoint intervals in order: from one's end to the next one's start."""
    return [(before[1], after[0]) for before, after in itertools.pairwise(merged)]


def percentile(sorted_values: list[int], share: float) -> int:
    """The nearest-rank percentile (share from 0 to 1) of values in order; 0 where there are none."""
    if not sorted_values:
        return 0
    return sorted_values[max(0, math.ceil(share * len(sorted_values)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle; at least one is needed. (`statistics` takes as
    long to import as a small trace takes to read.)"""
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
