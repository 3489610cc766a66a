"""Plain tables of an analysis as HTML: names to the left, numbers to the right, a bar behind a share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from app_pages.numbers import percent, quantity

LONGEST_NAME = 90
"""Signs of a name: kernels of templates go on for thousands. The whole name is its title."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown. `share` (0 to 1) draws a bar behind it; `title` is the whole of a name cut short;
    `mark`: better or worse."""

    text: str
    number: bool = False
    share: float | None = None
    title: str = ""
    mark: str = ""


def name(text: object) -> Cell:
    """A name, cut in its middle where it is long: kernels differ at both ends."""
    whole = str(text)
    shown = without_condition(whole)
    if len(shown) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        shown = f"{shown[:half]} … {shown[-half:]}"
    return Cell(shown, title=whole[:2000] if shown != whole else "")


def without_condition(text: str) -> str:
    """The name without the `std::enable_if<…>::type` that cuBLAS puts before it."""
    start = text.find("enable_if<")
    if start < 0 or start > len("void std::"):
        return text
    depth = 0
    for place in range(start + len("enable_if"), len(text)):
        depth += {"<": 1, ">": -1}.get(text[place], 0)
        if depth == 0:
            return text[place + 1 :].removeprefix("::type").strip() or text
    return text


def count(value: object, language: str) -> Cell:
    return Cell(quantity(int(value), "", language) if isinstance(value, int | float) else "–", number=True)


def time_us(value: object, language: str) -> Cell:
    """Microseconds; from a millisecond on in milliseconds."""
    return Cell(time_text(value, language), number=True)


def time_text(value: object, language: str) -> str:
    if not isinstance(value, int | float):
        return "–"
    if abs(value) >= 1e6:
        return quantity(value / 1e6, "s", language)
    if abs(value) >= 1e3:
        return quantity(value / 1e3, "ms", language)
    return quantity(float(value), "us", language)


def size(value: object, language: str) -> Cell:
    return Cell(quantity(float(value), "B", language) if isinstance(value, int | float) else "–", number=True)


def share(value: object, language: str, *, bar: bool = True) -> Cell:
    if not isinstance(value, int | float):
        return Cell("–", number=True)
    return Cell(percent(float(value), language), number=True, share=float(value) if bar else None)


def plain_number(value: object, unit: str, language: str) -> Cell:
    if not isinstance(value, int | float):
        return Cell("–", number=True)
    return Cell(quantity(float(value), unit, language), number=True)


def table(label: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table; its first column names the rows. Scrolls by itself where it is wide."""
    body = [list(row) for row in rows]
    numeric = [any(row[place].number for row in body) for place in range(len(heads))]
    head = "".join(
        f'<th scope="col"{_class(right)}>{escape(title)}</th>'
        for title, right in zip(heads, numeric, strict=True)
    )
    lines = "".join(
        f"<tr>{''.join(_cell(cell, first=not place) for place, cell in enumerate(row))}</tr>" for row in body
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="files"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def facts(entries: Iterable[tuple[str, str]]) -> str:
    """Names and values as a list of terms."""
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>" for term, value in entries)
    return f'<dl class="terms">{items}</dl>'


def rows_of(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list in an analysis; whatever else stands there is left out."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _cell(cell: Cell, *, first: bool) -> str:
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    text = escape(cell.text)
    if first:
        return f'<th scope="row"{title}>{text}</th>'
    style = "" if cell.share is None else f' style="--share:{min(max(cell.share, 0.0), 1.0):.4f}"'
    kinds = [("number", cell.number), ("bar", cell.share is not None), (cell.mark, bool(cell.mark))]
    kind = " ".join(each for each, wanted in kinds if wanted)
    named = f' class="{kind}"' if kind else ""
    return f"<td{named}{style}{title}>{text}</td>"


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
