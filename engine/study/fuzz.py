"""Spreads intervals a little, so that cards learnt on one day do not stay together for ever.

The ranges are Anki's (rslib/src/scheduler/states/fuzz.rs; the same table is in fsrs 6.3.2): one day, and
15 % of the days between 2.5 and 7, 10 % of those between 7 and 20, 5 % of those above, either way. The place
within the range is drawn from a hash of the card and its number of reviews: the same in every process, so
that the interval shown is the interval given.

A share for each day within the range (easy days) makes some days more likely than others: a day with none of
it is chosen only where every day of the range has none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

SHORTEST = 3
"""Intervals of fewer days are left alone."""

_RANGES = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, float("inf"), 0.05))


def place(card_id: str, reps: int) -> float:
    """A number in [0, 1) that belongs to this card at this number of reviews."""
    digest = hashlib.sha256(f"{card_id}\0{reps}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


def fuzzed(
    days: int, at: float, *, least: int = 1, most: int, share: Callable[[int], int] | None = None
) -> int:
    """`days` moved within its range to the place `at` in [0, 1), kept within [least, most].

    Grows with `days` for the same `at`: hard never passes good. share: what an interval of so many days
    weighs among those of the range; None: all weigh the same.
    """
    if days >= SHORTEST:
        delta = 1.0 + sum(share * max(0.0, min(days, end) - start) for start, end, share in _RANGES)
        low, high = max(2, round_half_up(days - delta)), round_half_up(days + delta)
        if share is not None:
            low, high = (max(min(end, most), min(least, most)) for end in (low, high))
            days = _weighted(range(low, high + 1), at, share)
        else:
            days = min(high, int(low + at * (high - low + 1)))  # just below 1, the sum is rounded up
    return max(min(days, most), min(least, most))


def _weighted(days: range, at: float, share: Callable[[int], int]) -> int:
    """The day at which the shares so far reach the part `at` of all of them."""
    shares = [share(day) for day in days]
    whole = sum(shares)
    if whole == 0:
        return days[int(at * len(days))]
    reached = 0
    for day, part in zip(days, shares, strict=True):
        reached += part
        if at * whole < reached:
            return day
    return days[-1]


def round_half_up(value: float) -> int:
    """Rounds halves up (Python's round goes to the even neighbour: 5.5 and 6.5 both give 6)."""
    return int(value + 0.5)
