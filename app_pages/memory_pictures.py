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
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity, scaled
from app_pages.words import say
from engine.measure.events import Scalar, Series
from engine.measure.results import Result

TIMELINE = ("timeline", ("at", "pattern", "allocator", "call", "allocated"))
MAP = ("segment_map", ("line", "pattern", "allocator", "segment", "offset", "size", "call"))
LINE_HEIGHT = 13
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
    colours = _colours([*_calls(levels), *_calls(pieces)], words)
    if levels:
        show(timeline(levels, words, colours), key=f"{key}.timeline")
    if pieces:
        show(segment_map(pieces, words, colours), key=f"{key}.map")
        st.caption(say("memory.map_hint"))


def timeline(levels: Sequence[Row], words: LabWords, colours: alt.Scale) -> Drawn:
    """Areas over the events of the allocator, one on the other, one for each call."""
    language = words.language
    total: dict[Scalar, float] = {}
    for row in levels:
        total[row["at"]] = total.get(row["at"], 0.0) + _float(row["allocated"])
    peak = max(total.values())
    shown, sign = scaled(peak, "B")
    factor = shown / peak if peak else 1.0
    frame = pd.DataFrame(
        [
            {
                "at": row["at"],
                "call": words.value(row["call"]),
                "value": _float(row["allocated"]) * factor,
                "text": quantity(_float(row["allocated"]), "B", language),
            }
            for row in levels
        ]
    )
    title = words.word("series.timeline")
    along = words.word("column.at")
    chart = (
        alt.Chart(frame)
        .mark_area(interpolate="linear")
        .encode(
            x=alt.X("at:Q", title=along, scale=alt.Scale(nice=False)),
            y=alt.Y("value:Q", stack="zero", title=f"{words.word('column.allocated')} ({sign})"),
            color=_colour(colours),
            tooltip=[
                alt.Tooltip("call:N", title=words.word("column.call")),
                alt.Tooltip("at:Q", title=along),
                alt.Tooltip("text:N", title=words.word("column.allocated")),
            ],
        )
        .properties(height=260)
    )
    ends = [total[at] for at in sorted(total, key=_float)]
    said = say(
        "memory.timeline_alt",
        first=quantity(ends[0], "B", language),
        peak=quantity(peak, "B", language),
        last=quantity(ends[-1], "B", language),
    )
    return Drawn(title, alt.layer(chart), f"{title}. {said}")


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
        .mark_rect(stroke=_background(), strokeWidth=1)
        .encode(
            x=alt.X("start:Q", title=f"{words.word('column.offset')} ({sign})", scale=alt.Scale(nice=False)),
            x2="end:Q",
            y=alt.Y("line:O", title=None, axis=None, scale=alt.Scale(paddingInner=0.12)),
            color=_colour(colours),
            tooltip=[
                alt.Tooltip("call:N", title=words.word("column.call")),
                alt.Tooltip("text:N", title=words.word("column.size")),
                alt.Tooltip("segment:Q", title=words.word("column.segment")),
            ],
        )
        .properties(height=max(60, LINE_HEIGHT * lines))
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


def _colours(calls: Sequence[Scalar], words: LabWords) -> alt.Scale:
    """The same colour for a call in both pictures; pale for free memory."""
    names = list(dict.fromkeys(words.value(call) for call in calls if call != ""))
    palette = st.get_option(f"theme.{_theme()}.chartCategoricalColors")
    cycle = [str(colour) for colour in palette] if isinstance(palette, list) else ["#0b6e66"]
    colours = [cycle[place % len(cycle)] for place in range(len(names))]
    return alt.Scale(domain=[*names, say("memory.free")], range=[*colours, _pale()])


def _colour(scale: alt.Scale) -> alt.Color:
    return alt.Color(
        "call:N", title=None, scale=scale, legend=alt.Legend(orient="top", columns=1, labelLimit=340)
    )


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"


def _pale() -> str:
    return str(st.get_option(f"theme.{_theme()}.borderColor") or "#dedacf")


def _background() -> str:
    return str(st.get_option(f"theme.{_theme()}.backgroundColor") or "#ffffff")


def _float(value: Any) -> float:
    return float(value or 0)
