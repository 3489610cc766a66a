"""The list of cards: search without diacritics and inside Chinese words, filters, a table of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import streamlit as st

from app_pages import context
from app_pages.words import knows, say
from engine.study.card import Card, Library
from engine.study.card_state import NEW, CardState
from engine.study.search import search

KEY = "cards.table"
HEIGHT = 520
_Choice = TypeVar("_Choice")


@st.fragment
def card_list(library: Library) -> None:
    """Search field, filters and table. Choosing a row opens the card."""
    states = context.desk().states()
    query = st.text_input(
        say("cards.search"),
        type="search",
        live=True,
        placeholder=say("cards.search_hint"),
        label_visibility="collapsed",
        key="cards.search",
    )
    # the index of a large library takes seconds to make: not before somebody searches
    found = search(library, query) if query.strip() else list(library.by_id.values())
    shown = _filtered(found, library, states)
    st.caption(say("cards.count", shown=len(shown), all=len(library.by_id)))
    if not shown:
        st.info(say("cards.none"), icon=":material/search_off:")
        return
    _table(shown, library, states)


def _filtered(cards: list[Card], library: Library, states: Mapping[str, CardState]) -> list[Card]:
    titles = {deck.id: deck.title for deck in library.decks}
    every = library.by_id.values()
    kept = cards
    with st.container(horizontal=True):
        popover = st.popover(say("cards.filters"), icon=":material/filter_list:", key="cards.filters")
    with popover:
        for name, choices, of, word in (
            ("deck", titles, lambda card: {card.deck}, lambda deck: titles[deck]),
            ("kind", _all(every, lambda card: {card.kind}), lambda card: {card.kind}, _kind),
            ("language", _all(every, _language), _language, lambda code: say(f"language.{code}")),
            ("topic", _all(every, lambda card: set(card.topics)), lambda card: set(card.topics), str),
            ("priority", ("high", "normal"), lambda card: {card.priority}, _priority),
            ("state", ("new", "learning", "review"), lambda card: {_state(states, card)}, _phase),
        ):
            kept = _by(name, list(choices), of, word, kept)
    return kept


def _by(
    name: str,
    choices: list[str],
    of: Callable[[Card], set[str]],
    word: Callable[[str], str],
    cards: list[Card],
) -> list[Card]:
    """One filter; nothing chosen lets every card through."""
    if len(choices) < 2:
        return cards
    chosen = set(
        st.multiselect(
            say(f"cards.filter.{name}"),
            choices,
            format_func=word,
            placeholder=say("cards.filter_all"),
            key=f"cards.filter.{name}",
        )
    )
    return [card for card in cards if not chosen or of(card) & chosen]


def _table(cards: list[Card], library: Library, states: Mapping[str, CardState]) -> None:
    titles = {deck.id: deck.title for deck in library.decks}
    rows = [
        {
            "title": plain_title(card),
            "state": _phase(_state(states, card)),
            "due": due_text(states.get(card.id, NEW)),
            "kind": _kind(card.kind),
            "priority": "★" if card.priority == "high" else "",
            "deck": titles.get(card.deck, card.deck),
            "topics": ", ".join(card.topics),
        }
        for card in cards
    ]
    column: dict[str, Any] = {
        name: st.column_config.TextColumn(say(f"cards.column.{name}"), width=width)
        for name, width in (
            ("title", 330),
            ("state", 80),
            ("due", 95),
            ("kind", 120),
            ("priority", 40),
            ("deck", 190),
            ("topics", 240),
        )
    }
    event = st.dataframe(
        rows,
        column_config=column,
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(rows)),
        on_select="rerun",
        selection_mode="single-cell",
        alt=say("cards.title"),
        key=f"{KEY}.{st.session_state.get('cards.opened', 0)}",
    )
    chosen = event.selection.cells
    if chosen and chosen[0][0] < len(cards):
        st.session_state["cards.opened"] = st.session_state.get("cards.opened", 0) + 1
        st.query_params["card"] = cards[chosen[0][0]].id
        st.rerun()


def plain_title(card: Card) -> str:
    """The title without Markdown signs."""
    from engine.study.search import plain_markdown

    return plain_markdown(card.title)


def due_text(state: CardState) -> str:
    """When a card is due, as a date of the reader's zone; "" for a new card."""
    if state.due_day:
        return state.due_day
    if state.due_ms is None:
        return ""
    local = datetime.fromtimestamp(state.due_ms / 1000, UTC).astimezone(ZoneInfo(context.zone()))
    return f"{local:%Y-%m-%d %H:%M}"


def _all(cards: Iterable[Card], of: Callable[[Card], set[str]]) -> list[str]:
    return sorted({value for card in cards for value in of(card)})


def _language(card: Card) -> set[str]:
    return {card.language}


def _state(states: Mapping[str, CardState], card: Card) -> str:
    phase = states.get(card.id, NEW).phase
    return "learning" if phase == "relearning" else phase


def _phase(phase: str) -> str:
    return say(f"cards.state.{phase}")


def _kind(kind: str) -> str:
    key = f"cards.kind.{kind}"
    return say(key) if knows(key) else kind


def _priority(priority: str) -> str:
    return say(f"cards.priority.{priority}")
