"""Copies of one direction: how many, how large, and in a rhythm (the same copy every step) or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import msgspec

from engine.measure.analyse.intervals import median, percentile
from engine.measure.finding import Finding

RHYTHM_COPIES = 5
RHYTHM_SPREAD = 0.25
"""The intervals' median deviation over their median, up to which copies keep a rhythm."""


class Copy(Protocol):
    """A copy as a reader has it; times in nanoseconds."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def bytes(self) -> int | None: ...


class Copies(msgspec.Struct, frozen=True):
    """Copies of one direction. `period_ns`: of the copies of one size that keep a rhythm; None if none do.
    `bytes` is 0 where the file doesn't say sizes."""

    direction: str
    count: int
    bytes: int
    median_bytes: int
    time_ns: int
    period_ns: int | None
    period_bytes: int | None

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "direction": self.direction,
            "count": self.count,
            "bytes": self.bytes,
            "median_bytes": self.median_bytes,
            "time_us": self.time_ns / 1e3,
            "period_us": None if self.period_ns is None else self.period_ns / 1e3,
            "period_bytes": self.period_bytes,
        }


def copies_by_direction(copies: Iterable[tuple[str, Copy]]) -> list[Copies]:
    """The copies grouped by their direction, those that took longest first."""
    groups: dict[str, list[Copy]] = defaultdict(list)
    for direction, copy in copies:
        groups[direction].append(copy)
    found = []
    for direction, members in groups.items():
        sizes = sorted(copy.bytes or 0 for copy in members)
        period, size = _rhythm(members)
        found.append(
            Copies(
                direction=direction,
                count=len(members),
                bytes=sum(sizes),
                median_bytes=percentile(sizes, 0.5),
                time_ns=sum(copy.end - copy.start for copy in members),
                period_ns=period,
                period_bytes=size,
            )
        )
    return sorted(found, key=lambda group: -group.time_ns)


def copies_finding(device: int, copies: Copies, busy_ns: int) -> Finding:
    """Whether the copies of a direction keep a rhythm."""
    return Finding(
        "copies_periodic" if copies.period_ns is not None else "copies_irregular",
        {
            "device": device,
            "direction": copies.direction,
            "copies": copies.count,
            "bytes": copies.bytes,
            "median_bytes": copies.median_bytes,
            "share_of_busy": round(copies.time_ns / busy_ns, 6) if busy_ns else 0.0,
            "period_ms": None if copies.period_ns is None else copies.period_ns / 1e6,
            "period_bytes": copies.period_bytes,
        },
    )


def _rhythm(copies: Sequence[Copy]) -> tuple[int | None, int | None]:
    """The period, and the size, of the most frequent size whose copies come at even intervals."""
    by_size: dict[int, list[int]] = defaultdict(list)
    for copy in copies:
        by_size[copy.bytes or 0].append(copy.start)
    for size, starts in sorted(by_size.items(), key=lambda item: -len(item[1])):
        if len(starts) < RHYTHM_COPIES:
            break
        intervals = [after - before for before, after in pairwise(starts)]
        usual = median(intervals)
        spread = median([abs(interval - usual) for interval in intervals])
        if usual > 0 and spread <= RHYTHM_SPREAD * usual:
            return round(usual), size
    return None, None
