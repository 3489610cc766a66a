"""A card's text edited over the page that shows it: the field with its faults and preview in a dialog.

The page calls `edit_over` in each run as long as the dialog is to stay; `closed` is told when it is done
with: the card was saved, or the dialog was closed (the browser keeps what was typed as a draft).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from app_pages import seen
from app_pages.words import say
from app_pages.write_bench import WORK, bench, shown_document
from app_pages.write_work import Judged, Work
from engine.claims import sightings
from engine.study.card import Card

ASKED = "edit_over.asked"
"""The wish to edit that the dialog was opened for, by its nonce: another one opens the file anew."""
PATH = "edit_over.path"
"""The file that the text was saved to, while the browser lets go of its draft."""

Closed = Callable[[Path | None], None]
"""Told of the file that was saved, or of None."""


def edit_over(card: Card, nonce: str, closed: Closed) -> None:
    """Shows the dialog for this wish to edit the card. Whoever calls it draws its page anew when `closed`."""
    if st.session_state.get(ASKED) != nonce:
        st.session_state[ASKED] = nonce
        for key in (WORK, PATH):
            st.session_state.pop(key, None)
        seen.note([sightings.of_card(card.id)])  # its answer stands in the field
    title = say("write.title_card")
    shown = st.dialog(title, width="large", on_dismiss=lambda: closed(st.session_state.get(PATH)))(_shown)
    shown(card, closed)


def _shown(card: Card, closed: Closed) -> None:
    """The dialog's content; it runs alone while one types."""
    if st.session_state.get(PATH) is not None and st.session_state.pop("edit_over.settled", False):
        closed(st.session_state.pop(PATH))
        st.rerun()
    name = f"card:{card.id}"
    work = shown_document(name)
    if work is None:
        return
    with st.container():  # always there: the field below keeps its place when the copy is made
        if work.copies:
            st.info(say("write.copies", path=work.path), icon=":material/content_copy:")
    bench(name, work, saved=_saved, settled=_settled)
    st.page_link(
        "app_pages/write.py",
        label=say("write.own_page"),
        icon=":material/open_in_full:",
        query_params={"card": card.id},
    )


def _saved(work: Work, judged: Judged, path: Path) -> None:
    st.session_state[PATH] = path


def _settled() -> None:
    st.session_state["edit_over.settled"] = True
