"""A large request beside what is free when it comes: in all, and in one piece. Imports altair and pandas."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from app_pages.charts import Drawn
from app_pages.charts.scales import number_axis, series_colours, theme_colour
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity, scaled
from app_pages.words import say
from engine.measure.events import Metric
from engine.measure.results import Result

NAMES = ("free_total", "largest_free_block", "request", "served")
BAND, BELOW, LEGEND = 42, 40, 70
"""Pixels: a bar with the room around it, the axis, the legend."""


def request_chart(result: Result, words: LabWords) -> Drawn | None:
    """A bar for each program of the result; None where it measured no such request."""
    programs = [metric for metric in result.metrics if metric.name == "request"]
    rows = [row for row in (_row(result, metric, words) for metric in programs) if row]
    if not rows:
        return None
    top = max(max(row["free"], row["request"]) for row in rows)
    shown, sign = scaled(top, "B")
    factor = shown / top if top else 1.0
    language = words.language
    for row in rows:
        row["end"] = say("memory.served" if row["served"] else "memory.fails")
        row["said"] = say("memory.request_alt", end=row["end"], **_amounts(row, language))
        for name in ("free", "largest", "request"):
            row[name] *= factor
    frame = pd.DataFrame(rows)
    parts = [say("memory.free_in_all"), words.metric("largest_free_block"), words.metric("request")]
    scale = alt.Scale(
        domain=parts, range=[theme_colour("borderColor"), series_colours()[0], theme_colour("orangeColor")]
    )
    order = list(dict.fromkeys(row["program"] for row in rows))
    y = alt.Y("program:N", sort=order, title=None, axis=_two_lines())
    x_scale = alt.Scale(domain=[0, shown * 1.02], nice=False)

    def layer(name: str, part: int) -> alt.Chart:
        return (
            alt.Chart(frame)
            .transform_calculate(part=f"'{_quoted(parts[part])}'")
            .encode(
                x=alt.X(f"{name}:Q", title=sign, scale=x_scale, axis=number_axis(language, tickCount=5)),
                y=y,
                color=alt.Color(
                    "part:N", title=None, scale=scale, legend=alt.Legend(orient="top", columns=1)
                ),
                tooltip=[alt.Tooltip("program:N", title=words.label("pattern")), alt.Tooltip("said:N")],
            )
        )

    layers = [
        layer("free", 0).mark_bar(height={"band": 0.6}),
        layer("largest", 1).mark_bar(height={"band": 0.6}),
        layer("request", 2).mark_tick(thickness=3, height={"band": 0.85}),
        alt.Chart(frame)
        .mark_text(align="right", dx=-6, fontSize=12, color=theme_colour("textColor"))
        .encode(x="free:Q", y=y, text="end:N"),
    ]
    title = say("memory.request")
    said = "; ".join(f"{row['program']}: {row['said']}" for row in rows)
    height = BAND * len(order) + BELOW + LEGEND
    return Drawn(title, alt.layer(*layers).properties(height=height), f"{title}. {said}", shows=NAMES)


def _row(result: Result, request: Metric, words: LabWords) -> dict[str, Any] | None:
    found = {name: result.metric(name, **request.labels) for name in NAMES}
    values = {name: metric.value for name, metric in found.items() if metric is not None}
    if len(values) < len(NAMES):
        return None
    return {
        "program": words.variant(request),
        "free": values["free_total"],
        "largest": values["largest_free_block"],
        "request": values["request"],
        "served": bool(values["served"]),
    }


def _two_lines() -> alt.Axis:
    """The names of the programs, pattern above allocator: a phone has no room for them on one line."""
    return alt.Axis(labelExpr="split(datum.label, ' · ')", labelLimit=150, ticks=False, domain=False)


def _amounts(row: dict[str, Any], language: str) -> dict[str, str]:
    return {name: quantity(row[name], "B", language) for name in ("request", "free", "largest")}


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
