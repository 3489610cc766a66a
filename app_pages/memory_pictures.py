"""The pictures of a memory snapshot: what each call had alive over time, and where the blocks lie.

They are drawn from two series of a result, small enough for a web page; the snapshot is never read here.
Imports altair and pandas: only pages that draw import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from app_pages.charts import Drawn, show
from app_pages.charts.scales import number_axis, series_colours, theme_colour
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity, scaled
from app_pages.words import say
from engine.measure.analyse.memory_picture import RESERVED
from engine.measure.events import Scalar, Series
from engine.measure.results import Result

TIMELINE = ("timeline", ("at", "pattern", "allocator", "call", "allocated"))
MAP = ("segment_map", ("line", "pattern", "allocator", "segment", "offset", "size", "call"))
TIMELINE_HEIGHT, LINE_HEIGHT, LEGEND_LINE = 330, 12, 22
"""Pixels. The legend, a line for each call, takes its room from the picture's."""
HIGH_FLOOR = 0.6
"""Of the highest level: weights that large leave no room for teeth, so the axis begins below their floor."""
Row = dict[str, Scalar]
Choice = tuple[str, str]
"""A pattern and where its memory came from."""


def is_picture(series: Series) -> bool:
    """Whether this module draws the series."""
    return (series.name, tuple(series.columns)) in (TIMELINE, MAP)


def memory_pictures(result: Result, words: LabWords, *, key: str) -> None:
    """One program's timeline and map, and a choice of the program where the result holds several."""
    rows = {series.name: _rows(series) for series in result.series if is_picture(series)}
    choices = list(dict.fromkeys(_choice(row) for found in rows.values() for row in found))
    if not choices:
        return
    st.markdown(f"**{say('memory.pictures')}**")
    chosen = choices[0]
    if len(choices) > 1:
        chosen = st.selectbox(
            say("memory.program"),
            choices,
            index=_most_telling(choices),
            format_func=lambda choice: " · ".join(words.value(part) for part in choice),
            key=f"{key}.program",
        )
    levels = [row for row in rows.get(TIMELINE[0], []) if _choice(row) == chosen]
    pieces = [row for row in rows.get(MAP[0], []) if _choice(row) == chosen]
    calls = _calls([*levels, *pieces])
    if levels:
        show(timeline(levels, words, call_colours(calls, levels, words)), key=f"{key}.timeline")
        if begins_at(levels):
            st.caption(say("memory.not_from_zero", bytes=quantity(begins_at(levels), "B", words.language)))
    if pieces:
        show(segment_map(pieces, words, call_colours(calls, pieces, words)), key=f"{key}.map")
        st.caption(say("memory.map_hint"))


def timeline(levels: Sequence[Row], words: LabWords, colours: alt.Scale) -> Drawn:
    """Areas over the events of the allocator, one on the other, one for each call, and a line for what is
    reserved. What is left at the end lies lowest: so a floor can be seen to climb."""
    language = words.language
    total, top = _totals(levels), _top(levels)
    shown, sign = scaled(top, "B")
    factor = shown / top if top else 1.0
    last = {row["call"]: _float(row["allocated"]) for row in levels}
    order = {call: place for place, call in enumerate(sorted(last, key=lambda call: -last[call]))}
    frame = pd.DataFrame(
        [
            {
                "at": row["at"],
                "call": words.value(row["call"]),
                "order": order[row["call"]],
                "value": _float(row["allocated"]) * factor,
                "text": quantity(_float(row["allocated"]), "B", language),
                "reserved": row["call"] == RESERVED,
            }
            for row in levels
        ]
    )
    scale = alt.Scale(domain=[begins_at(levels) * factor, shown], nice=False, zero=False)
    title = words.word("series.timeline")
    along = words.word("column.at")
    base = alt.Chart(frame).encode(
        x=alt.X("at:Q", title=along, scale=alt.Scale(nice=False), axis=number_axis(language)),
        color=_colour(colours),
        tooltip=[
            alt.Tooltip("call:N", title=words.word("column.call")),
            alt.Tooltip("at:Q", title=along),
            alt.Tooltip("text:N", title=words.word("column.allocated")),
        ],
    )
    up = f"{words.word('column.allocated')} ({sign})"
    areas = (
        base.transform_filter("!datum.reserved")
        .mark_area(clip=True)
        .encode(
            y=alt.Y("value:Q", stack="zero", title=up, scale=scale, axis=number_axis(language)),
            order="order:Q",
        )
    )
    line = (
        base.transform_filter("datum.reserved")
        .mark_line(strokeWidth=2, strokeDash=[5, 3], clip=True)
        .encode(y=alt.Y("value:Q", title=up, scale=scale, axis=number_axis(language)))
    )
    height = TIMELINE_HEIGHT + LEGEND_LINE * frame["call"].nunique()
    ends = [total[at] for at in sorted(total, key=_float)]
    said = say(
        "memory.timeline_alt",
        first=quantity(ends[0], "B", language),
        peak=quantity(max(ends), "B", language),
        last=quantity(ends[-1], "B", language),
    )
    return Drawn(title, alt.layer(areas, line).properties(height=height), f"{title}. {said}")


