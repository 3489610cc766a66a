"""FSRS's parameters fitted to the learner's own answers: used only where they foretell better."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.graphs import graphs
from app_pages.graphs.dates import day_label
from app_pages.graphs.figure import plain_table
from app_pages.in_words import in_words
from app_pages.numbers import number, percent
from app_pages.statistics_view import calibration_curve
from app_pages.words import say
from engine.study import schedule_changes
from engine.study.faults import StudyError
from engine.study.fit import Fit, NotEnough, Tried, told
from engine.study.fit_process import fit_in_process
from engine.study.schedule_plan import Change

POLL_SECONDS = 1.0
SHOWN = 5
"""Former parameters that are listed."""

_pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fit")
_fits: dict[Path, Future[Fit | NotEnough]] = {}
"""The newest fit of each data folder: a click elsewhere, another tab or F5 doesn't lose it."""


def fit_section() -> None:
    """What is in use, a button to fit anew, what the fit found, and what was in use before."""
    running = _is_running()
    st.fragment(_section, run_every=POLL_SECONDS if running else None)(running)


def _is_running() -> bool:
    fit = _fits.get(context.house().data)
    return fit is not None and not fit.done()


def _start() -> None:
    data = context.house().data
    if not _is_running():
        _fits[data] = _pool.submit(fit_in_process, data)


def _section(asks: bool) -> None:
    """asks: this run is one of those that ask again each second."""
    running = _is_running()
    if running != asks:
        st.rerun()  # begins to ask, or ends it
    st.subheader(say("schedule.fit"), anchor=False)
    st.caption(say("schedule.fit.hint"))
    history = schedule_changes.history(context.store(), "parameters")
    st.markdown(_in_use(history))
    st.button(
        say("schedule.fit.do"),
        icon=":material/model_training:",
        on_click=_start,
        disabled=running,
        key="schedule.fit",
    )
    fit = _fits.get(context.house().data)
    if running:
        st.info(say("schedule.fit.running"), icon=":material/hourglass_top:")
    elif fit is not None:
        _found(fit)
    _former(history)


def _found(fit: Future[Fit | NotEnough]) -> None:
    """What became of the newest fit."""
    try:
        found = fit.result()
    except StudyError as fault:
        st.error(str(fault), icon=":material/error:")
        return
    if isinstance(found, NotEnough):
        _too_few(found)
    else:
        _outcome(found)


def _in_use(history: tuple[Change, ...]) -> str:
    if not history or not history[0].value:
        return say("schedule.fit.default")
    language = context.language()
    day = day_label(history[0].study_day, language, year=True)
    losses = told(history[0].value)
    if losses is None:
        return say("schedule.fit.own", day=day)
    before, now = (number(loss, language) for loss in losses)
    return say("schedule.fit.own_better", day=day, before=before, now=now)


def _too_few(found: NotEnough) -> None:
    language = context.language()
    reviews, needed = number(found.reviews, language), number(found.needed, language)
    st.info(say("schedule.fit.too_few", reviews=reviews, needed=needed), icon=":material/hourglass_top:")
    if found.left_out:
        st.caption(say("schedule.fit.left_out", n=number(found.left_out, language)))


def _outcome(found: Fit) -> None:
    language = context.language()
    st.markdown(f"**{say(f'schedule.fit.{found.verdict}')}**")
    tried = (("own", found.own), ("in_use", found.in_use), ("default", found.default))
    rows = [
        (say(f"schedule.fit.row.{name}"), number(each.log_loss, language, 4), _error(each))
        for name, each in tried
    ]
    heads = [say(f"schedule.fit.head.{name}") for name in ("parameters", "log_loss", "error")]
    said = say(
        "schedule.fit.tried",
        fitted=number(found.fitted, language),
        held_back=number(found.held_back, language),
        day=day_label(found.from_day, language, year=True),
        gain=number(found.gain, language, 2).replace("-", "−"),
        error=number(found.gain_error, language, 2),
    )
    curves = "".join(
        calibration_curve(say(f"schedule.fit.row.{name}"), each.calibration, language, _calibrated(each))
        for name, each in tried[:2]
        if each.calibration is not None
    )
    graphs(
        f'{plain_table(heads, rows)}<p class="note">{escape(said)}</p><div class="graphs">{curves}</div>',
        key="schedule.fit.outcome",
    )
    if found.left_out:
        st.caption(say("schedule.fit.left_out", n=number(found.left_out, language)))
    if found.verdict == "better":
        st.button(
            say("schedule.fit.apply"),
            type="primary",
            on_click=_apply,
            args=(found.to_change(),),
            key="schedule.fit.apply",
        )


def _error(tried: Tried) -> str:
    return "–" if tried.calibration is None else percent(tried.calibration.error, context.language())


def _calibrated(tried: Tried) -> str:
    return say("schedule.fit.calibrated", error=_error(tried))


@in_words
def _apply(value: Mapping[str, Any]) -> None:
    """Uses these parameters from now on; empty: FSRS's own."""
    try:
        schedule_changes.change(
            context.store(),
            "parameters",
            value,
            now=context.now(),
            zone=context.zone(),
            nonce=uuid4().hex,
        )
    except StudyError as refused:
        st.toast(str(refused), icon=":material/error:")
        return
    _fits.pop(context.house().data, None)
    st.toast(say("settings.saved"), icon=":material/check:")


def _former(history: tuple[Change, ...]) -> None:
    """Whatever was in use before can be used again."""
    if not history:
        return
    with st.expander(say("schedule.fit.former")):
        if history[0].value:
            st.button(
                say("schedule.fit.to_default"), on_click=_apply, args=({},), key="schedule.fit.to_default"
            )
        now = dict(history[0].value)
        others = [change for change in history[1:] if change.value and dict(change.value) != now]
        for change in others[:SHOWN]:
            day = day_label(change.study_day, context.language(), year=True)
            losses = told(change.value)
            loss = "–" if losses is None else number(losses[1], context.language(), 4)
            st.button(
                say("schedule.fit.again", day=day, loss=loss),
                on_click=_apply,
                args=(dict(change.value),),
                key=f"schedule.fit.again.{change.nonce}",
            )
        st.code(
            ", ".join(f"{each:g}" for each in schedule_changes.plan(context.store()).parameters),
            language=None,
            wrap_lines=True,
        )
