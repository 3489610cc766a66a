"""A series that isn't drawn as lines, as a table: its first column names things instead of counting them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app_pages.lab_words import LabWords
from app_pages.numbers import quantity
from app_pages.sheet import sheet
from engine.measure.events import Scalar, Series

UNIT = "unit"
"""A column of this name holds the unit of its row's numbers; columns with a unit of their own keep that."""


def series_tables(series: Sequence[Series], words: LabWords, *, key: str, most: int) -> None:
    """The tables among the series, under their titles; of more than `most` the last, which conclude."""
    for table in [one for one in series if is_table(one)][-most:]:
        st.markdown(f"**{_title(table, words)}**")
        sheet(series_table(table, words), key=f"{key}.table.{table.name}")


def is_table(series: Series) -> bool:
    """Whether the series names things in its first column."""
    first = [row[0] for row in series.rows]
    return bool(first) and all(isinstance(value, str) for value in first)


def series_table(series: Series, words: LabWords) -> str:
    """The table as HTML; scrolls by itself where it is wide."""
    title = escape(_title(series, words))
    shown = [place for place, name in enumerate(series.columns) if name != UNIT]
    numeric = {place for place in shown if any(_is_number(row[place]) for row in series.rows)}
    heads = {place: escape(words.word(f"column.{series.columns[place]}")) for place in shown}
    head = "".join(f'<th scope="col"{_class(place in numeric)}>{text}</th>' for place, text in heads.items())
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(_cell(series, row, place, words))}</th>'
            if place == 0
            else f"<td{_class(place in numeric)}>{escape(_cell(series, row, place, words))}</td>"
            for place in shown
        )
        + "</tr>"
        for row in series.rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _title(series: Series, words: LabWords) -> str:
    return words.word(f"series.{series.name}")


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _cell(series: Series, row: list[Scalar], place: int, words: LabWords) -> str:
    value, column = row[place], series.columns[place]
    if not isinstance(value, int | float) or isinstance(value, bool):
        return words.value(value)
    unit = series.units.get(column)
    if unit is None and UNIT in series.columns:
        unit = str(row[series.columns.index(UNIT)] or "")
    return quantity(value, unit or "", words.language)


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
