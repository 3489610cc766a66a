"""A report of Nsight Compute: the Speed Of Light pair beside what the roofline expects, DRAM apart, and what
the report does not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.numbers import number, quantity
from app_pages.own_files import ncu_cards
from app_pages.own_files.diagnosis import diagnosis
from app_pages.own_files.make_card import card_button
from app_pages.own_files.ncu_predict import NEAR, percent_text, prediction
from app_pages.own_files.tables import name, rows_of
from app_pages.own_files.teach import teach
from app_pages.sheet import sheet
from app_pages.words import phrase, say
from engine.claims.roofline import Expected

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

PAIR = ("memory", "compute")
BESIDE = (
    ("dram_percent", "%"),
    ("achieved_occupancy_percent", "%"),
    ("theoretical_occupancy_percent", "%"),
    ("l2_hit_percent", "%"),
    ("registers_per_thread", ""),
)
SHOWN = 40


def ncu_view(state: AnalysisState, analysis: Mapping[str, Any]) -> None:
    """Every kernel of the report, one of them beside its prediction."""
    language = context.language()
    key = f"files.{state.id}"
    diagnosis(analysis, language, key=key)
    kernels = rows_of(analysis.get("kernels"))
    if not kernels:
        return
    chosen = 0
    if len(kernels) > 1:
        chosen = st.selectbox(
            say("your_files.ncu.kernel"),
            range(len(kernels)),
            format_func=lambda place: f"{place + 1}. {name(kernels[place].get('name')).text}",
            key=f"{key}.kernel",
        )
    kernel = kernels[chosen]
    said = escape(reading(kernel, language))
    sheet(f'<p class="lead" lang="{language}">{said}</p>', key=f"{key}.reading")
    st.caption(" · ".join(_launch(kernel, language)))
    expected, in_words = prediction(kernel, key=f"{key}.{chosen}")
    sheet(pair_table([kernel], language, expected), key=f"{key}.pair")
    if in_words:
        st.caption(in_words)
    with st.expander(say("your_files.ncu.unsaid"), icon=":material/help_center:"):
        st.markdown(say("your_files.ncu.unsaid.text"))
    card_button(partial(ncu_cards.of_kernel, state, kernel, language, expected), key=f"{key}.{chosen}.card")
    if len(kernels) > 1:
        st.markdown(f"**{say('your_files.ncu.all', n=len(kernels))}**")
        sheet(pair_table(kernels[:SHOWN], language, None), key=f"{key}.all")
    teach(["speed_of_light"], key=key)


def reading(kernel: Mapping[str, Any], language: str) -> str:
    """The pair as a sentence: which side is near its peak, whether that is DRAM, or neither."""
    memory, compute, dram = (_float(kernel.get(f"{part}_percent")) for part in ("memory", "compute", "dram"))
    if memory is None or compute is None:
        return phrase(language, "your_files.ncu.reading.unknown")
    args = {
        "memory": percent_text(memory, language),
        "compute": percent_text(compute, language),
        "dram": "–" if dram is None else percent_text(dram, language),
    }
    if max(memory, compute) < NEAR:
        key = "latency"
    elif compute > memory:
        key = "compute"
    elif dram is None:
        key = "memory"
    else:
        key = "dram" if dram >= NEAR else "not_dram"
    return phrase(language, f"your_files.ncu.reading.{key}", **args)


def pair_table(kernels: Sequence[Mapping[str, Any]], language: str, expected: Expected | None) -> str:
    """A row a kernel: two bars, a mark where the roofline expects their ends, and other figures."""
    heads = [phrase(language, "your_files.ncu.kernel")]
    heads += [phrase(language, f"your_files.ncu.{part}") for part in PAIR]
    shown = [each for each in BESIDE if any(kernel.get(each[0]) is not None for kernel in kernels)]
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in heads)
    head += "".join(
        f'<th scope="col" class="number">{escape(phrase(language, f"your_files.ncu.{part}"))}</th>'
        for part, _ in shown
    )
    body = "".join(_row(kernel, shown, language, expected) for kernel in kernels)
    label = escape(phrase(language, "your_files.ncu.pair"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="light files"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(
    kernel: Mapping[str, Any],
    shown: Sequence[tuple[str, str]],
    language: str,
    expected: Expected | None,
) -> str:
    cell = name(kernel.get("name"))
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    cells = f'<th scope="row"{title}>{escape(cell.text)}</th>'
    for part in PAIR:
        measured = _float(kernel.get(f"{part}_percent"))
        wanted = None if expected is None else getattr(expected, f"{part}_percent")
        cells += f"<td>{_meter(measured, wanted, language)}</td>"
    for part, unit in shown:
        value = _float(kernel.get(part))
        text = (
            "–"
            if value is None
            else percent_text(value, language)
            if unit == "%"
            else number(value, language)
        )
        cells += f'<td class="number">{escape(text)}</td>'
    return f"<tr>{cells}</tr>"


def _meter(measured: float | None, wanted: float | None, language: str) -> str:
    style, figures = [], []
    if measured is not None:
        style.append(f"--measured:{min(max(measured, 0.0), 100.0):.1f}")
        figures.append(f"<b>{escape(percent_text(measured, language))}</b>")
    if wanted is not None:
        style.append(f"--predicted:{min(max(wanted, 0.0), 100.0):.1f}")
        text = phrase(language, "labs.predicted", value=percent_text(wanted, language))
        figures.append(f"<small>{escape(text)}</small>")
    kind = "meter" if wanted is not None else "meter alone"
    return f'<div class="{kind}" style="{";".join(style)}" aria-hidden="true"></div>{" ".join(figures)}'


def _launch(kernel: Mapping[str, Any], language: str) -> list[str]:
    found = []
    duration = _float(kernel.get("duration_s"))
    if duration is not None:
        value = quantity(duration * 1e6, "us", language)
        found.append(phrase(language, "your_files.ncu.duration", value=value))
    for part in ("grid", "block"):
        if kernel.get(part):
            found.append(phrase(language, f"your_files.ncu.{part}", value=str(kernel[part])))
    clock = _float(kernel.get("sm_clock_hz"))
    if clock is not None:
        found.append(phrase(language, "your_files.ncu.clock", value=quantity(clock / 1e6, "MHz", language)))
    waves = _float(kernel.get("waves"))
    if waves is not None:
        found.append(phrase(language, "your_files.ncu.waves", value=number(waves, language)))
    moved = _float(kernel.get("memory_bytes_per_s"))
    if moved is not None:
        value = quantity(moved / 1e9, "GB/s", language)
        found.append(phrase(language, "your_files.ncu.bandwidth", value=value))
    return found


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