def begins_at(levels: Sequence[Row]) -> float:
    """Bytes at which the axis begins: 0, or below a floor so high that its teeth could hardly be seen."""
    totals, top = _totals(levels), _top(levels)
    floor = sorted(totals.values())[len(totals) // 4]
    return max(0.0, floor - 0.25 * (top - floor)) if floor > HIGH_FLOOR * top else 0.0


def _totals(levels: Sequence[Row]) -> dict[Scalar, float]:
    """What all calls have alive together at each instant."""
    total: dict[Scalar, float] = {}
    for row in levels:
        if row["call"] != RESERVED:
            total[row["at"]] = total.get(row["at"], 0.0) + _float(row["allocated"])
    return total


def _top(levels: Sequence[Row]) -> float:
    reserved = (_float(row["allocated"]) for row in levels if row["call"] == RESERVED)
    return max([*_totals(levels).values(), *reserved])


def segment_map(pieces: Sequence[Row], words: LabWords, colours: alt.Scale) -> Drawn:
    """The lines of reserved memory from the left: blocks in the colour of their call, free ones pale."""
    language = words.language
    longest = max(_float(row["offset"]) + _float(row["size"]) for row in pieces)
    shown, sign = scaled(longest, "B")
    factor = shown / longest if longest else 1.0
    free = [_float(row["size"]) for row in pieces if row["call"] == ""]
    frame = pd.DataFrame(
        [
            {
                "line": row["line"],
                "start": _float(row["offset"]) * factor,
                "end": (_float(row["offset"]) + _float(row["size"])) * factor,
                "call": _call(row, words),
                "segment": row["segment"],
                "text": quantity(_float(row["size"]), "B", language),
            }
            for row in pieces
        ]
    )
    lines = len({row["line"] for row in pieces})
    title = words.word("series.segment_map")
    chart = (
        alt.Chart(frame)
        .mark_rect(stroke=theme_colour("backgroundColor"), strokeWidth=1)
        .encode(
            x=alt.X(
                "start:Q",
                title=f"{words.word('column.offset')} ({sign})",
                scale=alt.Scale(nice=False),
                axis=number_axis(language),
            ),
            x2="end:Q",
            y=alt.Y("line:O", title=None, axis=None, scale=alt.Scale(paddingInner=0.12)),
            color=_colour(colours),
            tooltip=[
                alt.Tooltip("call:N", title=words.word("column.call")),
                alt.Tooltip("text:N", title=words.word("column.size")),
                alt.Tooltip("segment:Q", title=words.word("column.segment")),
            ],
        )
        .properties(height=90 + LINE_HEIGHT * lines + LEGEND_LINE * frame["call"].nunique())
    )
    said = say(
        "memory.map_alt",
        lines=lines,
        pieces=len(free),
        free=quantity(sum(free), "B", language),
        largest=quantity(max(free, default=0.0), "B", language),
    )
    return Drawn(title, alt.layer(chart), f"{title}. {said}")


def _rows(series: Series) -> list[Row]:
    return [dict(zip(series.columns, row, strict=True)) for row in series.rows]


def _choice(row: Row) -> Choice:
    return str(row["pattern"]), str(row["allocator"])


def _most_telling(choices: Sequence[Choice]) -> int:
    """The first program in which something fails, where there is one: a healthy one needs no picture."""
    return next((n for n, (pattern, _) in enumerate(choices) if pattern.endswith("survivors")), 0)


def _calls(rows: Sequence[Row]) -> list[Scalar]:
    return list(dict.fromkeys(row["call"] for row in rows))


def _call(row: Row, words: LabWords) -> str:
    return words.value(row["call"]) if row["call"] != "" else say("memory.free")


def call_colours(calls: Sequence[Scalar], rows: Sequence[Row], words: LabWords) -> alt.Scale:
    """Colours for these rows' calls; a call has the same one in both pictures (`calls`: those of both)."""
    cycle = series_colours()
    named = [call for call in calls if call not in ("", RESERVED)]
    colours = {words.value(call): cycle[place % len(cycle)] for place, call in enumerate(named)}
    colours |= {
        words.value(RESERVED): theme_colour("textColor"),
        say("memory.free"): theme_colour("borderColor"),
    }
    shown = list(dict.fromkeys(_call(row, words) for row in rows))
    return alt.Scale(domain=shown, range=[colours[name] for name in shown])


def _colour(scale: alt.Scale) -> alt.Color:
    return alt.Color(
        "call:N",
        title=None,
        scale=scale,
        legend=alt.Legend(orient="top", columns=1, labelLimit=340, rowPadding=2),
    )


def _float(value: Any) -> float:
    return float(value or 0)
