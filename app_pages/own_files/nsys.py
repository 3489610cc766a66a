"""A capture of Nsight Systems: its three readings (gaps, cadence, copies), the devices, the sums."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.analysis_words import said
from app_pages.own_files import nsys_cards
from app_pages.own_files.diagnosis import codes, findings, sentences
from app_pages.own_files.make_card import card_button
from app_pages.own_files.readings import READINGS
from app_pages.own_files.tables import (
    Cell,
    count,
    name,
    plain_number,
    rows_of,
    share,
    size,
    table,
    time_us,
)
from app_pages.own_files.teach import teach
from app_pages.sheet import sheet
from app_pages.words import phrase, say

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

FIRST = 20


def nsys_view(state: AnalysisState, analysis: Mapping[str, Any]) -> None:
    """The readings in their order, what else was found, then the tables."""
    language = context.language()
    key = f"files.{state.id}"
    sheet(readings(analysis, language), key=f"{key}.readings")
    listed = {code for group in READINGS.values() for code in group}
    rest = [each for each in findings(analysis) if each.code not in listed]
    html = sentences(rest, findings(analysis, "warnings"), language)
    if html:
        sheet(html, key=f"{key}.rest")
    card_button(partial(nsys_cards.of_capture, state, analysis, language), key=f"{key}.card")
    for place, device in enumerate(rows_of(analysis.get("devices"))):
        copies = _copies(device, language)
        if copies:
            st.markdown(f"**GPU {device.get('device')} · {say('your_files.table.copies')}**")
            sheet(copies, key=f"{key}.{place}.copies")
    _sums(analysis, language, key=key)
    teach(codes(analysis), key=key)


def readings(analysis: Mapping[str, Any], language: str) -> str:
    """The three readings as HTML; of one that the file can't give, that is said."""
    found = findings(analysis)
    items = ""
    for reading, of in READINGS.items():
        texts = [said(each, language) for each in found if each.code in of]
        title = escape(phrase(language, f"your_files.reading.{reading}"))
        shown = "".join(f"<p>{escape(text)}</p>" for text in texts)
        missing = escape(phrase(language, "your_files.reading.none"))
        items += f"<li><h4>{title}</h4>{shown or f'<p><small>{missing}</small></p>'}</li>"
    return f'<ol class="readings" lang="{language}">{items}</ol>'


def _copies(device: Mapping[str, Any], language: str) -> str:
    rows = [
        (
            name(row.get("direction")),
            count(row.get("count"), language),
            size(row.get("bytes") or None, language),
            size(row.get("median_bytes") if row.get("bytes") else None, language),
            time_us(row.get("time_us"), language),
            time_us(row.get("period_us"), language),
        )
        for row in rows_of(device.get("copies"))
    ]
    heads = ("direction", "count", "bytes", "median_bytes", "gpu_time", "period")
    titles = [say(f"your_files.column.{head}") for head in heads]
    return table(say("your_files.table.copies"), titles, rows) if rows else ""


def _sums(analysis: Mapping[str, Any], language: str, *, key: str) -> None:
    sums = analysis.get("sums")
    for report, rows in sums.items() if isinstance(sums, dict) else ():
        shown = [
            (
                name(row.get("name")),
                count(row.get("count"), language),
                time_us(row.get("total_us"), language),
                _share(row, language),
                time_us(row.get("p50_us"), language),
            )
            for row in rows_of(rows)
        ]
        if not shown:
            continue
        heads = ("name", "count", "total", "share", "p50")
        titles = [say(f"your_files.column.{head}") for head in heads]
        st.markdown(f"**{report}**")
        every = st.session_state.get(f"{key}.{report}.every", False)
        sheet(table(report, titles, shown if every else shown[:FIRST]), key=f"{key}.{report}")
        if len(shown) > FIRST:
            st.toggle(say("your_files.all_rows", n=len(shown)), key=f"{key}.{report}.every")


def _share(row: Mapping[str, Any], language: str) -> Cell:
    value = row.get("share_percent")
    if not isinstance(value, int | float):
        return plain_number(None, "", language)
    return share(value / 100, language)
