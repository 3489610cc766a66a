"""The roofline: what kernels reach over their arithmetic intensity, under the roof of this device.

A roof is a bandwidth (the slope) and a rate (the flat part) that meet at the ridge point. Its numbers are the
run's own metrics: a `ridge_point` with its ceiling and dtype, and the bandwidth of the same ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from app_pages.charts.drawn import Drawn
from app_pages.charts.scales import accent_colour, axis_title, ink_colour, number_axis
from app_pages.lab_words import LabWords
from app_pages.numbers import number, quantity
from engine.measure.events import Metric, Series

_BANDWIDTH_OF = {"measured": "copy_bandwidth", "datasheet": "datasheet_bandwidth"}
_PREFIXES = {"GFLOP/s": 1.0, "TFLOP/s": 1e3}
"""Factors to GFLOP/s: the product of FLOP/B and GB/s."""
_HEIGHT = 420
_LABELS = 40


@dataclass(frozen=True, slots=True)
class Roof:
    """A ceiling's roof. Bandwidth in GB/s, ridge in FLOP/B."""

    ceiling: str
    dtype: str
    bandwidth: float
    ridge: float

    def at(self, intensity: float) -> float:
        """The most that can be reached at that intensity, in GFLOP/s."""
        return min(intensity, self.ridge) * self.bandwidth


def is_roofline(series: Series) -> bool:
    """A series of arithmetic intensity and rate, in that order."""
    if len(series.columns) < 2:
        return False
    first, second = (series.units.get(column, "") for column in series.columns[:2])
    return first == "FLOP/B" and second in _PREFIXES


def roofs_of(metrics: Iterable[Metric], dtypes: Iterable[str]) -> list[Roof]:
    """The roofs that the metrics give for those dtypes; for all where none is named."""
    metrics, wanted = tuple(metrics), set(dtypes)
    found = []
    for metric in metrics:
        dtype, ceiling = str(metric.labels.get("dtype", "")), str(metric.labels.get("ceiling", ""))
        if metric.name != "ridge_point" or ceiling not in _BANDWIDTH_OF or (wanted and dtype not in wanted):
            continue
        bandwidth = next((one.value for one in metrics if one.name == _BANDWIDTH_OF[ceiling]), None)
        if bandwidth:
            found.append(Roof(ceiling=ceiling, dtype=dtype, bandwidth=bandwidth, ridge=metric.value))
    return found


def roof_chart(series: Series, metrics: Iterable[Metric], words: LabWords) -> Drawn | None:
    """Points on double-logarithmic axes with the roofs drawn and their ridges marked; None without a point.

    Points of one text in the columns are one colour; rows of one colour are joined in
    their order and named by their numbers (a batch, a depth) at both ends.
    """
    factor = _PREFIXES[series.units[series.columns[1]]]
    points = _points(series, words)
    if not points:
        return None
    dtypes = _texts(series, "dtype")
    roofs = roofs_of(metrics, dtypes)
    low, high = _range([point["x"] for point in points] + [roof.ridge for roof in roofs])
    title = words.find(f"series.{series.name}") or words.word(f"series.{series.name}")
    along = axis_title(words.word(f"column.{series.columns[0]}"), "FLOP/B")
    unit = series.units[series.columns[1]]
    up = axis_title(words.word(f"column.{series.columns[1]}"), unit)
    rates = [point["y"] for point in points] + [roof.at(roof.ridge) / factor for roof in roofs]
    bottom, top = _range(rates)
    x = alt.X(
        "x:Q",
        title=along,
        axis=number_axis(words.language, values=_decades(low, high), grid=True),
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
    )
    y = alt.Y(
        "y:Q",
        title=up,
        axis=number_axis(words.language, values=_decades(bottom, top), grid=True),
        scale=alt.Scale(type="log", domain=[bottom, top], nice=False),
    )
    kinds = list(dict.fromkeys(point["kind"] for point in points))
    colour = alt.Color(
        "kind:N", sort=kinds, title=None, legend=alt.Legend(orient="top", columns=2, labelLimit=300)
    )
    base = alt.Chart(pd.DataFrame(points)).encode(x=x, y=y, color=colour)
    layers: list[alt.Chart] = _roof_layers(roofs, factor, (low, high), (bottom, top), x, y)
    layers.append(base.mark_line(strokeWidth=1.5, opacity=0.55).encode(order="order:Q"))
    layers.append(
        base.mark_point(filled=True, size=64, opacity=1).encode(
            tooltip=[
                alt.Tooltip("name:N", title=title),
                alt.Tooltip("intensity:N", title=along),
                alt.Tooltip("rate:N", title=up),
            ]
        )
    )
    shown = [point for point in points if point["label"]][:_LABELS]
    if shown:
        layers.append(
            alt.Chart(pd.DataFrame(shown))
            .mark_text(align="left", dx=7, dy=9, fontSize=11, color=ink_colour())
            .encode(x=x, y=y, text="label:N")
        )
    chart = alt.layer(*layers).properties(height=_HEIGHT)
    bounds = [_in_words(roof, factor, unit, words) for roof in roofs]
    if bounds:
        strokes = ["━" if roof.ceiling == "measured" else "┄" for roof in roofs]
        named = [f"{stroke} {text}" for stroke, text in zip(strokes, bounds, strict=True)]
        chart = chart.properties(
            title=alt.TitleParams(
                named, anchor="start", orient="bottom", fontSize=12, fontWeight="normal", color=ink_colour()
            )
        )
    said = "; ".join(f"{point['name']}: {point['intensity']}, {point['rate']}" for point in points[:20])
    return Drawn(title, chart, f"{title}. {'; '.join(bounds)}. {said}")


