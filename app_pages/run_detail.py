"""One run, opened: where it stands, what it measured, its log, its result as a file."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from app_pages import context
from app_pages.evidence import start_run
from app_pages.lab_words import LabWords, of
from app_pages.lever_widgets import settings_text
from app_pages.numbers import clock, moment
from app_pages.result_view import whole_result
from app_pages.run_files import run_files
from app_pages.run_view import ended_badly, live_run, show_log
from app_pages.words import say
from engine.measure.fault import MeasureError
from engine.measure.live import elapsed_s
from engine.measure.results import to_json
from engine.measure.runs import Run
from engine.measure.through import Through

ICONS = {
    "queued": ":material/hourglass_empty:",
    "starting": ":material/play_circle:",
    "running": ":material/play_circle:",
    "done": ":material/check_circle:",
    "failed": ":material/error:",
    "cancelled": ":material/stop_circle:",
    "interrupted": ":material/power_off:",
}


def run_detail(run_id: str) -> None:
    """The run of that id; where there is none, that is said."""
    st.button(say("labs.back"), icon=":material/arrow_back:", on_click=_back, type="tertiary")
    run = context.runs().get(run_id)
    if run is None:
        st.info(say("labs.unknown_run", id=run_id), icon=":material/search_off:")
        return
    info = context.labs().get(run.lab)
    words = of(info, run.lab)
    st.title(words.title, anchor=False)
    _head(run, words)
    if not run.is_over:
        live_run(run.id, key=f"run.{run.id}")
        return
    if run.status == "done":
        _done(run, words)
    else:
        ended_badly(run, key=f"run.{run.id}")
    if info is not None and (info.can_run or run.sent_through):
        st.button(
            say("labs.run_again"),
            icon=":material/replay:",
            key=f"run.{run.id}.again",
            on_click=_again,
            args=(run,),
        )


def _head(run: Run, words: LabWords) -> None:
    queued = datetime.fromtimestamp(run.queued_at_ms / 1000, UTC)
    parts = [
        f"{ICONS[run.status]} {say(f'run.status.{run.status}')}",
        moment(queued, context.zone(), words.language),
        *([clock(elapsed_s(run))] if run.started_at_ms is not None else []),
        settings_text(run.params, words),
        *(
            [say("evidence.through", command=f"`{Through.of_line(run.sent_through).prefix}`")]
            if run.sent_through
            else []
        ),
    ]
    st.caption(" · ".join(part for part in parts if part))


def _done(run: Run, words: LabWords) -> None:
    try:
        result = context.runs().result(run.id)
    except MeasureError as error:
        st.error(str(error), icon=":material/error:")
        return
    if result is None:
        st.warning(say("labs.result_gone"), icon=":material/delete:")
        return
    whole_result(result, words, "elsewhere" if run.sent_through else "here", key=f"run.{run.id}.result")
    with st.container(horizontal=True):
        st.download_button(
            say("labs.download"),
            to_json(result),
            file_name=f"{run.lab}-{run.id}.json",
            mime="application/json",
            icon=":material/download:",
            key=f"run.{run.id}.download",
            on_click="ignore",
        )
    run_files(result, context.house().data / run.folder, words, key=f"run.{run.id}")
    log = st.expander(
        say("run.log"), icon=":material/receipt_long:", on_change="rerun", key=f"run.{run.id}.log"
    )
    if log.open:
        with log:
            show_log(run.id)


def _back() -> None:
    st.query_params.pop("run", None)


def _again(run: Run) -> None:
    start_run(run.lab, dict(run.params), run.device)
    st.query_params.pop("run", None)
