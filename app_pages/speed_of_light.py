"""A report of Nsight Compute beside the roofline's prediction: the pair of throughputs of each kernel."""

from __future__ import annotations

from html import escape

import streamlit as st

from app_pages import seen
from app_pages.lab_words import LabWords
from app_pages.numbers import number
from app_pages.sheet import sheet
from app_pages.words import phrase, say
from engine.measure.results import Result

PAIR = ("memory", "compute")
BESIDE = ("dram_throughput", "achieved_occupancy", "theoretical_occupancy", "l2_hit_rate", "registers")
SETS = ("full", "basic")
"""The fuller set is shown where both were taken."""


def speed_of_light(result: Result, words: LabWords, *, key: str) -> None:
    """The table, where the result holds predictions of a report; nothing else."""
    html = table(result, words)
    if not html:
        return
    seen.charts(result.lab, (*(f"{part}_throughput" for part in PAIR), *BESIDE), ())
    st.markdown(f"**{words.word('series.speed_of_light')}**")
    st.caption(say("labs.speed_of_light"))
    sheet(html, key=key)


def table(result: Result, words: LabWords) -> str:
    """A row for each kernel that was predicted; empty text where none was. Without a report: predictions."""
    kernels = [str(metric.labels["kernel"]) for metric in result.metrics if metric.name == "predicted_memory"]
    if not kernels:
        return ""
    chosen = next((name for name in SETS if result.metric("memory_throughput", set=name)), None)
    beside = [name for name in BESIDE if chosen and result.metric(name, set=chosen)]
    heads = [words.label("kernel"), *(words.metric(f"{part}_throughput") for part in PAIR)]
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in heads)
    head += "".join(f'<th scope="col" class="number">{escape(words.metric(name))}</th>' for name in beside)
    body = "".join(_row(result, kernel, chosen, beside, words) for kernel in kernels)
    label = escape(words.word("series.speed_of_light"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="light"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(result: Result, kernel: str, chosen: str | None, beside: list[str], words: LabWords) -> str:
    cells = "".join(f"<td>{_meter(result, kernel, part, chosen, words)}</td>" for part in PAIR)
    for name in beside:
        metric = result.metric(name, kernel=kernel, set=chosen)
        text = "–" if metric is None else _with_unit(metric.value, metric.unit, words)
        cells += f'<td class="number">{escape(text)}</td>'
    return f'<tr><th scope="row">{escape(words.value(kernel))}</th>{cells}</tr>'


def _meter(result: Result, kernel: str, part: str, chosen: str | None, words: LabWords) -> str:
    """A bar for what was measured, a mark for what was predicted, and both in figures."""
    predicted = result.metric(f"predicted_{part}", kernel=kernel)
    measured = result.metric(f"{part}_throughput", kernel=kernel, set=chosen) if chosen else None
    style = f"--predicted:{_place(predicted.value)}" if predicted else ""
    figures = []
    if measured is not None:
        style += f";--measured:{_place(measured.value)}"
        figures.append(f"<b>{escape(_with_unit(measured.value, '%', words))}</b>")
    if predicted is not None:
        text = phrase(words.language, "labs.predicted", value=_with_unit(predicted.value, "%", words))
        figures.append(f"<small>{escape(text)}</small>")
    return f'<div class="meter" style="{style}" aria-hidden="true"></div>{" ".join(figures)}'


def _place(percent: float) -> str:
    return f"{min(max(percent, 0.0), 100.0):.1f}"


def _with_unit(value: float, unit: str, words: LabWords) -> str:
    shown = number(value, words.language, 2 if abs(value) < 100 else 3)
    return f"{shown}%" if unit == "%" else shown