def _points(series: Series, words: LabWords) -> list[dict[str, Any]]:
    """A point for each row: its place, colour and label."""
    unit = series.units[series.columns[1]]
    texts = [
        c for c in range(2, len(series.columns)) if _all_of(series, c, str) and series.columns[c] != "dtype"
    ]
    sizes = [c for c in range(2, len(series.columns)) if _all_of(series, c, int | float)]
    points: list[dict[str, Any]] = []
    for row in series.rows:
        x, y = row[0], row[1]
        if not isinstance(x, int | float) or not isinstance(y, int | float) or x <= 0 or y <= 0:
            continue
        kind = " · ".join(words.value(row[column]) for column in texts if row[column] is not None)
        size = " · ".join(
            f"{words.word(f'column.{series.columns[column]}')} {words.value(row[column])}"
            for column in sizes
            if row[column] is not None
        )
        points.append(
            {
                "x": float(x),
                "y": float(y),
                "kind": kind,
                "order": len(points),
                "name": " · ".join(part for part in (kind, size) if part),
                "size": size,
                "label": "",
                "intensity": quantity(x, "FLOP/B", words.language),
                "rate": quantity(y, unit, words.language),
            }
        )
    _label(points)
    return points


def _label(points: Sequence[dict[str, Any]]) -> None:
    """Names the first and the last point of each kind by its size: the ones between can be read off."""
    for kind in dict.fromkeys(point["kind"] for point in points):
        own = [point for point in points if point["kind"] == kind]
        for point in (own[0], own[-1]) if len(own) > 1 else ():
            point["label"] = point["size"]


def _roof_layers(
    roofs: Sequence[Roof],
    factor: float,
    along: tuple[float, float],
    up: tuple[float, float],
    x: alt.X,
    y: alt.Y,
) -> list[alt.Chart]:
    """Each roof as a line that is clipped to the picture, with a mark where slope and flat part meet."""
    layers: list[alt.Chart] = []
    for roof in roofs:
        start = max(along[0], up[0] * factor / roof.bandwidth)
        corners = [{"x": at, "y": roof.at(at) / factor} for at in (start, roof.ridge, along[1])]
        dash = [1, 0] if roof.ceiling == "measured" else [5, 3]
        base = alt.Chart(pd.DataFrame(corners))
        layers.append(
            base.mark_line(strokeWidth=2, strokeDash=dash, color=accent_colour()).encode(
                x=x, y=y, order="x:Q"
            )
        )
        ridge = alt.Chart(pd.DataFrame(corners[1:2]))
        layers.append(
            ridge.mark_point(shape="diamond", filled=True, size=90, color=accent_colour()).encode(x=x, y=y)
        )
        foot = pd.DataFrame([{"x": roof.ridge, "y": up[0], "y2": corners[1]["y"]}])
        layers.append(
            alt.Chart(foot)
            .mark_rule(strokeDash=[2, 3], strokeWidth=1, color=accent_colour())
            .encode(x=x, y=y, y2="y2:Q")
        )
    return layers


def _in_words(roof: Roof, factor: float, unit: str, words: LabWords) -> str:
    """A roof by its three numbers: "measured · bf16: 4.18 TB/s, 672 TFLOP/s, ridge point 161 FLOP/B"."""
    language = words.language
    which = " · ".join(part for part in (words.value(roof.ceiling), roof.dtype) if part)
    slope = quantity(roof.bandwidth, "GB/s", language)
    flat = quantity(roof.at(roof.ridge) / factor, unit, language)
    return f"{which}: {slope}, {flat}, {words.metric('ridge_point')} {number(roof.ridge, language)}"


def _texts(series: Series, name: str) -> list[str]:
    if name not in series.columns:
        return []
    column = series.columns.index(name)
    return list(dict.fromkeys(str(row[column]) for row in series.rows if row[column] is not None))


def _all_of(series: Series, column: int, kind: Any) -> bool:
    values = [row[column] for row in series.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """From a little below the lowest to a little above the highest, on a logarithmic scale."""
    return min(values) / 1.6, max(values) * 2.2


def _decades(low: float, high: float) -> list[float]:
    """The powers of ten within a range, or of two where there are too few."""
    tens = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    if len(tens) >= 2:
        return tens
    return [2.0**power for power in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
