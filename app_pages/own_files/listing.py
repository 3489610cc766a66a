"""The files that were opened before, the newest first, and those that wait or run now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages import context
from app_pages.numbers import moment
from app_pages.own_files.progress import ICONS, running
from app_pages.own_files.refusals import told_error
from app_pages.own_files.text import escape_markdown
from app_pages.words import say
from engine.measure.fault import MeasureError

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState

SHOWN = 30


def listing() -> None:
    """One line a file; a click opens it."""
    found = context.analyses().recent(SHOWN)
    if not found:
        st.info(say("your_files.none"), icon=":material/upload_file:")
        return
    st.subheader(say("your_files.recent"), anchor=False)
    for state in found:
        _line(state)


def _line(state: AnalysisState) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", border=True, key=f"files.line.{state.id}"
    ):
        with st.container(gap=None, width="stretch"):
            st.button(
                escape_markdown(state.name),
                icon=ICONS.get(state.status, ":material/draft:"),
                type="tertiary",
                key=f"files.open.{state.id}",
                on_click=_open,
                args=(state.id,),
            )
            st.caption(about(state))
        st.button(
            say("your_files.forget"),
            icon=":material/close:",
            type="tertiary",
            help=say("your_files.forget.help"),
            key=f"files.forget.{state.id}",
            on_click=_forget,
            args=(state.id,),
        )
    if not state.is_over:
        running(state.id, key=f"files.running.{state.id}")


def about(state: AnalysisState) -> str:
    """What it is, where that is known, how far it is, and since when."""
    kind = say(f"your_files.kind.{state.kind}") if state.kind else ""
    status = "" if state.status == "done" else say(f"your_files.status.{state.status}")
    when = moment(state.asked_at, context.zone(), context.language())
    return " · ".join(part for part in (kind, status, when) if part)


def _open(analysis: str) -> None:
    st.query_params["file"] = analysis


def _forget(analysis: str) -> None:
    try:
        context.analyses().remove(analysis)
    except MeasureError as error:
        st.toast(told_error(error), icon=":material/error:")
