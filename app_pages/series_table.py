"""A series that isn't drawn as lines, as a table: its first column names things instead of counting them.

Some names of columns have a meaning: `unit` is the unit of its row's numbers (columns with a unit of their
own keep that), `X_low` and `X_high` are shown as one range `X`, and `why` stands below its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from app_pages.lab_words import LabWords
from app_pages.numbers import quantity, span
from app_pages.sheet import sheet
from engine.measure.events import Scalar, Series

UNIT, WHY, LOW, HIGH = "unit", "why", "_low", "_high"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as shown: its name, and the places in a row that it is made of (one, or low and high)."""

    name: str
    places: tuple[int, ...]


def series_tables(series: Sequence[Series], words: LabWords, *, key: str, most: int) -> list[Series]:
    """Shows the tables among the series under their titles, of more than `most` the last, which conclude.

    Returns those it showed.
    """
    tables = [one for one in series if is_table(one)][-most:]
    for table in tables:
        st.markdown(f"**{_title(table, words)}**")
        sheet(series_table(table, words), key=f"{key}.table.{table.name}")
    return tables


def is_table(series: Series) -> bool:
    """Whether the series names things in its first column."""
    first = [row[0] for row in series.rows]
    return bool(first) and all(isinstance(value, str) for value in first)


def series_table(series: Series, words: LabWords) -> str:
    """The table as HTML; scrolls by itself where it is wide."""
    columns = _columns(series)
    numeric = {
        column.name
        for column in columns
        if any(_is_number(row[place]) for row in series.rows for place in column.places)
    }
    head = "".join(
        f'<th scope="col"{_class(column.name in numeric)}>{escape(words.word(f"column.{column.name}"))}</th>'
        for column in columns
    )
    body = "".join(_row(series, row, columns, words) for row in series.rows)
    kind = ' class="claims"' if WHY in series.columns else ""
    title = escape(_title(series, words))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table{kind}>'
        f"<thead><tr>{head}</tr></thead>{body}</table></div>"
    )


def _columns(series: Series) -> list[_Column]:
    found: list[_Column] = []
    for place, name in enumerate(series.columns):
        stem = name.removesuffix(LOW)
        if stem != name and stem + HIGH in series.columns:
            found.append(_Column(stem, (place, series.columns.index(stem + HIGH))))
        elif name not in (UNIT, WHY) and not (
            name.endswith(HIGH) and name.removesuffix(HIGH) + LOW in series.columns
        ):
            found.append(_Column(name, (place,)))
    return found


def _row(series: Series, row: list[Scalar], columns: Sequence[_Column], words: LabWords) -> str:
    cells = []
    for number, column in enumerate(columns):
        text = escape(_cell(series, row, column, words))
        right = _class(any(_is_number(row[place]) for place in column.places))
        if number == 0:
            cells.append(f'<th scope="row">{text}</th>')
        else:
            head = escape(words.word(f"column.{column.name}"))
            # on a phone the head of the column stands beside each cell
            cells.append(f'<td{right} data-column="{head}"><span>{text}</span></td>')
    line = f"<tr>{''.join(cells)}</tr>"
    if WHY not in series.columns:
        return f"<tbody>{line}</tbody>"
    why = escape(words.value(row[series.columns.index(WHY)]))
    return f'<tbody>{line}<tr class="why"><td colspan="{len(columns)}">{why}</td></tr></tbody>'


def _cell(series: Series, row: list[Scalar], column: _Column, words: LabWords) -> str:
    values = [row[place] for place in column.places if row[place] is not None]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not values or len(numbers) < len(values):
        return words.value(values[0] if values else None)
    unit = series.units.get(series.columns[column.places[0]])
    if unit is None and UNIT in series.columns:
        unit = str(row[series.columns.index(UNIT)] or "")
    if len(numbers) == 2 and numbers[0] != numbers[1]:
        return span(numbers[0], numbers[1], unit or "", words.language)
    return quantity(numbers[0], unit or "", words.language)


def _title(series: Series, words: LabWords) -> str:
    return words.word(f"series.{series.name}")


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
