"""Lines over a range of numbers, with dots where something was measured or chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from app_pages.graphs.figure import Series, Table, Tick, figure


@dataclass(frozen=True, slots=True)
class Dot:
    """A marked point: x and y as shares of the axes, its size in pixels, what it says, and its colour."""

    x: float
    y: float
    size: float
    text: str
    tone: str = "main"


def curve(
    *,
    title: str,
    lines: Sequence[tuple[Series, Sequence[float]]],
    dots: Sequence[Dot],
    up: Sequence[Tick],
    along: Sequence[Tick],
    said: str,
    note: str = "",
    table: Table | None = None,
) -> str:
    """lines: a series of heights and where each stands along the axis, both as shares of it, 0 to 1."""
    marks = []
    for series, places in lines:
        points = " ".join(f"{x:.4f},{1 - y:.4f}" for x, y in zip(places, series.values, strict=True))
        marks.append(f'<polyline class="line {series.tone}" points="{points}"/>')
    for dot in dots:
        # a line of no length with round ends stays a circle whatever the picture's proportions
        marks.append(
            f'<path class="dot {dot.tone}" style="stroke-width:{dot.size:.1f}px" '
            f'd="M{dot.x:.4f} {1 - dot.y:.4f}h0"><title>{escape(dot.text)}</title></path>'
        )
    return figure(
        title=title,
        marks="".join(marks),
        said=said,
        up=up,
        along=along,
        width=1,
        names=[series for series, _ in lines],
        note=note,
        table=table,
    )
