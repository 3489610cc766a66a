"""A run while it lasts, and how it ended where it ended badly."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.lab_words import LabWords, of
from app_pages.lever_widgets import settings_text
from app_pages.numbers import clock, percent
from app_pages.words import knows, say
from engine.measure.events import Metric, Series
from engine.measure.fault import MeasureError
from engine.measure.runs import Run

TICK_S = 0.5
LOG_LINES = 200
LIVE_POINTS = 2
"""A live chart appears with the second row of a series."""


def live_run(run_id: str, *, key: str) -> None:
    """The run, redrawn twice a second until it is over; then the whole page is drawn once more."""
    st.fragment(_live, run_every=TICK_S)(run_id, key)


def _live(run_id: str, key: str) -> None:
    runs = context.runs()
    run = runs.get(run_id)
    if run is None or run.is_over:
        st.rerun()
        return
    live = runs.live(run_id)
    words = of(context.labs().get(run.lab), run.lab)
    with st.container(key=f"{key}.live"):
        if run.status == "queued":
            st.progress(0.0, text=say("run.queued", place=run.place_in_line))
        else:
            stage = words.word(f"stage.{live.label}") if live.label else say("run.starting")
            share = live.share
            done = "" if share is None else f" · {percent(share, words.language)}"
            st.progress(share or 0.0, text=f"{stage}{done} · {clock(live.elapsed_s)}")
        if run.params:
            st.caption(settings_text(run.params, words))
        for place, series in enumerate(live.series):
            if len(series.rows) >= LIVE_POINTS:
                _live_chart(series, live.metrics, words, key=f"{key}.chart.{place}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                say("run.cancel"),
                icon=":material/stop_circle:",
                key=f"{key}.cancel",
                on_click=_cancel,
                args=(run_id,),
            )
            wants_log = st.toggle(say("run.log"), key=f"{key}.log")
        if wants_log:
            show_log(run_id)


def _live_chart(series: Series, metrics: tuple[Metric, ...], words: LabWords, *, key: str) -> None:
    from app_pages import charts, memory_pictures  # import altair: only where there is something to draw

    if memory_pictures.is_picture(series):
        return  # of several programs: drawn once the run is over
    drawn = charts.series_chart(series, metrics, words)
    if drawn is not None:
        charts.show(drawn, key=key)


def _cancel(run_id: str) -> None:
    try:
        context.runs().cancel(run_id)
    except MeasureError as error:
        st.toast(str(error), icon=":material/error:")


def show_log(run_id: str) -> None:
    """The last lines of a run's log."""
    lines = context.runs().log_tail(run_id, LOG_LINES)
    if lines:
        st.code("\n".join(lines), language=None, height=260, wrap_lines=True)
    else:
        st.caption(say("run.log_empty"))


def ended_badly(run: Run, *, key: str) -> None:
    """Why a run gave no result, what to do about it, and its log on demand."""
    code: str = run.failure_code or run.status
    if run.status == "interrupted":
        code = "interrupted"
    elif code in ("crashed", "unsupported") and run.sent_through is not None:
        code = "through"
    text = say(f"run.failure.{code}" if knows(f"run.failure.{code}") else "run.failure.crashed")
    if run.status == "cancelled":
        st.caption(f":material/stop_circle: {text}")
        return
    st.warning(text, icon=":material/error:")
    with st.expander(say("run.details"), icon=":material/receipt_long:"):
        if run.failure_message:
            st.code(run.failure_message, language=None, wrap_lines=True)
        show_log(run.id)
