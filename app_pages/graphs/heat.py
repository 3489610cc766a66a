"""A year of study days as a field of squares: a column a week, the darker the more was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape

WEEKS = 53
LEVELS = 4


def heat(
    *,
    title: str,
    counts: Mapping[str, int],
    today: str,
    weekdays: Sequence[str],
    month: Sequence[str],
    told: Mapping[str, str],
    said: str,
    less: str,
    more: str,
) -> str:
    """counts: answers by study day. weekdays: seven names, Monday first. month: twelve short names.

    told: what each day with an answer says. The strongest colour is for the busiest tenth of the days.
    """
    end = date.fromisoformat(today)
    start = end - timedelta(days=end.weekday() + 7 * (WEEKS - 1))
    days = [start + timedelta(days=step) for step in range((end - start).days + 1)]
    busy = sorted(counts[day.isoformat()] for day in days if counts.get(day.isoformat()))
    full = max(1, busy[int(len(busy) * 0.9)] if busy else 1)
    cells = "".join(_cell(day.isoformat(), counts.get(day.isoformat(), 0), full, told) for day in days)
    months = "".join(
        f'<span style="grid-column:{place // 7 + 1}">{escape(month[day.month - 1])}</span>'
        for place, day in enumerate(days)
        if day.day <= 7 and day.weekday() == 0 and place // 7 < WEEKS - 2
    )
    names = "".join(
        f'<span style="grid-row:{row + 1}">{escape(name)}</span>'
        for row, name in enumerate(weekdays)
        if row % 2 == 0
    )
    key = "".join(f'<i class="l{level}"></i>' for level in range(LEVELS + 1))
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<div class="heat"><div class="weekdays" aria-hidden="true">{names}</div>'
        f'<div class="year" tabindex="0" role="img" aria-label="{escape(said)}"><div>'
        f'<div class="months">{months}</div><div class="days">{cells}</div></div></div></div>'
        f'<p class="scale" aria-hidden="true">{escape(less)} {key} {escape(more)}</p></figure>'
    )


def _cell(day: str, count: int, full: int, told: Mapping[str, str]) -> str:
    level = 0 if not count else min(LEVELS, 1 + int(LEVELS * min(count, full) / full - 1e-9))
    return f'<i class="l{level}" title="{escape(told.get(day, day))}"></i>'
