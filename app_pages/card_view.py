"""One card: its text with the answer open, where it stands, and everything that was answered."""

from __future__ import annotations

from html import escape
from pathlib import Path
from uuid import uuid4

import streamlit as st

from app_pages import card_info, context, seen
from app_pages.notebook_view import card_notebook
from app_pages.review_card.payload import words
from app_pages.sheet import card_sheet, sheet
from app_pages.words import say
from engine.claims import sightings
from engine.study.card import Card, Library

SAVED = "card.saved"
"""The file that an edited card was saved to, to say once."""


def card_view(card: Card, library: Library) -> None:
    """The card with its state, history, and the evidence for its numbers."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(say("cards.back"), icon=":material/arrow_back:", on_click=_back, type="tertiary")
        edit = st.button(say("write.edit"), icon=":material/edit:", type="tertiary", key="card.edit")
    saved = st.session_state.pop(SAVED, None)
    if saved is not None:
        st.success(say("write.saved", path=saved), icon=":material/check:")
    titles = {deck.id: deck.title for deck in library.decks}
    title = titles.get(card.deck, card.deck)
    face = context.faces().of(card, title)
    card_sheet(face, words(context.language()), key=f"card.{card.id}")
    seen.note([sightings.of_card(card.id)])
    _standing(card)
    card_notebook(card)
    if card.labs or card.claims:
        from app_pages.evidence import evidence_panel  # charts and tables

        evidence_panel(card)
    if edit:
        from app_pages.edit_over import edit_over  # the parser, checks and editor

        edit_over(card, uuid4().hex, _edited)


def _back() -> None:
    st.query_params.pop("card", None)


def _edited(path: Path | None) -> None:
    st.session_state[SAVED] = path


def _standing(card: Card) -> None:
    st.subheader(say("cards.standing"), anchor=False)
    reader = card_info.Reader(context.language(), context.zone(), context.now())
    html = card_info.card_info(card, context.desk(), reader)
    sheet(html + _places(card), key=f"card.{card.id}.state")


def _places(card: Card) -> str:
    """Its topics, and where it is written."""
    entries = [("topics", ", ".join(card.topics))] if card.topics else []
    entries.append(("file", f"{card.file}:{card.line}"))
    items = "".join(
        f"<dt>{escape(say(f'cards.entry.{name}'))}</dt><dd>{escape(value)}</dd>" for name, value in entries
    )
    return f"<dl>{items}</dl>"
