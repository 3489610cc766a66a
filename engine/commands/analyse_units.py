"""Numbers of an analysis as the terminal shows them."""

from __future__ import annotations

from typing import Any

Args = dict[str, Any]


def size(count: float | None) -> str:
    """Bytes in the unit that a person would use."""
    if count is None:
        return "?"
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(count) >= scale:
            return f"{count / scale:,.2f} {unit}"
    return f"{count:,.0f} B"


def percent(share: float | None) -> str:
    """A share from 0 to 1 as percent."""
    return "?" if share is None else f"{100 * share:.1f} %"


def number(value: float | None, unit: str = "", digits: int = 1) -> str:
    """A value with its unit, or that the file doesn't hold it."""
    return "not in the file" if value is None else f"{value:,.{digits}f}{unit}"


def speedup(times: float | None) -> str:
    """How many times as fast."""
    return "?" if times is None else f"{times:,.2f} x as fast"
