"""The tables of one device of a trace: what the GPU waited for, kernels, operators, ranges, steps, copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.own_files import trace_cards
from app_pages.own_files.make_card import card_button
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
from app_pages.sheet import sheet
from app_pages.words import knows, say

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

FIRST = 20
"""Rows that are shown at once; the others on demand."""
Row = Mapping[str, Any]
Rows = list[tuple[Cell, ...]]


@st.fragment
def tables(state: AnalysisState, device: Row, *, key: str) -> None:
    """One table at a time, chosen above it; those that the trace has nothing for aren't offered."""
    made = {part: make(device, context.language()) for part, (_, make) in TABLES.items()}
    offered = [part for part, rows in made.items() if rows]
    if not offered:
        return
    part = st.segmented_control(
        say("your_files.tables"),
        offered,
        default=offered[0],
        required=True,
        format_func=lambda each: say(f"your_files.table.{each}"),
        label_visibility="collapsed",
        key=f"{key}.table",
    )
    if part is None:
        return
    heads = [say(f"your_files.column.{column}") for column in TABLES[part][0]]
    hint = f"your_files.table.{part}.hint"
    if knows(hint):
        st.caption(say(hint))
    rows = made[part]
    every = len(rows) <= FIRST or st.session_state.get(f"{key}.{part}.every", False)
    sheet(table(say(f"your_files.table.{part}"), heads, rows if every else rows[:FIRST]), key=f"{key}.{part}")
    if len(rows) > FIRST:
        st.toggle(say("your_files.all_rows", n=len(rows)), key=f"{key}.{part}.every")
    if part == "kernels":
        _kernel_card(state, device, key=key)


def _kernel_card(state: AnalysisState, device: Row, *, key: str) -> None:
    kernels = [row for row in rows_of(device.get("by_kernel")) if row.get("kind") in (None, "kernel")]
    if not kernels:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            say("your_files.card.which_kernel"),
            range(len(kernels)),
            format_func=lambda place: name(kernels[place].get("name")).text,
            key=f"{key}.kernel",
        )
        card_button(
            lambda: trace_cards.of_kernel(state, device, kernels[chosen], context.language()),
            key=f"{key}.kernel.card",
        )


def _waited(device: Row, language: str) -> Rows:
    return [
        (
            name(_above(row)),
            count(row.get("count"), language),
            time_us(row.get("total_us"), language),
            share(row.get("share"), language),
        )
        for row in rows_of((device.get("gaps") or {}).get("waited_for"))
    ]


def _above(row: Row) -> str:
    """Operator → call, as far as the trace holds them."""
    parts = [str(row[part]) for part in ("cpu_op", "runtime_call") if row.get(part)]
    return " → ".join(parts) or say("your_files.not_recorded")


def _longest(device: Row, language: str) -> Rows:
    return [
        (
            Cell(f"{place + 1}"),
            time_us(row.get("duration_us"), language),
            time_us(row.get("start_us"), language),
            name(_above(row)),
            name(row.get("kernel_before") or "–"),
            name(row.get("kernel_after") or "–"),
        )
        for place, row in enumerate(rows_of((device.get("gaps") or {}).get("longest")))
    ]


def _kernels(device: Row, language: str) -> Rows:
    return [
        (
            name(row.get("name")),
            Cell(_family(row.get("family"))),
            count(row.get("count"), language),
            time_us(row.get("total_us"), language),
            share(row.get("share"), language),
            time_us(row.get("p50_us"), language),
            time_us(row.get("longest_us"), language),
        )
        for row in rows_of(device.get("by_kernel"))
    ]


def _families(device: Row, language: str) -> Rows:
    return [
        (
            Cell(_family(row.get("family"))),
            count(row.get("count"), language),
            time_us(row.get("total_us"), language),
            share(row.get("share"), language),
        )
        for row in rows_of(device.get("by_family"))
    ]


def _family(value: object) -> str:
    key = f"analysis.family.{value}"
    return say(key) if knows(key) else str(value or "–")


def _operators(device: Row, language: str) -> Rows:
    return [
        (
            name(row.get("name")),
            count(row.get("calls"), language),
            count(row.get("kernels"), language),
            time_us(row.get("gpu_us"), language),
            time_us(row.get("self_gpu_us"), language),
            time_us(row.get("self_cpu_us"), language),
        )
        for row in rows_of(device.get("by_operator"))
    ]


def _ranges(device: Row, language: str) -> Rows:
    return [
        (
            name(row.get("name")),
            count(row.get("count"), language),
            count(row.get("kernels"), language),
            time_us(row.get("gpu_us"), language),
            time_us(row.get("cpu_us"), language),
            time_us(row.get("span_us"), language),
        )
        for row in rows_of(device.get("by_range"))
    ]


def _steps(device: Row, language: str) -> Rows:
    return [
        (
            name(row.get("name")),
            time_us(row.get("wall_us"), language),
            time_us(row.get("busy_us"), language),
            share(row.get("busy_ratio"), language),
            count(row.get("kernels"), language),
            count(row.get("launches"), language),
            time_us(row.get("cpu_us"), language),
        )
        for row in rows_of(device.get("steps"))
    ]


def _copies(device: Row, language: str) -> Rows:
    return [
        (
            name(row.get("direction")),
            count(row.get("count"), language),
            size(row.get("bytes") or None, language),
            size(row.get("median_bytes") if row.get("bytes") else None, language),
            time_us(row.get("time_us"), language),
            plain_number(_rate(row), "GB/s", language),
            time_us(row.get("period_us"), language),
        )
        for row in rows_of(device.get("copies_by_direction"))
    ]


def _rate(row: Row) -> float | None:
    """GB/s: bytes by the time that copies took."""
    moved, took = row.get("bytes"), row.get("time_us")
    if not isinstance(moved, int | float) or not isinstance(took, int | float) or min(moved, took) <= 0:
        return None
    return moved / took / 1e3


TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Row, str], Rows]]] = {
    "waited": (("above", "gaps", "gap_time", "share"), _waited),
    "longest": (("rank", "duration", "start", "ended_by", "before", "after"), _longest),
    "kernels": (("kernel", "family", "count", "gpu_time", "share", "p50", "longest"), _kernels),
    "families": (("family", "count", "gpu_time", "share"), _families),
    "operators": (("operator", "calls", "kernels", "gpu_time", "self_gpu", "self_cpu"), _operators),
    "ranges": (("range", "count", "kernels", "gpu_time", "cpu_time", "span"), _ranges),
    "steps": (("step", "wall", "gpu_busy", "busy_ratio", "kernels", "launches", "cpu_time"), _steps),
    "copies": (
        ("direction", "count", "bytes", "median_bytes", "gpu_time", "rate", "period"),
        _copies,
    ),
}
"""Columns and rows of each table, in the order in which they are offered."""
