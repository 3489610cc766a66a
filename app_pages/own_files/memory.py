"""A memory snapshot: healthy, leak or fragmentation, the stack that did it, the memory drawn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.lab_words import LabWords
from app_pages.numbers import number, quantity
from app_pages.own_files import memory_cards
from app_pages.own_files.diagnosis import codes, diagnosis, findings
from app_pages.own_files.make_card import card_button
from app_pages.own_files.tables import count, facts, name, rows_of, size, table
from app_pages.own_files.teach import teach
from app_pages.sheet import sheet
from app_pages.words import catalogue, phrase, say

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

WORDS = "your_files.memory."


def memory_view(state: AnalysisState, analysis: Mapping[str, Any]) -> None:
    """Everything that the snapshot shows. `analysis`: as `python -m engine analyse --json` prints it."""
    language = context.language()
    key = f"files.{state.id}"
    diagnosis(analysis, language, key=key)
    devices = rows_of(analysis.get("devices"))
    for place, device in enumerate(devices):
        if len(devices) > 1:
            st.subheader(f"GPU {device.get('device')}", anchor=False)
        _device(device, _leaking(analysis, device), language, key=f"{key}.{place}")
        card_button(
            partial(memory_cards.of_snapshot, state, analysis, device, language), key=f"{key}.{place}.card"
        )
    teach(codes(analysis), key=key)


def words_of(language: str) -> LabWords:
    """The words by which the pictures of memory are named, as a lab's would be."""
    own = {
        key.removeprefix(WORDS): text for key, text in catalogue(language).items() if key.startswith(WORDS)
    }
    return LabWords("files", own, own, language)


def _leaking(analysis: Mapping[str, Any], device: Mapping[str, Any]) -> str:
    """The call that leaks on the device, as `place` names it; "" where none does."""
    leaks = [each for each in findings(analysis) if each.code == "leak"]
    return next(
        (
            str(leak.args.get("call") or "")
            for leak in leaks
            if leak.args.get("device") == device.get("device")
        ),
        "",
    )


def _device(device: Mapping[str, Any], leaking: str, language: str, *, key: str) -> None:
    stack = device.get("leak_stack")
    if isinstance(stack, list) and stack:
        st.markdown(f"**{say('your_files.culprit')}**")
        sheet(_stack(stack, leaking), key=f"{key}.stack")
    left, right = st.columns(2, gap="large")
    with left:
        sheet(facts(_sizes(device, language)), key=f"{key}.sizes")
    with right:
        entries = [*_recorded(device, language), *_failed(device, language)]
        if entries:
            sheet(facts(entries), key=f"{key}.recorded")
    _pictures(device, language, key=key)
    _alive(device, language, key=key)


def _pictures(device: Mapping[str, Any], language: str, *, key: str) -> None:
    from app_pages.charts import show  # altair and pandas: a second
    from app_pages.memory_pictures import begins_at, call_colours, segment_map, timeline

    words = words_of(language)
    levels = [
        dict(zip(("at", "call", "allocated"), row, strict=True)) for row in device.get("timeline") or ()
    ]
    columns = ("line", "segment", "offset", "size", "call")
    pieces = [dict(zip(columns, row, strict=True)) for row in device.get("segment_map") or ()]
    calls = list(dict.fromkeys(row["call"] for row in (*levels, *pieces)))
    if len({row["at"] for row in levels}) > 1:
        show(timeline(levels, words, call_colours(calls, levels, words)), key=f"{key}.timeline")
        if begins_at(levels):
            st.caption(say("memory.not_from_zero", bytes=quantity(begins_at(levels), "B", language)))
    if pieces:
        show(segment_map(pieces, words, call_colours(calls, pieces, words)), key=f"{key}.map")
        st.caption(say("memory.map_hint"))


def _sizes(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    found = []
    for part in ("allocated", "requested", "reserved", "free", "stranded", "largest_free"):
        value = device.get(f"{part}_bytes")
        if isinstance(value, int):
            found.append((phrase(language, f"your_files.size.{part}"), quantity(value, "B", language)))
    if isinstance(device.get("segments"), int):
        found.append((say("your_files.size.segments"), number(device["segments"], language)))
    return found


def _recorded(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    recorded = device.get("recorded")
    if not isinstance(recorded, dict) or not (recorded.get("allocs") or recorded.get("frees")):
        return []
    counts = {part: number(int(recorded.get(part) or 0), language) for part in ("allocs", "frees")}
    found = [("events", phrase(language, "your_files.recorded.events.value", **counts))]
    for part in ("baseline", "peak", "end"):
        found.append((part, quantity(int(recorded.get(f"{part}_bytes") or 0), "B", language)))
    found.append(("teeth", number(int(recorded.get("teeth") or 0), language)))
    return [(phrase(language, f"your_files.recorded.{name}"), value) for name, value in found]


def _failed(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    failed = device.get("failed_request")
    if not isinstance(failed, dict):
        return []
    return [
        (phrase(language, f"your_files.failed.{part}"), quantity(int(failed[f"{part}_bytes"]), "B", language))
        for part in ("requested", "free", "largest_free", "device_free")
        if isinstance(failed.get(f"{part}_bytes"), int)
    ]


def _alive(device: Mapping[str, Any], language: str, *, key: str) -> None:
    """What lives at the end by call; the stack of each on demand."""
    alive = rows_of(device.get("alive"))
    if not alive:
        return
    st.markdown(f"**{say('your_files.alive')}**")
    unknown = words_of(language).value("(no stack)")
    heads = [say(f"your_files.column.{column}") for column in ("call", "bytes", "blocks")]
    rows = [
        (
            name(row.get("call") or unknown),
            size(row.get("bytes"), language),
            count(row.get("blocks"), language),
        )
        for row in alive
    ]
    sheet(table(say("your_files.alive"), heads, rows), key=f"{key}.alive")
    stacks = "".join(
        f"<details><summary>{escape(str(row.get('call')))}</summary>{_stack(row['stack'])}</details>"
        for row in alive[:8]
        if row.get("stack")
    )
    if stacks:
        with st.expander(say("your_files.stacks"), icon=":material/account_tree:"):
            sheet(stacks, key=f"{key}.stacks")


def _stack(frames: list[Any], call: str = "") -> str:
    """The frames, innermost first; the one that is the program's own call stands out."""
    lines = ""
    for frame in map(str, frames):
        text = escape(frame)
        lines += f"<li><b>{text}</b></li>" if call and frame.endswith(call) else f"<li>{text}</li>"
    return f'<ol class="stack">{lines}</ol>'
