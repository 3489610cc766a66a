"""Bars along days, weeks or bins, the parts of each one on the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from app_pages.graphs.figure import Series, Table, Tick, figure, rounded_top

GAP = 0.16
"""Of a bar's place; none where bars are too many to be told apart."""
MANY = 120
FEW, NAMES = 10, 5
"""Bars that are each named, and names along the axis where there are more."""


def bars(
    *,
    title: str,
    places: Sequence[str],
    series: Sequence[Series],
    said: str,
    number: Callable[[float], str],
    heads: tuple[str, ...],
    summary: str,
    ticks: Sequence[str] | None = None,
    note: str = "",
) -> str:
    """One bar a place. places: what each is called. number: a value as it is written.

    heads: of the table, the first for the places, then one for each series. ticks: shorter names of the
    places, for the axis.
    """
    totals = [sum(values) for values in zip(*(each.values for each in series), strict=True)]
    top = rounded_top(max(totals, default=0.0))
    width = 1 - (GAP if len(places) <= MANY else 0)
    marks = []
    for place, name in enumerate(places):
        reached = 0.0
        parts = []
        for each in series:
            size = each.values[place] / top
            if size > 0:
                reached += size
                parts.append(
                    f'<rect class="{each.tone}" x="{place + (1 - width) / 2:.3f}" y="{1 - reached:.5f}" '
                    f'width="{width:.3f}" height="{size:.5f}"/>'
                )
        told = ", ".join(
            f"{each.name} {number(each.values[place])}" if len(series) > 1 else number(each.values[place])
            for each in series
        )
        # the whole column answers the pointer: a low bar is hard to hit
        marks.append(
            f"<g><title>{escape(f'{name}: {told}')}</title>"
            f'<rect class="column" x="{place}" y="0" width="1" height="1"/>{"".join(parts)}</g>'
        )
    return figure(
        title=title,
        marks="".join(marks),
        said=said,
        up=[Tick(share, number(top * share)) for share in (0.5, 1.0)],
        along=_along(ticks or places),
        width=max(1, len(places)),
        names=series,
        note=note,
        table=Table(
            summary,
            heads,
            tuple(
                (name, *(number(each.values[place]) for each in series))
                for place, name in enumerate(places)
                if totals[place]
            ),
        ),
    )


def _along(places: Sequence[str]) -> list[Tick]:
    """The names of a few bars; of many some, evenly spread, the first and the last among them."""
    number = len(places)
    if number <= FEW:
        return [Tick((place + 0.5) / number, name) for place, name in enumerate(places)]
    chosen = sorted({round(step * (number - 1) / (NAMES - 1)) for step in range(NAMES)})
    return [Tick((place + 0.5) / number, places[place]) for place in chosen]
