"""Charts of results: variants of a metric as bars, series as lines, with floors and ceilings drawn in.

Altair and pandas take half a second each on first use: only pages that draw import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from app_pages.lab_words import LabWords
from app_pages.numbers import number, quantity, scaled
from engine.measure.events import Metric, Scalar, Series
from engine.measure.results import Result

REFERENCES = frozenset(
    {"floor", "copy_bandwidth", "read_bandwidth", "datasheet_bandwidth", "matmul_rate", "ridge_point"}
)
"""Metrics that bound others: drawn as lines, not as bars."""

TIME_UNITS = frozenset({"ms", "us", "s"})
MOST_BARS = 14
BAND, LINE, BELOW = 36, 16, 34
"""Heights in pixels: a bar with the room around it, a line of text, the axis below."""

DOUBLING = 1.9
LOG_FROM = 60
"""A scale is logarithmic from this ratio between its largest and smallest value."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with what it shows in words, for those who don't see it."""

    title: str
    chart: alt.LayerChart | alt.FacetChart
    alt: str
    shows: tuple[str, ...] = ()
    """The metrics whose values can be read off it, by name."""


def show(drawn: Drawn, *, key: str) -> None:
    """Puts the chart on the page, under its title."""
    st.markdown(f"**{drawn.title}**")
    st.altair_chart(drawn.chart, alt=drawn.alt, key=key)


def variants(result: Result, words: LabWords) -> Drawn | None:
    """The result's main metric, a bar for each variant the run was set to; None where nothing varies.

    The main metric is the one with a floor or ceiling in its unit, a time before others.
    """
    names = dict.fromkeys(metric.name for metric in result.metrics if metric.name not in REFERENCES)
    found = [(name, _shown(result, name)) for name in names]
    found = [(name, metrics) for name, metrics in found if len(metrics) > 1]
    if not found:
        return None

    def rank(item: tuple[str, list[Metric]]) -> tuple[bool, bool]:
        unit = item[1][0].unit
        return bool(_references(result.metrics, unit, result)), unit in TIME_UNITS

    name, metrics = max(found, key=rank)
    references = _references(result.metrics, metrics[0].unit, result)
    shows = dict.fromkeys((name, *(metric.name for metric in references)))
    return replace(_bars(words.metric(name), metrics, references, words), shows=tuple(shows))


def _shown(result: Result, name: str) -> list[Metric]:
    """The metrics of that name at the settings of the run, as long as that leaves any to compare."""
    named = [metric for metric in result.metrics if metric.name == name]
    for label in dict.fromkeys(label for metric in named for label in metric.labels):
        wanted = result.params.get(label)
        at_settings = [metric for metric in named if metric.labels.get(label) == wanted]
        if wanted is not None and len(at_settings) > 1:
            named = at_settings
    return named[:MOST_BARS]


def _references(metrics: Iterable[Metric], unit: str, result: Result | None = None) -> list[Metric]:
    found = [metric for metric in metrics if metric.name in REFERENCES and metric.unit == unit]
    params = {} if result is None else result.params
    fitting = [
        metric
        for metric in found
        if all(params.get(label, value) == value for label, value in metric.labels.items())
    ]
    kept = fitting or found
    if any(metric.name == "copy_bandwidth" for metric in kept):
        kept = [metric for metric in kept if metric.name != "read_bandwidth"]  # close to the copy: a blot
    return kept[:4]


