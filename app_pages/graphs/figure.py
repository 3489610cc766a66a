"""What every graph has around it: a title, axes with their numbers, a key of colours, a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_NUMBER = ' class="number"'


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one name, one for each place along the axis. tone: its colour, a class of graphs.css."""

    name: str
    values: tuple[float, ...]
    tone: str = "main"


@dataclass(frozen=True, slots=True)
class Table:
    """A graph's numbers in words: the summary that opens it, the heads, and the rows as they are shown."""

    summary: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A number beside an axis: where it stands, 0 to 1, and what it says."""

    at: float
    text: str


def figure(
    *,
    title: str,
    marks: str,
    said: str,
    up: Sequence[Tick],
    along: Sequence[Tick],
    width: float,
    names: Sequence[Series] = (),
    note: str = "",
    table: Table | None = None,
) -> str:
    """The figure as HTML. marks: SVG in a box `width` wide and 1 high, y downwards. said: it in words."""
    lines = "".join(
        f'<i style="bottom:{tick.at:.2%}"></i><b style="bottom:{tick.at:.2%}">{escape(tick.text)}</b>'
        for tick in up
    )
    below = "".join(
        f'<span style="left:{tick.at:.2%}"{_side(tick.at)}>{escape(tick.text)}</span>' for tick in along
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>{_key(names)}"
        f'<div class="plot"><div class="lines" aria-hidden="true">{lines}</div>'
        f'<svg role="img" aria-label="{escape(said)}" viewBox="0 0 {width:g} 1" '
        f'preserveAspectRatio="none">{marks}</svg></div>'
        f'<div class="along" aria-hidden="true">{below}</div>'
        f"{as_note(note)}{as_table(table)}</figure>"
    )


def as_note(text: str) -> str:
    """A line below a figure or table; nothing where there is none."""
    return f'<p class="note">{escape(text)}</p>' if text else ""


def as_table(table: Table | None) -> str:
    """The table behind its summary."""
    if table is None or not table.rows:
        return ""
    return (
        f"<details><summary>{escape(table.summary)}</summary>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.summary)}">'
        f"{plain_table(table.heads, table.rows)}</div></details>"
    )


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column names its row and whose others hold numbers."""
    head = "".join(
        f'<th scope="col"{_NUMBER if place else ""}>{escape(text)}</th>' for place, text in enumerate(heads)
    )
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f'<td class="number">{escape(text)}</td>' for text in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def rounded_top(largest: float) -> float:
    """Where an axis from 0 ends: 1, 2 or 5 times a power of ten that holds `largest`."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= largest * 0.9999)


def _side(at: float) -> str:
    """A text at an end of the axis stays within the picture."""
    if at < 0.06:
        return ' class="first"'
    return ' class="last"' if at > 0.94 else ""


def _key(names: Sequence[Series]) -> str:
    if len(names) < 2:
        return ""
    items = "".join(f'<li class="{each.tone}">{escape(each.name)}</li>' for each in names)
    return f'<ul class="key">{items}</ul>'
