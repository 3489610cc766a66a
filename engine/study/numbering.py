"""Numbers for texts that come again and again, in the order in which they are met."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date


class Numbers(dict[str, int]):
    """Each text's number, from 0 on. Asked for one that it doesn't have, it gives it the next."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class _Days(dict[str, int]):
    def __missing__(self, day: str) -> int:
        number = self[day] = date.fromisoformat(day).toordinal() - _EPOCH
        return number


_EPOCH = date(1970, 1, 1).toordinal()
day_numbers: Mapping[str, int] = _Days()
"""ISO dates as days since 1970-01-01, each worked out once."""