def _bars(title: str, metrics: Sequence[Metric], references: Sequence[Metric], words: LabWords) -> Drawn:
    unit, factor, sign = _scale([metric.value for metric in metrics], metrics[0].unit)
    language = words.language
    same = frozenset(
        label
        for label in metrics[0].labels
        if all(metric.labels.get(label) == metrics[0].labels[label] for metric in metrics)
    )
    rows: list[dict[str, Any]] = [
        {
            "variant": words.variant(metric, without=same) or title,
            "value": metric.value * factor,
            "low": (metric.value if metric.low is None else metric.low) * factor,
            "high": (metric.value if metric.high is None else metric.high) * factor,
            "text": quantity(metric.value, unit, language),
        }
        for metric in metrics
    ]
    ink = _ink()
    top = max([row["high"] for row in rows] + [metric.value * factor for metric in references])
    scale = alt.Scale(domain=[0, float(top) * 1.22], nice=False)
    frame = pd.DataFrame(rows)
    order = [row["variant"] for row in rows]
    y = alt.Y("variant:N", sort=order, title=None, axis=alt.Axis(labelLimit=190, ticks=False, domain=False))
    base = alt.Chart(frame)
    bars = base.mark_bar(height={"band": 0.58}, cornerRadiusEnd=3).encode(
        x=alt.X("value:Q", title=None, scale=scale, axis=_axis(language, tickCount=5)),
        y=y,
        tooltip=[alt.Tooltip("variant:N", title=title), alt.Tooltip("text:N", title=sign or title)],
    )
    spread = base.mark_rule(strokeWidth=1.5, color=ink).encode(x="low:Q", x2="high:Q", y=y)
    texts = base.mark_text(align="left", dx=6, color=ink, fontSize=12).encode(x="high:Q", y=y, text="text:N")
    layers: list[alt.Chart] = [bars, spread, texts]
    if references:
        layers += _rules(references, factor, words, ink, middle=float(top) * 0.6)
    said = "; ".join(f"{row['variant']}: {row['text']}" for row in rows)
    bounds = "; ".join(_named(metric, words, references) for metric in references)
    height = BAND * len(rows) + LINE * len(references) + BELOW
    chart = alt.layer(*layers).properties(height=height)
    return Drawn(_axis_title(title, sign), chart, f"{title}: {said}" + (f". {bounds}" if bounds else ""))


def _rules(
    references: Sequence[Metric], factor: float, words: LabWords, ink: str, *, middle: float
) -> list[alt.Chart]:
    """A vertical line for each floor or ceiling, named at its upper end, one name above the other.

    A name runs to the right of its line, right of the `middle` to the left.
    """
    layers = []
    for place, metric in enumerate(references):
        name = _named(metric, words, references)
        base = alt.Chart(pd.DataFrame([{"value": metric.value * factor, "name": name}]))
        layers.append(base.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=_accent()).encode(x="value:Q"))
        layers.append(
            base.mark_text(
                align="left" if metric.value * factor < middle else "right",
                dx=-3 if metric.value * factor < middle else 3,
                dy=-6 - LINE * place,
                baseline="bottom",
                color=ink,
                fontSize=11.5,
                clip=False,
            ).encode(x="value:Q", y=alt.value(0), text="name:N")
        )
    return layers


def _named(metric: Metric, words: LabWords, among: Sequence[Metric]) -> str:
    """A floor or ceiling by name and value; the type of the weights is told where the others have another."""
    of_several = len({other.labels.get("weights") for other in among}) > 1
    told = [metric.labels.get(label) for label in (*(["weights"] if of_several else []), "ceiling")]
    name = words.metric(metric.name)
    which = f"{name} ({', '.join(words.value(value) for value in told if value)})" if any(told) else name
    return f"{which}: {quantity(metric.value, metric.unit, words.language)}"


