"""Searching a library by the whole language: texts in the index, states and the log in the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, cast, false, func, select
from sqlalchemy import Text as AsText

from engine.store import Store
from engine.store.change_tables import card_flags
from engine.store.tables import card_states, cards
from engine.study.card import Library
from engine.study.schedule_plan import plan_in
from engine.study.search.conditions import Conditions
from engine.study.search.faults import SearchFault
from engine.study.search.found import Found, Places
from engine.study.search.index import SearchIndex, index_of
from engine.study.search.parse import parse
from engine.study.search.query import All, Filled, Is, Named, Node, Not, Some, Text, Untagged
from engine.study.search.text import fold
from engine.study.search.words import Mask
from engine.study.settings import load_in
from engine.study.study_day import to_ms
from engine.study.today import Now, now_for_learner

ORDERS = ("best", "deck", "title", "due", "interval", "stability", "difficulty", "lapses", "reps", "last")
"""What found cards can be put in order by: `best` by how well the text fits, `deck` as decks have them."""

_COLUMNS = {
    "due": card_states.c.due_ms,
    "interval": card_states.c.interval_minutes,
    "stability": card_states.c.stability,
    "difficulty": card_states.c.difficulty,
    "lapses": card_states.c.lapses,
    "reps": card_states.c.reps,
    "last": card_states.c.last_review_ms,
}


def browse(
    store: Store,
    library: Library,
    text: str,
    *,
    now: datetime,
    zone: str,
    order: str = "best",
    descending: bool = False,
) -> Found:
    """The library's cards that the search `text` means, in an order of `ORDERS`; new cards come last in
    those that go by state. Raises SearchFault, UnknownZone.
    """
    node = parse(text)
    index = index_of(library)
    with store.read() as connection:
        settings = load_in(connection)
        moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
        params = plan_in(connection).of_deck(settings.scheduler, None)
        conditions = Conditions(moment, settings.rollover_hour, params, connection.dialect)
        search = _Search(connection, library, index, conditions, moment, settings.leech_lapses)
        found = np.flatnonzero(search.among(node, index.all()))
        places = _ordered(connection, index, node, found, order, descending=descending)
    return Found(index.cards, places)


def _ordered(
    connection: Connection,
    index: SearchIndex,
    node: Node,
    found: Places,
    order: str,
    *,
    descending: bool,
) -> Places:
    if order in _COLUMNS:
        column = _COLUMNS[order]
        values = np.full(len(index.cards), np.nan)
        held = _joined(connection, select(card_states.c.card_id, column).where(column.is_not(None)))
        if held is not None:
            where = [*map(index.position.get, held[0])]
            numbers = np.fromiter(map(float, held[1]), np.float64, len(where))
            values[[place for place in where if place is not None]] = numbers[
                [at is not None for at in where]
            ]
        there = found[~np.isnan(values[found])]
        return np.concatenate((_sorted(there, values[there], descending), found[np.isnan(values[found])]))
    if order == "title":
        return _sorted(found, index.by_title[found], descending)
    places = index.ranked([*_typed(node)], found) if order == "best" else found
    return places[::-1] if descending else places


def _sorted(places: Places, by: NDArray[Any], descending: bool) -> Places:
    """Those of equal values stay in their order, either way."""
    return np.asarray(places[np.argsort(-by if descending else by, kind="stable")])


def _joined(connection: Connection, query: Select[Any]) -> list[list[str]] | None:
    """What a query gives, a list of texts a column; None where it gives nothing.

    In one row: 100,000 rows of their own take twice as long, and set off a search for garbage among all
    cards.
    """
    columns = query.subquery().c
    joined = select(*(func.aggregate_strings(cast(column, AsText), "\n") for column in columns))
    row = connection.execute(joined).one()
    return None if row[0] is None else [column.split("\n") for column in row]


def _typed(node: Node) -> Iterator[str]:
    """The texts that found cards hold, as they were typed: what ranking goes by."""
    match node:
        case Text(fields=None):
            yield node.typed
        case All(parts) | Some(parts):
            for part in parts:
                yield from _typed(part)


def _cost(part: Node) -> int:
    """What narrows at once comes first, then texts, then what is made of several."""
    return 0 if isinstance(part, Named | Is) else 1 if isinstance(part, Text) else 2


@dataclass(slots=True)
class _Search:
    """One search at one moment. Cards go by their positions in the index."""

    connection: Connection
    library: Library
    index: SearchIndex
    conditions: Conditions
    moment: Now
    leech_lapses: int

    def among(self, node: Node, within: Mask) -> Mask:
        """The cards that the search means; right for those `within`, which saves work."""
        match node:
            case Text():
                return self.index.holding(node.pattern, node.fields, within)
            case Filled():
                return self.index.filled(node)
            case Not(part):
                return ~self.among(part, within)
            case All(parts):
                return self._all(parts, within)
            case Some(parts):
                found = np.zeros(len(within), bool)
                for part in parts:
                    found |= self.among(part, within & ~found)
                return found
        condition = self.conditions.of(node)
        return self._of_cards(node) if condition is None else self._of_states(condition)

    def _all(self, parts: tuple[Node, ...], within: Mask) -> Mask:
        """What the store can answer goes into one query; the rest narrows what is left, texts first."""
        known = {place for place, part in enumerate(parts) if self.conditions.of(part) is not None}
        condition = self.conditions.of(All(tuple(parts[place] for place in sorted(known))))
        if condition is not None:
            within = within & self._of_states(condition)
        rest = [part for place, part in enumerate(parts) if place not in known]
        for part in sorted(rest, key=_cost):
            within = within & self.among(part, within)
        return within

    def _of_states(self, condition: ColumnElement[bool]) -> Mask:
        return self._places(select(card_states.c.card_id).where(condition))

    def _of_cards(self, node: Node) -> Mask:
        """The cards by what decks and flags say of them."""
        match node:
            case Is(state):
                return self._places(self._flagged(state))
            case Untagged():
                tagged = self.index.with_label("topic", self.index.labelled("topic"))
                return ~(tagged | self.index.held(self._own_tags()))
            case Named("deck"):
                return self._of_decks(node)
            case Named("tag"):
                return self._tagged(node)
            case Named("lang"):
                return self.index.with_label("language", [node.value])
            case Named("kind" | "priority" as what):
                return self.index.with_label(what, [node.value])
        raise AssertionError(node)

    def _places(self, query: Select[str]) -> Mask:
        """The cards whose ids a query gives."""
        found = _joined(self.connection, query)
        return self.index.held(found[0] if found is not None else ())

    def _flagged(self, state: str) -> Select[str]:
        """The ids of the cards that are new, suspended, buried, marked or a leech."""
        if state == "new":
            return select(cards.c.id).where(cards.c.present.is_(True), cards.c.started.is_(False))
        if state == "leech":
            lapses = card_states.c.lapses
            is_one = lapses >= self.leech_lapses if self.leech_lapses else false()
            return select(card_states.c.card_id).where(is_one)
        held = {
            "suspended": card_flags.c.suspended.is_(True),
            "buried": card_flags.c.buried_until > self.moment.day,
            "marked": card_flags.c.marked.is_(True),
        }
        return select(card_flags.c.card_id).where(held[state])

    def _own_tags(self) -> dict[str, list[str]]:
        """The tags that the learner gave, by card."""
        rows = self.connection.execute(select(card_flags.c.card_id, card_flags.c.tags))
        return {row.card_id: row.tags for row in rows if row.tags}

    def _of_decks(self, node: Named) -> Mask:
        decks = [
            deck.id for deck in self.library.decks if any(map(node.regex.match, (deck.id, fold(deck.title))))
        ]
        if not decks:
            known = ", ".join(deck.id for deck in self.library.decks)
            message = f"No deck is called {node.value}. There are {known}; * stands for any signs."
            raise SearchFault("unknown_deck", message, value=node.value, known=known)
        return self.index.with_label("deck", decks)

    def _tagged(self, node: Named) -> Mask:
        """By the topics that decks give and the tags that the learner gives."""
        matches = cache(lambda tag: node.regex.match(fold(tag)) is not None)
        by_deck = self.index.with_label("topic", filter(matches, self.index.labelled("topic")))
        own = (card_id for card_id, tags in self._own_tags().items() if any(map(matches, tags)))
        return by_deck | self.index.held(own)
