"""The figures of one device of a trace: busy, gaps, launches, what would remain without gaps."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from app_pages.numbers import number, percent, quantity
from app_pages.own_files.tables import facts, time_text
from app_pages.sheet import sheet
from app_pages.words import phrase, say

IN_GAPS = ("launching_us", "operators_us", "between_us", "computing_us", "waiting_us", "elsewhere_us")
"""What the CPU did in the gap time, in the order in which it is drawn."""


def figures(device: Mapping[str, Any], language: str, *, key: str) -> None:
    """Two lists side by side, and below them a bar of what the CPU did while the GPU waited."""
    left, right = st.columns(2, gap="large")
    with left:
        sheet(facts(_time(device, language)), key=f"{key}.time")
    with right:
        entries = [*_launches(device, language), *_bound(device, language)]
        if entries:
            sheet(facts(entries), key=f"{key}.launches")
    bar = gap_bar(device, language)
    if bar:
        st.markdown(f"**{say('your_files.in_gaps')}**")
        sheet(bar, key=f"{key}.in_gaps")


def _time(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    gaps = _part(device, "gaps")
    name = device.get("name")
    found = [("device", f"{device.get('device')}" + (f" · {name}" if name else ""))]
    wall, busy = (time_text(device.get(part), language) for part in ("wall_us", "busy_us"))
    ratio = percent(float(device.get("busy_ratio") or 0), language)
    found.append(
        ("busy", phrase(language, "your_files.figure.busy.value", ratio=ratio, busy=busy, wall=wall))
    )
    counts = {part: number(int(device.get(part) or 0), language) for part in ("kernels", "copies", "sets")}
    found.append(("work", phrase(language, "your_files.figure.work.value", **counts)))
    found.append(("streams", number(int(device.get("streams") or 0), language)))
    if gaps.get("count"):
        args = {part: time_text(gaps.get(f"{part}_us"), language) for part in ("total", "p50", "p90")}
        value = phrase(
            language, "your_files.figure.gaps.value", count=number(int(gaps["count"]), language), **args
        )
        found.append(("gaps", value))
    recorded = device.get("launch_recorded")
    events = sum(int(device.get(part) or 0) for part in ("kernels", "copies", "sets"))
    if isinstance(recorded, dict) and recorded.get("events") != events:
        value = phrase(
            language,
            "your_files.figure.recorded.value",
            events=number(int(recorded.get("events") or 0), language),
            busy=time_text(recorded.get("busy_us"), language),
            wall=time_text(recorded.get("wall_us"), language),
        )
        found.append(("recorded", value))
    return [(phrase(language, f"your_files.figure.{name}"), value) for name, value in found]


def _launches(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    launches = _part(device, "launches")
    found = []
    if launches.get("calls"):
        found.append(("launch_calls", number(int(launches["calls"]), language)))
    for name in ("launches_per_step", "kernels_per_step"):
        if isinstance(launches.get(name), int | float):
            found.append((name, number(float(launches[name]), language)))
    if isinstance(launches.get("cost_p50_us"), int | float):
        value = phrase(
            language,
            "your_files.figure.launch_cost.value",
            p50=time_text(launches["cost_p50_us"], language),
            p90=time_text(launches.get("cost_p90_us"), language),
        )
        found.append(("launch_cost", value))
    if isinstance(device.get("kernel_p50_us"), int | float):
        found.append(("kernel_p50", time_text(device["kernel_p50_us"], language)))
    if launches.get("kernels_in_graphs"):
        value = phrase(
            language,
            "your_files.figure.in_graphs.value",
            kernels=number(int(launches["kernels_in_graphs"]), language),
            graphs=number(int(launches.get("graph_calls") or 0), language),
        )
        found.append(("in_graphs", value))
    return [(phrase(language, f"your_files.figure.{name}"), value) for name, value in found]


def _bound(device: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    """What would remain of the time if gaps vanished."""
    bound = _part(device, "bound")
    found = []
    for name in ("no_gaps", "graphs"):
        left, faster = bound.get(f"{name}_us"), bound.get(f"{name}_speedup")
        if isinstance(left, int | float) and isinstance(faster, int | float):
            value = f"{time_text(left, language)} ({quantity(float(faster), '×', language)})"
            found.append((phrase(language, f"your_files.figure.{name}"), value))
    return found


def gap_bar(device: Mapping[str, Any], language: str) -> str:
    """The gap time by what the CPU did, as a bar with its legend; "" where the trace doesn't say."""
    cpu = _part(_part(device, "gaps"), "cpu")
    values = {name: float(cpu[name]) for name in IN_GAPS if isinstance(cpu.get(name), int | float)}
    total = sum(values.values())
    if total <= 0:
        return ""
    bars, legend = "", ""
    for place, name in enumerate(IN_GAPS):
        share = values.get(name, 0.0) / total
        if share <= 0:
            continue
        bars += f'<span class="part-{place}" style="flex-grow:{share:.4f}"></span>'
        word = escape(phrase(language, f"your_files.in_gaps.{name}"))
        value = escape(f"{percent(share, language)} · {time_text(values[name], language)}")
        legend += f'<li class="part-{place}"><span>{word}</span> <b>{value}</b></li>'
    return f'<div class="parts" aria-hidden="true">{bars}</div><ul class="legend">{legend}</ul>'


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = body.get(name)
    return found if isinstance(found, dict) else {}
