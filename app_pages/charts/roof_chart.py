"""The roofline drawn: kernels over their arithmetic intensity, under the roofs of this device."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from app_pages.charts.drawn import Drawn
from app_pages.charts.roof import BANDWIDTH_OF, PREFIXES, Point, Roof, dtypes_of, points_of, roofs_of
from app_pages.charts.scales import axis_title, ink_colour, number_axis
from app_pages.lab_words import LabWords
from app_pages.numbers import number, quantity
from engine.measure.events import Metric, Series

_HEIGHT = 520


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes, and what they reach from and to; `factor` makes GFLOP/s of the rate's unit."""

    x: alt.X
    y: alt.Y
    along: tuple[float, float]
    up: tuple[float, float]
    factor: float


def roof_chart(series: Series, metrics: Iterable[Metric], words: LabWords) -> Drawn | None:
    """Points on double-logarithmic axes with the roofs drawn and their ridges marked; None without a point.

    Points of one kind have one colour, are joined in their order, and named by their size at both ends.
    """
    points, metrics = points_of(series, words), tuple(metrics)
    if not points:
        return None
    roofs = roofs_of(metrics, dtypes_of(series))
    unit = series.units[series.columns[1]]
    frame = _frame(series, points, roofs, words)
    title = words.find(f"series.{series.name}") or words.word(f"series.{series.name}")
    chart = alt.layer(*_roof_layers(roofs, frame, words), *_point_layers(points, frame, unit, title, words))
    chart = chart.properties(height=_HEIGHT)
    bounds = [roof.in_words(unit, words) for roof in roofs]
    if bounds:
        strokes = ["━" if roof.ceiling == "measured" else "┄" for roof in roofs]
        named = [f"{stroke} {text}" for stroke, text in zip(strokes, bounds, strict=True)]
        chart = chart.properties(
            title=alt.TitleParams(
                named, anchor="start", orient="bottom", fontSize=12, fontWeight="normal", color=ink_colour()
            )
        )
    language = words.language
    said = "; ".join(
        f"{point.name}: {quantity(point.x, 'FLOP/B', language)}, {quantity(point.y, unit, language)}"
        for point in points[:20]
    )
    shown = [metric.name for metric in metrics if metric.unit in ("FLOP/B", unit)]
    shown += BANDWIDTH_OF.values()
    return Drawn(title, chart, f"{title}. {'; '.join(bounds)}. {said}", tuple(dict.fromkeys(shown)))


def _frame(series: Series, points: Sequence[Point], roofs: Sequence[Roof], words: LabWords) -> _Frame:
    names, units = series.columns, series.units
    factor = PREFIXES[units[names[1]]]
    along = _range([point.x for point in points] + [roof.ridge for roof in roofs])
    up = _range([point.y for point in points] + [roof.at(roof.ridge) / factor for roof in roofs])
    x = alt.X(
        "x:Q",
        title=axis_title(words.word(f"column.{names[0]}"), units[names[0]]),
        axis=number_axis(words.language, values=_decades(*along), grid=True),
        scale=alt.Scale(type="log", domain=list(along), nice=False),
    )
    y = alt.Y(
        "y:Q",
        title=axis_title(words.word(f"column.{names[1]}"), units[names[1]]),
        axis=number_axis(words.language, values=_decades(*up), grid=True),
        scale=alt.Scale(type="log", domain=list(up), nice=False),
    )
    return _Frame(x=x, y=y, along=along, up=up, factor=factor)


