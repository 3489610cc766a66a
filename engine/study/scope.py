"""Which of the cards a sitting is about: by deck, language and topic."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists

from engine.store.change_tables import card_topics
from engine.store.tables import cards


@dataclass(frozen=True, slots=True)
class Scope:
    """Ids of decks, languages, topics; None is all of them. A card of several topics needs one of them."""

    decks: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    topics: frozenset[str] | None = None

    @staticmethod
    def of(decks: Collection[str] | Scope | None) -> Scope:
        """A scope, from one or from ids of decks."""
        if isinstance(decks, Scope):
            return decks
        return Scope(decks=None if decks is None else frozenset(decks))

    def holds(self) -> ColumnElement[bool]:
        """The condition on `cards` that a deck holds the card now and it belongs here."""
        conditions: list[ColumnElement[bool]] = [cards.c.present.is_(True)]
        if self.decks is not None:
            conditions.append(cards.c.deck.in_(sorted(self.decks)))
        if self.languages is not None:
            conditions.append(cards.c.language.in_(sorted(self.languages)))
        if self.topics is not None:
            of_topic = card_topics.c.topic.in_(sorted(self.topics))
            conditions.append(exists().where(card_topics.c.card_id == cards.c.id, of_topic))
        return and_(*conditions)


Narrowed = Collection[str] | Scope | None
"""Ids of decks, a scope, or None for all cards."""
