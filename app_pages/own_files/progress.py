"""An analysis while it waits or runs: how far it is, and the button that ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages import context
from app_pages.numbers import clock, percent, quantity
from app_pages.own_files.refusals import told_error
from app_pages.words import knows, say
from engine.measure.fault import MeasureError

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

TICK_S = 0.5
ICONS = {
    "waiting": ":material/hourglass_empty:",
    "running": ":material/progress_activity:",
    "done": ":material/draft:",
    "failed": ":material/error:",
    "cancelled": ":material/stop_circle:",
    "interrupted": ":material/power_off:",
}


def running(analysis: str, *, key: str) -> None:
    """The analysis, redrawn twice a second until it is over; then the whole page is drawn once more."""
    st.fragment(_running, run_every=TICK_S)(analysis, key)


def _running(analysis: str, key: str) -> None:
    try:
        state = context.analyses().state(analysis)
    except MeasureError:  # forgotten in another tab meanwhile: the page says so
        st.rerun()
        return
    if state.is_over:
        st.rerun()
        return
    st.progress(state.share or 0.0, text=_text(state))
    st.button(
        say("your_files.cancel"),
        icon=":material/stop_circle:",
        key=f"{key}.cancel",
        on_click=_cancel,
        args=(analysis,),
    )


def _text(state: AnalysisState) -> str:
    if state.status == "waiting":
        return say("your_files.status.waiting")
    key = f"your_files.stage.{state.label or 'starting'}"
    stage = say(key) if knows(key) else state.label
    language = context.language()
    parts = [stage, clock(state.elapsed_s(context.now()))]
    if state.label == "reading" and state.total:
        done, total = (quantity(value, "B", language) for value in (state.done, state.total))
        parts.insert(1, f"{done} / {total}")
    elif state.share is not None:
        parts.insert(1, percent(state.share, language))
    return " · ".join(parts)


def _cancel(analysis: str) -> None:
    try:
        context.analyses().cancel(analysis)
    except MeasureError as error:
        st.toast(told_error(error), icon=":material/error:")
