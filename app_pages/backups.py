"""The backups of the database: make one now, put one back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.numbers import moment, quantity
from app_pages.words import say
from engine.store import StoreError
from engine.store.backup import KEEP, backup, backups, restore

CHOSEN = "settings.backup"
GENERATION = "settings.generation"
"""Counts restores: the fields of the page take what is kept now."""


def backups_section() -> None:
    """The list of backups with a button to make one and one to restore the chosen one."""
    path = context.store().path
    if path is None:
        return  # a server's database is backed up by those who run it
    st.subheader(say("settings.backups"), anchor=False)
    st.caption(say("settings.backups.help", n=KEEP, folder=path.parent / "backups"))
    daily = context.store().backups
    if daily is not None and daily.fault is not None:
        st.warning(str(daily.fault), icon=":material/error:")
    found = backups(path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if found:
            st.selectbox(say("settings.backup_choose"), found, format_func=_name, key=CHOSEN)
            st.button(
                say("settings.restore"), icon=":material/history:", on_click=_ask, key="settings.restore"
            )
        st.button(
            say("settings.back_up_now"),
            icon=":material/save:",
            on_click=_back_up,
            args=(path,),
            key="settings.back_up",
        )
    if st.session_state.pop("settings.ask", False):
        _confirm(path, st.session_state[CHOSEN])


def _name(file: Path) -> str:
    status = file.stat()
    when = moment(datetime.fromtimestamp(status.st_mtime, UTC), context.zone(), context.language())
    return f"{when} · {quantity(status.st_size, 'B', context.language())} · {file.name}"


def _ask() -> None:
    st.session_state["settings.ask"] = True


def _back_up(path: Path) -> None:
    try:
        made = backup(path, "by-hand")
    except StoreError as error:
        st.toast(str(error), icon=":material/error:")
    else:
        st.toast(say("settings.backed_up", name=made.name), icon=":material/check:")


def _confirm(path: Path, chosen: Path) -> None:
    @st.dialog(say("settings.restore_title"), icon=":material/history:")
    def ask() -> None:
        st.markdown(say("settings.restore_text", name=_name(chosen)))
        if context.runs().current():
            st.warning(say("settings.restore_busy"), icon=":material/hourglass_top:")
            return
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(say("settings.restore_cancel")):
                st.rerun()
            if st.button(say("settings.restore_do"), type="primary", key="settings.restore_do"):
                _restore(path, chosen)

    ask()


def _restore(path: Path, chosen: Path) -> None:
    data = context.house().data
    try:
        backup(path, "before-restore")
        context.close(data)
        restore(path, chosen)
    except StoreError as error:
        st.error(str(error), icon=":material/error:")
        return
    st.session_state[GENERATION] = st.session_state.get(GENERATION, 0) + 1
    st.toast(say("damaged.restored", name=chosen.name), icon=":material/check:")
    st.rerun()
