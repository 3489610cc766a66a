"""The button that makes a card of something in a file, and the way to the card it made."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app_pages import context
from app_pages.words import say
from engine.faults import BenchcardsError
from engine.lab_names import lab_names
from engine.study.own_cards import NewCard, write_card

MADE, FAULT = "files.card.made", "files.card.fault"


def card_button(make: Callable[[], NewCard], *, key: str) -> None:
    """`make` is called when the button is pressed. The card is linked where it was made."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        st.button(
            say("your_files.card.make"), icon=":material/note_add:", key=key, on_click=_make, args=(make, key)
        )
        made = st.session_state.get(MADE)
        if made is not None and made[0] == key:
            said = say("your_files.card.already" if made[2] else "your_files.card.made")
            st.markdown(f":material/check: {said}", width="content")
            st.page_link(
                "app_pages/cards.py", label=say("your_files.card.open"), query_params={"card": made[1]}
            )
    fault = st.session_state.get(FAULT)
    if fault is not None and fault[0] == key:
        del st.session_state[FAULT]
        st.error(say("your_files.card.not_written"), icon=":material/error:")
        st.code(fault[1], language=None, wrap_lines=True)


def _make(make: Callable[[], NewCard], key: str) -> None:
    try:
        written = write_card(
            context.deck_folders()[1],
            make(),
            context.library(),
            deck_title=say("your_files.card.deck"),
            document=say("your_files.title"),
            lab_names=lab_names(),
        )
    except (BenchcardsError, OSError) as error:
        st.session_state[FAULT] = (key, str(error))
        return
    st.session_state[MADE] = (key, written.id, written.already)
