"""An analysis while it waits or runs: how far it is, and the button that ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages import context
from app_pages.numbers import percent, quantity
from app_pages.words import knows, say

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


def is_over(state: AnalysisState) -> bool:
    return state.status not in ("waiting", "running")


def running(analysis: str, *, key: str) -> None:
    """The analysis, redrawn twice a second until it is over; then the whole page is drawn once more."""
    st.fragment(_running, run_every=TICK_S)(analysis, key)


def _running(analysis: str, key: str) -> None:
    state = context.analyses().state(analysis)
    if is_over(state):
        st.rerun()
        return
    share = min(1.0, state.done / state.total) if state.total else 0.0
    st.progress(share, text=_text(state, share))
    st.button(
        say("your_files.cancel"),
        icon=":material/stop_circle:",
        key=f"{key}.cancel",
        on_click=_cancel,
        args=(analysis,),
    )


def _text(state: AnalysisState, share: float) -> str:
    if state.status == "waiting":
        return say("your_files.status.waiting")
    key = f"your_files.stage.{state.label}"
    stage = say(key) if knows(key) else say("your_files.status.running")
    language = context.language()
    if not state.total:
        return stage
    if state.label == "reading":
        done, total = (quantity(value, "B", language) for value in (state.done, state.total))
        return f"{stage} · {done} / {total}"
    return f"{stage} · {percent(share, language)}"


def _cancel(analysis: str) -> None:
    context.analyses().cancel(analysis)
