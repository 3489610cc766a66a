"""Where a new card goes and what it begins with: deck, template, language."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages import context, write_work
from app_pages.words import say
from app_pages.write_work import Work
from engine.study import deck_edit
from engine.study.card import Deck, Language, Library
from engine.study.deck_edit import DeckMoved, NewDeck
from engine.study.templates import TEMPLATES, Template, template

DECK = "write.deck"
NEW = ""
"""The choice of a deck that is made."""


def new_card(library: Library, own: Path) -> tuple[str, Work] | None:
    """The choices, and the document that they make with its name; None while they make none."""
    mine = {deck.id: deck for deck in library.decks if Path(deck.path).parent == own}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            say("write.deck"),
            [*mine, NEW],
            format_func=lambda deck_id: mine[deck_id].title if deck_id else say("write.deck_new"),
            key=DECK,
        )
        sort: Template = st.selectbox(
            say("write.template"),
            TEMPLATES,
            format_func=lambda name: say(f"write.template_{name}"),
            key="write.template",
        )
        deck = mine.get(chosen)
        into = deck if deck is not None else _made(library, own)
    if into is None:
        return None
    language = into.language
    deck_id = into.id
    text = template(sort, language, deck_id=deck_id, taken=library.by_id.keys())
    try:
        place = Path(into.path) if isinstance(into, Deck) else into
        return f"new:{sort}:{language}", write_work.of_new(text, place, own)
    except DeckMoved as moved:
        st.error(say("write.cannot_open"), icon=":material/error:")
        st.code(str(moved), language=None, wrap_lines=True)
        return None


def _made(library: Library, own: Path) -> NewDeck | None:
    """A deck of the learner's own that saving makes; None until it has a title that can be."""
    title = st.text_input(
        say("write.deck_title"), value=say("write.deck_title_first"), key="write.deck_title"
    )
    spoken: Language = st.selectbox(
        say("write.language"),
        context.LANGUAGES,
        index=context.LANGUAGES.index(context.language()),
        format_func=lambda code: say(f"language.{code}"),
        key="write.language",
    )
    if not title.strip():
        st.info(say("write.deck_title_needed"), icon=":material/edit:")
        return None
    taken = {deck.id for deck in library.decks}
    name = deck_edit.slug(title) or deck_edit.new_card_id(title, "deck", ())
    number, deck_id = 1, name
    while deck_id in taken or (own / f"{deck_id}.yaml").exists():
        number += 1
        deck_id = f"{name}-{number}"
    return NewDeck(deck_id[:100].strip("-"), " ".join(title.split()), spoken)
