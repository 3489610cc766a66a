"""Where the data folder is, and moving it to another place."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.words import say
from engine.data_move import MoveRefused, move_data
from engine.folders import MOVED

ASK, WHERE, FAULT = "settings.move.ask", "settings.move.where", "settings.move.fault"


def data_place() -> None:
    """The data folder's path with the button that moves it."""
    house = context.house()
    st.markdown(f"{say('settings.data_folder')} `{house.data}`")
    st.caption(say("settings.data_folder.help"))
    if house.store.path is None:
        return  # what a server's database holds doesn't lie there
    st.button(say("settings.move"), icon=":material/drive_file_move:", on_click=_ask, key="settings.move")
    if st.session_state.get(ASK):
        _dialog()


def _ask() -> None:
    st.session_state[ASK] = True
    st.session_state.pop(FAULT, None)


def _closed() -> None:
    st.session_state.pop(ASK, None)


def _dialog() -> None:
    @st.dialog(say("settings.move.title"), icon=":material/drive_file_move:", on_dismiss=_closed)
    def ask() -> None:
        st.markdown(say("settings.move.help", note=MOVED))
        st.text_input(say("settings.move.where"), key=WHERE)
        fault = st.session_state.get(FAULT)
        if fault:
            st.error(fault, icon=":material/error:")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(say("settings.move.cancel"), key="settings.move.cancel"):
                _closed()
                st.rerun()
            if st.button(say("settings.move.do"), type="primary", key="settings.move.do"):
                _move(str(st.session_state.get(WHERE) or "").strip())
                st.rerun(scope="fragment" if FAULT in st.session_state else "app")

    ask()


def _move(place: str) -> None:
    data = context.house().data
    try:
        moved = move_data(data, Path(place))
    except MoveRefused as refused:
        st.session_state[FAULT] = say(f"settings.move.{refused.code}", **refused.args_of)
        return
    context.close(data)
    st.session_state.pop(FAULT, None)
    _closed()
    st.toast(say("settings.move.done", new=moved.new), icon=":material/check:")
