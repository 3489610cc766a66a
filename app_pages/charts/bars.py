"""Variants of a metric as bars, with floors and ceilings drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from app_pages.charts.bounds import REFERENCES, bounds_of, named_bound
from app_pages.charts.drawn import Drawn
from app_pages.charts.scales import TIME_UNITS, accent_colour, axis_title, ink_colour, number_axis, unit_scale
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity
from engine.measure.events import Metric
from engine.measure.results import Result

MOST_BARS = 14
BAND, LINE, BELOW = 36, 16, 34
"""Heights in pixels: a bar with the room around it, a line of text, the axis below."""


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
        return bool(bounds_of(result.metrics, unit, result)), unit in TIME_UNITS

    name, metrics = max(found, key=rank)
    references = bounds_of(result.metrics, metrics[0].unit, result)
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


def _bars(title: str, metrics: Sequence[Metric], references: Sequence[Metric], words: LabWords) -> Drawn:
    unit, factor, sign = unit_scale([metric.value for metric in metrics], metrics[0].unit)
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
    ink = ink_colour()
    top = max([row["high"] for row in rows] + [metric.value * factor for metric in references])
    scale = alt.Scale(domain=[0, float(top) * 1.22], nice=False)
    frame = pd.DataFrame(rows)
    order = [row["variant"] for row in rows]
    y = alt.Y("variant:N", sort=order, title=None, axis=alt.Axis(labelLimit=190, ticks=False, domain=False))
    base = alt.Chart(frame)
    bars = base.mark_bar(height={"band": 0.58}, cornerRadiusEnd=3).encode(
        x=alt.X("value:Q", title=None, scale=scale, axis=number_axis(language, tickCount=5)),
        y=y,
        tooltip=[alt.Tooltip("variant:N", title=title), alt.Tooltip("text:N", title=sign or title)],
    )
    spread = base.mark_rule(strokeWidth=1.5, color=ink).encode(x="low:Q", x2="high:Q", y=y)
    texts = base.mark_text(align="left", dx=6, color=ink, fontSize=12).encode(x="high:Q", y=y, text="text:N")
    layers: list[alt.Chart] = [bars, spread, texts]
    if references:
        layers += _rules(references, factor, words, ink, middle=float(top) * 0.6)
    said = "; ".join(f"{row['variant']}: {row['text']}" for row in rows)
    bounds = "; ".join(named_bound(metric, words, references) for metric in references)
    height = BAND * len(rows) + LINE * len(references) + BELOW
    chart = alt.layer(*layers).properties(height=height)
    return Drawn(axis_title(title, sign), chart, f"{title}: {said}" + (f". {bounds}" if bounds else ""))


def _rules(
    references: Sequence[Metric], factor: float, words: LabWords, ink: str, *, middle: float
) -> list[alt.Chart]:
    """A vertical line for each floor or ceiling, named at its upper end, one name above the other.

    A name runs to the right of its line, right of the `middle` to the left.
    """
    layers = []
    for place, metric in enumerate(references):
        name = named_bound(metric, words, references)
        base = alt.Chart(pd.DataFrame([{"value": metric.value * factor, "name": name}]))
        layers.append(
            base.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=accent_colour()).encode(x="value:Q")
        )
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