def series_chart(series: Series, metrics: Iterable[Metric], words: LabWords) -> Drawn | None:
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
    unit, factor, sign = _scale([row["value"] for row in rows], unit)
    for drawn in rows:
        drawn["text"] = quantity(drawn["value"], unit, words.language)
        drawn["value"] *= factor
    frame = pd.DataFrame(rows)
    lines = list(dict.fromkeys(row["line"] for row in rows))
    along = _axis_title(words.word(f"column.{series.columns[x]}"), series.units.get(series.columns[x], ""))
    up = _axis_title(words.word(f"column.{series.columns[values[0]]}") if len(values) == 1 else title, sign)
    color: Any = (
        alt.Color(
            "line:N", sort=lines, title=None, legend=alt.Legend(orient="top", columns=2, labelLimit=300)
        )
        if len(lines) > 1
        else alt.value(_first_colour())
    )
    doubling = _doubling([row["x"] for row in rows])
    base = alt.Chart(frame).encode(
        x=alt.X(
            "x:Q",
            title=along,
            axis=_axis(words.language, **({"values": doubling} if doubling else {})),
            scale=alt.Scale(type="log", nice=False)
            if doubling
            else _scale_of([row["x"] for row in rows], zero=False),
        ),
        y=alt.Y(
            "value:Q",
            title=up,
            axis=_axis(words.language),
            scale=_scale_of(frame["value"].tolist(), zero=True),
        ),
        color=color,
        tooltip=[
            alt.Tooltip("line:N", title=title),
            alt.Tooltip("x:Q", title=along),
            alt.Tooltip("text:N", title=up),
        ],
    )
    layers: list[alt.Chart] = [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=36)]
    references = sorted(_references(metrics, unit), key=lambda metric: metric.value)
    layers += _levels(references, factor)
    ends = "; ".join(f"{line}: {_ends(rows, line)}" for line in lines[:6])
    chart = alt.layer(*layers).properties(height=300 if len(lines) < 2 else 340)
    if references:
        # named below the picture: within it the names of close bounds cover each other and the lines
        named = [f"┄ {_named(metric, words, references)}" for metric in references]
        chart = chart.properties(
            title=alt.TitleParams(
                named, anchor="start", orient="bottom", fontSize=12, fontWeight="normal", color=_ink()
            )
        )
    return Drawn(title, chart, f"{title}. {along}. {ends}")


def _levels(references: Sequence[Metric], factor: float) -> list[alt.Chart]:
    """A horizontal line for each floor or ceiling."""
    return [
        alt.Chart(pd.DataFrame([{"value": metric.value * factor}]))
        .mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=_accent())
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


def _scale(values: Iterable[Scalar], unit: str) -> tuple[str, float, str]:
    """The unit, what to multiply values with to draw them, and the sign of the drawn unit."""
    largest = max((abs(float(value)) for value in values if isinstance(value, int | float)), default=0.0)
    shown, sign = scaled(largest, unit)
    return unit, (shown / largest if largest else 1.0), sign


def _doubling(values: Sequence[float]) -> list[float]:
    """The values along an axis where they are a few sizes that double or more; else none."""
    sizes = sorted(set(values))
    few = 3 <= len(sizes) <= MOST_BARS
    doubles = all(low > 0 and high / low >= DOUBLING for low, high in pairwise(sizes))
    return sizes if few and doubles else []


def _scale_of(values: Sequence[float], *, zero: bool) -> alt.Scale:
    low, high = min(values), max(values)
    if low > 0 and high / low >= LOG_FROM:
        return alt.Scale(type="log", nice=False)
    return alt.Scale(zero=zero)


def _axis(language: str, **options: Any) -> alt.Axis:
    """An axis whose numbers have the separators of the language."""
    if number(1.5, language) == "1.50":
        return alt.Axis(**options)
    swapped = "replace(replace(replace(datum.label, regexp(',', 'g'), '_'), '.', ','), regexp('_', 'g'), '.')"
    return alt.Axis(labelExpr=swapped, **options)


def _axis_title(name: str, sign: str) -> str:
    return f"{name} ({sign})" if sign else name


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"


def _ink() -> str:
    return str(st.get_option(f"theme.{_theme()}.textColor") or "gray")


def _accent() -> str:
    return str(st.get_option(f"theme.{_theme()}.orangeColor") or "#c2701c")


def _first_colour() -> str:
    colours = st.get_option(f"theme.{_theme()}.chartCategoricalColors")
    return str(colours[0]) if isinstance(colours, list) and colours else "#0b6e66"
