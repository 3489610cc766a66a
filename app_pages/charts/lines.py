"""A series as lines over its first column, with floors and ceilings drawn in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import altair as alt
import pandas as pd

from app_pages.charts.bounds import REFERENCES, bounds_of, named_bound
from app_pages.charts.drawn import Drawn
from app_pages.charts.scales import (
    TIME_UNITS,
    accent_colour,
    axis_title,
    first_colour,
    ink_colour,
    number_axis,
    unit_scale,
    value_scale,
)
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity
from engine.measure.events import Metric, Series

DOUBLING = 1.9
MOST_SIZES = 14


def line_chart(series: Series, metrics: Iterable[Metric], words: LabWords) -> Drawn | None:
    """A series as lines: its first column along x, columns of text as colours, one unit's columns as values.

    Drawn is the unit that a floor or ceiling among `metrics` has, else a time, else the first column's.
    None where the first column is no number or nothing is left to draw: bars show that better.
    """
    numeric = [column for column in range(len(series.columns)) if _is_numeric(series, column)]
    if len(numeric) < 2 or numeric[0] != 0:
        return None
    metrics = tuple(metrics)
    x, values = 0, _drawn_columns(series, numeric[1:], metrics)
    groups = [column for column in range(len(series.columns)) if _is_text(series, column)]
    title = words.find(f"series.{series.name}") or words.word(f"series.{series.name}")
    rows: list[dict[str, Any]] = []
    for row in series.rows:
        group = " · ".join(words.value(row[column]) for column in groups if row[column] is not None)
        for column in values:
            name = words.word(f"column.{series.columns[column]}")
            line = " · ".join(part for part in (group, name if len(values) > 1 else "") if part)
            if row[x] is not None and row[column] is not None:
                rows.append({"x": row[x], "value": row[column], "line": line or name})
    if not rows:
        return None
    unit = series.units.get(series.columns[values[0]], "")
    unit, factor, sign = unit_scale([row["value"] for row in rows], unit)
    for drawn in rows:
        drawn["text"] = quantity(drawn["value"], unit, words.language)
        drawn["value"] *= factor
    frame = pd.DataFrame(rows)
    lines = list(dict.fromkeys(row["line"] for row in rows))
    along = axis_title(words.word(f"column.{series.columns[x]}"), series.units.get(series.columns[x], ""))
    up = axis_title(words.word(f"column.{series.columns[values[0]]}") if len(values) == 1 else title, sign)
    color: Any = (
        alt.Color(
            "line:N", sort=lines, title=None, legend=alt.Legend(orient="top", columns=2, labelLimit=300)
        )
        if len(lines) > 1
        else alt.value(first_colour())
    )
    doubling = _doubling([row["x"] for row in rows])
    base = alt.Chart(frame).encode(
        x=alt.X(
            "x:Q",
            title=along,
            axis=number_axis(words.language, **({"values": doubling} if doubling else {})),
            scale=alt.Scale(type="log", nice=False)
            if doubling
            else value_scale([row["x"] for row in rows], zero=False),
        ),
        y=alt.Y(
            "value:Q",
            title=up,
            axis=number_axis(words.language),
            scale=value_scale(frame["value"].tolist(), zero=True),
        ),
        color=color,
        tooltip=[
            alt.Tooltip("line:N", title=title),
            alt.Tooltip("x:Q", title=along),
            alt.Tooltip("text:N", title=up),
        ],
    )
    layers: list[alt.Chart] = [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=36)]
    references = sorted(_bounds(metrics, unit, rows, factor), key=lambda metric: metric.value)
    layers += _levels(references, factor)
    ends = "; ".join(f"{line}: {_ends(rows, line)}" for line in lines[:6])
    chart = alt.layer(*layers).properties(height=300 if len(lines) < 2 else 340)
    if references:
        # named below the picture: within it the names of close bounds cover each other and the lines
        named = [f"┄ {named_bound(metric, words, references)}" for metric in references]
        chart = chart.properties(
            title=alt.TitleParams(
                named, anchor="start", orient="bottom", fontSize=12, fontWeight="normal", color=ink_colour()
            )
        )
    shows = dict.fromkeys(metric.name for metric in references)
    return Drawn(title, chart, f"{title}. {along}. {ends}", tuple(shows))


def _bounds(
    metrics: Iterable[Metric], unit: str, rows: Sequence[dict[str, Any]], factor: float
) -> list[Metric]:
    """The floors and ceilings in that unit, without those that are only the top of a line drawn here."""
    tops: dict[str, float] = {}
    for row in rows:
        tops[row["line"]] = max(row["value"], tops.get(row["line"], row["value"]))
    return [
        metric
        for metric in bounds_of(metrics, unit)
        if not any(math.isclose(metric.value * factor, top) for top in tops.values())
    ]


def _levels(references: Sequence[Metric], factor: float) -> list[alt.Chart]:
    """A horizontal line for each floor or ceiling."""
    return [
        alt.Chart(pd.DataFrame([{"value": metric.value * factor}]))
        .mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=accent_colour())
        .encode(y="value:Q")
        for metric in references
    ]


def _ends(rows: Sequence[dict[str, Any]], line: str) -> str:
    """The first and the last value of a line."""
    values = [row["text"] for row in rows if row["line"] == line]
    return f"{values[0]} – {values[-1]}"


def _is_numeric(series: Series, column: int) -> bool:
    values = [row[column] for row in series.rows if row[column] is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )


def _is_text(series: Series, column: int) -> bool:
    values = [row[column] for row in series.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, str) for value in values)


def _drawn_columns(series: Series, columns: Sequence[int], metrics: Iterable[Metric]) -> list[int]:
    """The columns of one unit (two scales in one chart mislead), the most telling unit first."""
    units = {column: series.units.get(series.columns[column], "") for column in columns}
    bounded = {metric.unit for metric in metrics if metric.name in REFERENCES}
    best = max(columns, key=lambda column: (units[column] in bounded, units[column] in TIME_UNITS))
    return [column for column in columns if units[column] == units[best]]


def _doubling(values: Sequence[float]) -> list[float]:
    """The values along an axis where they are a few sizes that double or more; else none."""
    sizes = sorted(set(values))
    few = 3 <= len(sizes) <= MOST_SIZES
    doubles = all(low > 0 and high / low >= DOUBLING for low, high in pairwise(sizes))
    return sizes if few and doubles else []