def _point_layers(
    points: Sequence[Point], frame: _Frame, unit: str, title: str, words: LabWords
) -> list[alt.Chart]:
    language = words.language
    rows = [
        {
            "x": point.x,
            "y": point.y,
            "kind": point.kind,
            "order": place,
            "name": point.name,
            "intensity": quantity(point.x, "FLOP/B", language),
            "rate": quantity(point.y, unit, language),
        }
        for place, point in enumerate(points)
    ]
    kinds = list(dict.fromkeys(point.kind for point in points))
    legend = alt.Legend(orient="top", columns=2, labelLimit=300, symbolOpacity=1)
    colour = alt.Color("kind:N", sort=kinds, title=None, legend=legend)
    base = alt.Chart(pd.DataFrame(rows)).encode(x=frame.x, y=frame.y, color=colour)
    layers = [
        base.mark_line(strokeWidth=1.5, opacity=0.55).encode(order="order:Q"),
        base.mark_point(filled=True, size=64, opacity=1).encode(
            tooltip=[
                alt.Tooltip("name:N", title=title),
                alt.Tooltip("intensity:N", title=str(frame.x.title)),
                alt.Tooltip("rate:N", title=str(frame.y.title)),
            ]
        ),
    ]
    ends = pd.DataFrame(_ends(points))
    if len(ends):
        text = alt.Chart(ends).mark_text(align="left", dx=7, dy=9, fontSize=11, color=ink_colour())
        layers.append(text.encode(x=frame.x, y=frame.y, text="label:N"))
    return layers


def _ends(points: Sequence[Point]) -> list[dict[str, str | float]]:
    """The first and the last point of each kind, named by its size: those between can be read off."""
    found: list[dict[str, str | float]] = []
    for kind in dict.fromkeys(point.kind for point in points):
        own = [point for point in points if point.kind == kind and point.size]
        for point in (own[0], own[-1]) if len(own) > 1 else ():
            found.append({"x": point.x, "y": point.y, "label": point.size})
    return found


def _roof_layers(roofs: Sequence[Roof], frame: _Frame, words: LabWords) -> list[alt.Chart]:
    """Each roof as a line that is clipped to the picture; where slope and flat part meet, the ridge point is
    marked and named at the foot."""
    layers: list[alt.Chart] = []
    for place, roof in enumerate(roofs):
        start = max(frame.along[0], frame.up[0] * frame.factor / roof.bandwidth)
        corners = [{"x": x, "y": roof.at(x) / frame.factor} for x in (start, roof.ridge, frame.along[1])]
        dash = [1, 0] if roof.ceiling == "measured" else [5, 3]
        line = alt.Chart(pd.DataFrame(corners)).mark_line(
            strokeWidth=2, strokeDash=dash, color=ink_colour(), opacity=0.8
        )
        layers.append(line.encode(x=frame.x, y=frame.y, order="x:Q"))
        mark = alt.Chart(pd.DataFrame(corners[1:2])).mark_point(
            shape="diamond", filled=True, size=90, color=ink_colour(), opacity=1
        )
        layers.append(mark.encode(x=frame.x, y=frame.y))
        foot = {
            "x": roof.ridge,
            "y": frame.up[0],
            "top": corners[1]["y"],
            "label": number(roof.ridge, words.language),
        }
        base = alt.Chart(pd.DataFrame([foot])).encode(x=frame.x, y=frame.y)
        rule = base.mark_rule(strokeDash=[2, 3], strokeWidth=1, color=ink_colour())
        layers.append(rule.encode(y2="top:Q"))
        # the lowest to the left of its line, the others to the right: close ones don't cover each other
        side = -1 if place == 0 and len(roofs) > 1 else 1
        name = base.mark_text(
            align="right" if side < 0 else "left", dx=4 * side, dy=-8, fontSize=11.5, color=ink_colour()
        )
        layers.append(name.encode(text="label:N"))
    return layers


def _range(values: Sequence[float]) -> tuple[float, float]:
    """From a little below the lowest to a little above the highest, on a logarithmic scale."""
    return min(values) / 1.6, max(values) * 2.2


def _decades(low: float, high: float) -> list[float]:
    """The powers of ten within a range, or of two where there are too few."""
    tens = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    if len(tens) >= 2:
        return tens
    return [2.0**power for power in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
