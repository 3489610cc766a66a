"""Searching a library by the whole language: texts in the index, states and the log in the store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import ColumnElement, Connection, Select, false, select

from engine.store import Store
from engine.store.change_tables import card_flags
from engine.store.tables import card_states, cards
from engine.study.card import Card, Library
from engine.study.schedule_plan import plan_in
from engine.study.search.conditions import Conditions
from engine.study.search.faults import SearchFault
from engine.study.search.index import SearchIndex, index_of
from engine.study.search.parse import parse
from engine.study.search.query import All, Filled, Is, Named, Node, Not, Pattern, Some, Text, Untagged
from engine.study.search.text import fold
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
) -> list[Card]:
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
        found = sorted(search.among(node, range(len(index.cards))))
        places = _ordered(connection, index, node, found, order, descending=descending)
    return [index.cards[place] for place in places]


def _ordered(
    connection: Connection,
    index: SearchIndex,
    node: Node,
    found: list[int],
    order: str,
    *,
    descending: bool,
) -> list[int]:
    if order in _COLUMNS:
        column = _COLUMNS[order]
        query = select(card_states.c.card_id, column).where(column.is_not(None))
        values = {card_id: value for card_id, value in connection.execute(query)}  # noqa: C416
        ids = [index.cards[place].id for place in found]
        with_value = [place for place, card_id in zip(found, ids, strict=True) if card_id in values]
        with_value.sort(key=lambda place: values[index.cards[place].id], reverse=descending)
        return with_value + [
            place for place, card_id in zip(found, ids, strict=True) if card_id not in values
        ]
    if order == "title":
        return sorted(found, key=lambda place: fold(index.cards[place].title), reverse=descending)
    places = index.ranked([*_typed(node)], found) if order == "best" else found
    return places[::-1] if descending else places


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


def _in_both(kept: set[int], places: Collection[int]) -> Collection[int]:
    if isinstance(places, range):
        return kept  # every card
    return [place for place in places if place in kept]


@dataclass(slots=True)
class _Search:
    """One search at one moment. Cards go by their positions in the index."""

    connection: Connection
    library: Library
    index: SearchIndex
    conditions: Conditions
    moment: Now
    leech_lapses: int

    def among(self, node: Node, places: Collection[int]) -> Collection[int]:
        """The positions of `places` that the search means."""
        match node:
            case Text():
                return self.index.holding(node.pattern, node.fields, places)
            case Filled():
                return self.index.filled(node, places)
            case Not(Text(pattern=Pattern(regex=None), fields=None) as part):
                return self.index.lacking(part.pattern, places)
            case Not(part):
                without = set(self.among(part, places))
                return [place for place in places if place not in without]
            case All(parts):
                return self._all(parts, places)
            case Some(parts):
                found: set[int] = set()
                for part in parts:
                    rest = [place for place in places if place not in found] if found else places
                    found.update(self.among(part, rest))
                return found
        condition = self.conditions.of(node)
        kept = set(self._of_cards(node)) if condition is None else self._of_states(condition)
        return _in_both(kept, places)

    def _all(self, parts: tuple[Node, ...], places: Collection[int]) -> Collection[int]:
        """What the store can answer goes into one query; the rest narrows what is left, texts first."""
        known = {place for place, part in enumerate(parts) if self.conditions.of(part) is not None}
        condition = self.conditions.of(All(tuple(parts[place] for place in sorted(known))))
        if condition is not None:
            places = _in_both(self._of_states(condition), places)
        rest = [part for place, part in enumerate(parts) if place not in known]
        for part in sorted(rest, key=_cost):
            places = self.among(part, places)
        return places

    def _of_states(self, condition: ColumnElement[bool]) -> set[int]:
        return self._places(select(card_states.c.card_id).where(condition))

    def _of_cards(self, node: Node) -> Iterable[int]:
        """Positions by what decks and flags say of the cards."""
        match node:
            case Is(state):
                return self._places(self._flagged(state))
            case Untagged():
                tagged = self._own_tags()
                placed = enumerate(self.index.cards)
                return (place for place, card in placed if not card.topics and card.id not in tagged)
            case Named("deck"):
                return self._of_decks(node)
            case Named("tag"):
                return self._tagged(node)
            case Named(what):
                attribute = "language" if what == "lang" else what
                held = enumerate(self.index.cards)
                return (place for place, card in held if getattr(card, attribute) == node.value)
        raise AssertionError(node)

    def _places(self, query: Select[str]) -> set[int]:
        """The positions of the cards whose ids a query gives."""
        found = self.connection.execute(query)
        # the driver's own rows: SQLAlchemy's take three times as long, which counts with 100,000 of them
        rows = found.cursor.fetchall() if found.cursor is not None else []
        found.close()
        position = self.index.position
        return {position[card_id] for (card_id,) in rows if card_id in position}

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

    def _of_decks(self, node: Named) -> Iterator[int]:
        decks = {
            deck.id for deck in self.library.decks if any(map(node.regex.match, (deck.id, fold(deck.title))))
        }
        if not decks:
            known = ", ".join(deck.id for deck in self.library.decks)
            message = f"No deck is called {node.value}. There are {known}; * stands for any signs."
            raise SearchFault("unknown_deck", message, value=node.value, known=known)
        return (place for deck in decks for place in self.index.by_deck.get(deck, ()))

    def _tagged(self, node: Named) -> Iterator[int]:
        """By the topics that decks give and the tags that the learner gives."""
        matches = cache(lambda tag: node.regex.match(fold(tag)) is not None)
        for topic, places in self.index.by_topic.items():
            if matches(topic):
                yield from places
        position = self.index.position
        for card_id, tags in self._own_tags().items():
            if card_id in position and any(map(matches, tags)):
                yield position[card_id]
