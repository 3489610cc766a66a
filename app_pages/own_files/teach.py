"""The cards that teach what a file shows: a link to each."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

import streamlit as st

from app_pages import context
from app_pages.sheet import sheet
from app_pages.words import say
from engine.claims.lessons import cards_for


def teach(codes: Iterable[str], *, key: str) -> None:
    """The cards on these findings; nothing where no deck has one."""
    from app_pages.markup import plain  # the Markdown parser: where there is a title to show

    library = context.library()
    found = cards_for(codes, library, language=context.language())
    if not found:
        return
    st.markdown(f"**{say('your_files.teach')}**")
    titles = {deck.id: deck.title for deck in library.decks}
    items = "".join(
        f'<li lang="{card.language}"><a href="cards?card={quote(card.id)}" target="_self">'
        f"{escape(plain(card.title))}</a> <small>{escape(titles.get(card.deck, card.deck))}</small></li>"
        for card in found
    )
    sheet(f'<ul class="teach">{items}</ul>', key=f"{key}.teach")
