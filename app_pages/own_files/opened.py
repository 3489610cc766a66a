"""One file, opened: how far its analysis is, why it failed, or what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app_pages import context
from app_pages.own_files.intake import open_path
from app_pages.own_files.listing import about
from app_pages.own_files.progress import running
from app_pages.own_files.refusals import refused, told_error
from app_pages.own_files.text import escape_markdown
from app_pages.words import say
from engine.measure.fault import MeasureError

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState


def opened(analysis: str) -> None:
    """The file of that id; where there is none, that is said."""
    st.button(say("your_files.back"), icon=":material/arrow_back:", on_click=_back, type="tertiary")
    try:
        state = context.analyses().state(analysis)
    except MeasureError:
        st.info(say("your_files.unknown"), icon=":material/search_off:")
        return
    st.title(escape_markdown(state.name), anchor=False)
    st.caption(about(state))
    if not state.is_over:
        running(analysis, key=f"files.{analysis}")
    elif state.status == "done":
        _shown(state)
    else:
        _ended_badly(state)


def _shown(state: AnalysisState) -> None:
    """What the reader of its kind says; each kind's page is imported where it is wanted."""
    try:
        result = context.analyses().result(state.id)
    except MeasureError as error:
        st.error(escape_markdown(told_error(error)), icon=":material/error:")
        return
    kind = result.get("kind")
    if kind == "trace":
        from app_pages.own_files.trace import trace_view

        trace_view(state, result)
    elif kind == "memory_snapshot":
        from app_pages.own_files.memory import memory_view

        memory_view(state, result)
    elif kind == "ncu":
        from app_pages.own_files.ncu import ncu_view

        ncu_view(state, result)
    elif kind == "nsys":
        from app_pages.own_files.nsys import nsys_view

        nsys_view(state, result)


def _ended_badly(state: AnalysisState) -> None:
    if state.status == "cancelled":
        st.info(say("your_files.ended.cancelled"), icon=":material/stop_circle:")
    elif state.status == "interrupted":
        st.warning(say("your_files.ended.interrupted"), icon=":material/power_off:")
    else:
        refused(state.message, state.reason)
    if state.path.is_file() and not state.uploaded:
        st.button(
            say("your_files.again"),
            icon=":material/replay:",
            key=f"files.{state.id}.again",
            on_click=open_path,
            args=(state.path, state.name),
        )


def _back() -> None:
    st.query_params.clear()
