"""The list of cards: the search with its language, filters, order, and a table whose rows can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from app_pages import context
from app_pages.card_bulk import bulk_actions, done_line
from app_pages.search_words import fault_text, search_help
from app_pages.words import knows, say
from engine.study import state_table
from engine.study.card import Card, Library
from engine.study.card_changes import flags
from engine.study.card_flags import NONE, Flags
from engine.study.card_state import NEW, CardState
from engine.study.search import SearchIndex, index_of, plain_markdown
from engine.study.search.browse import ORDERS, browse
from engine.study.search.faults import SearchFault
from engine.study.search.found import Found
from engine.study.search.index import Label
from engine.study.search.parse import parse

KEY = "cards.table"
SEARCH = "cards.search"
LAST = "cards.search.last"
"""The last search that could be understood: its cards stay while the next one is being typed."""
ORDER, DESCENDING, PAGE = "cards.order", "cards.descending", "cards.page"
HEIGHT = 520
ROWS = 200
"""Rows of a page: a browser draws them at once, and nobody reads more without searching."""
STATES = ("due", "new", "learn", "review", "suspended", "buried", "marked", "leech")
LONG = 5000
"""Cards of which it takes a while to prepare the texts: the page says how far it is."""
Wanted = Mapping[Label, list[str]]
"""What a card must be to stay: one of the values chosen of each label."""


@st.fragment
def card_list(library: Library) -> None:
    """Search field, filters, table, and what can be done to the cards. A click on a row opens the card."""
    query = st.text_input(
        say("cards.search"),
        value=st.query_params.get("q", ""),
        type="search",
        live=True,
        placeholder=say("cards.search_hint"),
        label_visibility="collapsed",
        key=SEARCH,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        wanted, states = _filters(library)
        search_help()
        changes = st.container(width="content")
    found, understood = _found(library, query, states)
    index = index_of(library)
    for label, values in wanted.items():
        found = found.among(index.with_label(label, values))
    st.caption(say("cards.count", shown=len(found), all=len(library.by_id)))
    done_line()
    if not found:
        st.info(say("cards.none"), icon=":material/search_off:")
        return
    shown = _page(found)
    chosen = _table(shown, library)
    if chosen or understood:  # what an earlier search found is nothing to change at once
        with changes:
            bulk_actions(chosen, found)
    if chosen:
        _preview(chosen[-1], library)


def _found(library: Library, query: str, states: Sequence[str]) -> tuple[Found, bool]:
    """The cards of the search; of a faulty one the fault, the cards of the last that had none, and False."""
    try:
        parse(query)  # alone: brackets must not close over what the filters add
        found = _search(library, query, states)
    except SearchFault as fault:
        st.caption(f":material/info: {fault_text(fault)}")
    else:
        st.session_state[LAST] = query
        return found, True
    try:
        return _search(library, st.session_state.get(LAST, ""), states), False
    except SearchFault:  # a deck that was named then is gone
        return _search(library, "", states), False


def _search(library: Library, query: str, states: Sequence[str]) -> Found:
    wanted = " or ".join(f"is:{state}" for state in states)
    order = st.session_state.get(ORDER, ORDERS[0])
    if query.strip():
        _prepare(index_of(library))
    return browse(
        context.store(),
        library,
        f"({query}) ({wanted})" if query.strip() and wanted else query.strip() or wanted,
        now=context.now(),
        zone=context.zone(),
        order=order,
        descending=bool(st.session_state.get(DESCENDING)),
    )


def _prepare(index: SearchIndex) -> None:
    """Prepares the texts of a library, once; where there are many, it is said how far it is."""
    if index.is_prepared or len(index.cards) < LONG:
        return
    bar = st.progress(0.0, say("browse.preparing"))
    index.prepare(lambda done, total: bar.progress(done / total, say("browse.preparing")))
    bar.empty()


def _filters(library: Library) -> tuple[Wanted, list[str]]:
    """What a card must be to stay, and the states that are wanted (none: all)."""
    titles = {deck.id: deck.title for deck in library.decks}
    index = index_of(library)
    filters: tuple[tuple[Label, list[str], Callable[[str], str]], ...] = (
        ("deck", list(titles), lambda deck: titles.get(deck, deck)),
        ("kind", sorted(index.labelled("kind")), _kind),
        ("language", sorted(index.labelled("language")), lambda code: say(f"language.{code}")),
        ("topic", sorted(index.labelled("topic")), str),
        ("priority", ["high", "normal"], _priority),
    )
    wanted: dict[Label, list[str]] = {}
    with st.popover(say("cards.filters"), icon=":material/filter_list:", key="cards.filters"):
        for name, choices, word in filters:
            chosen = _choose(name, choices, word)
            if chosen:
                wanted[name] = chosen
        states = _choose("state", list(STATES), lambda state: say(f"browse.is.{state}"))
        st.selectbox(
            say("browse.order"), ORDERS, format_func=lambda order: say(f"browse.order.{order}"), key=ORDER
        )
        st.toggle(say("browse.descending"), key=DESCENDING)
    return wanted, states


def _choose(name: str, choices: list[str], word: Callable[[str], str]) -> list[str]:
    """One filter; nothing chosen lets every card through."""
    if len(choices) < 2:
        return []
    return st.multiselect(
        say(f"cards.filter.{name}"),
        choices,
        format_func=word,
        placeholder=say("cards.filter_all"),
        key=f"cards.filter.{name}",
    )


def _page(found: Sequence[Card]) -> Sequence[Card]:
    """The part of a long list that is looked at."""
    pages = -(-len(found) // ROWS)
    if pages < 2:
        return found
    page = st.number_input(
        say("browse.page", n=pages, rows=ROWS),
        min_value=1,
        max_value=pages,
        value=1,
        key=f"{PAGE}.{pages}",
        width=240,  # the table's own buttons come up at its right
    )
    return found[(page - 1) * ROWS : page * ROWS]


def _table(cards: Sequence[Card], library: Library) -> list[Card]:
    """The table; returns the cards whose rows are chosen. A click on a cell opens its card."""
    titles = {deck.id: deck.title for deck in library.decks}
    ids = [card.id for card in cards]
    with context.store().read() as connection:
        states = state_table.read_some(connection, ids)
    did = flags(context.store(), ids)
    today = context.desk().today(context.now(), context.zone()).study_day
    rows = [
        {
            "title": plain_markdown(card.title),
            "state": _state_text(states.get(card.id, NEW), did.get(card.id, NONE), today),
            "due": due_text(states.get(card.id, NEW)),
            "kind": _kind(card.kind),
            "priority": "★" if card.priority == "high" else "",
            "deck": titles.get(card.deck, card.deck),
            "topics": ", ".join([*card.topics, *did.get(card.id, NONE).tags]),
        }
        for card in cards
    ]
    column: dict[str, Any] = {
        name: st.column_config.TextColumn(say(f"cards.column.{name}"), width=width)
        for name, width in (
            ("title", 320),
            ("state", 120),
            ("due", 130),
            ("kind", 110),
            ("priority", 40),
            ("deck", 180),
            ("topics", 240),
        )
    }
    event = st.dataframe(
        rows,
        column_config=column,
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(rows)),
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        alt=say("cards.title"),
        key=f"{KEY}.{st.session_state.get('cards.opened', 0)}",
    )
    clicked = event.selection.cells
    if clicked and clicked[0][0] < len(cards):
        st.session_state["cards.opened"] = st.session_state.get("cards.opened", 0) + 1
        st.query_params["card"] = cards[clicked[0][0]].id
        st.rerun()
    return [cards[row] for row in event.selection.rows if row < len(cards)]


def _preview(card: Card, library: Library) -> None:
    """The card as a review shows it, its answer open."""
    from app_pages.review_card.payload import words
    from app_pages.sheet import card_sheet

    titles = {deck.id: deck.title for deck in library.decks}
    with st.expander(say("browse.preview", title=plain_markdown(card.title)), icon=":material/preview:"):
        face = context.faces().of(card, titles.get(card.deck, card.deck))
        card_sheet(face, words(context.language()), key=f"cards.preview.{card.id}")


def _state_text(state: CardState, did: Flags, today: str) -> str:
    """Where the card stands on the learner's day, and what was done to it."""
    marks = (
        ("suspended", did.suspended),
        ("buried", did.buried(today)),
        ("marked", did.marked),
        ("leech", did.leech),
    )
    return " · ".join([_phase(state.phase), *(say(f"browse.is.{name}") for name, so in marks if so)])


def due_text(state: CardState) -> str:
    """When a card is due, as a date of the reader's zone; "" for a new card."""
    if state.due_day:
        return state.due_day
    if state.due_ms is None:
        return ""
    local = datetime.fromtimestamp(state.due_ms / 1000, UTC).astimezone(ZoneInfo(context.zone()))
    return f"{local:%Y-%m-%d %H:%M}"


def _phase(phase: str) -> str:
    return say(f"cards.state.{phase}")


def _kind(kind: str) -> str:
    key = f"cards.kind.{kind}"
    return say(key) if knows(key) else kind


def _priority(priority: str) -> str:
    return say(f"cards.priority.{priority}")
