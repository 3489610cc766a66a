"""The cards of a library as search sees them: what labels them, and their texts, prepared once.

Cards go by their positions in the library's order, and what is found is a mask over all of them. Texts are
prepared when a search first asks for one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from engine.study.card import Card, Library
from engine.study.search.folding import folded
from engine.study.search.found import Found, Places
from engine.study.search.query import Filled, Pattern, literal_words
from engine.study.search.texts import CardTexts, Told
from engine.study.search.words import Mask

Label = Literal["deck", "topic", "kind", "language", "priority"]
_LABELS: Mapping[Label, Callable[[Card], Iterable[str]]] = {
    "deck": lambda card: (card.deck,),
    "topic": lambda card: card.topics,
    "kind": lambda card: (card.kind,),
    "language": lambda card: (card.language,),
    "priority": lambda card: (card.priority,),
}


class SearchIndex:
    """A library's cards, ready to be searched. Safe to share between threads."""

    def __init__(self, library: Library) -> None:
        self.cards: tuple[Card, ...] = tuple(library.by_id.values())
        self._labelled: dict[Label, Mapping[str, Places]] = {}
        self._texts: CardTexts | None = None
        self._preparing = threading.Lock()

    @cached_property
    def position(self) -> dict[str, int]:
        """Each card's position by its id."""
        return {card.id: place for place, card in enumerate(self.cards)}

    @property
    def is_prepared(self) -> bool:
        """Whether texts can be searched at once: preparing those of a large library takes seconds."""
        return self._texts is not None

    def prepare(self, told: Told | None = None) -> CardTexts:
        """The texts, prepared where they aren't yet; told: how many cards of how many are, now and then."""
        with self._preparing:  # a second one who asks waits for the first
            if self._texts is None:
                self._texts = CardTexts(self.cards, told)
            return self._texts

    @property
    def texts(self) -> CardTexts:
        """The cards' texts."""
        return self._texts or self.prepare()

    def all(self) -> Mask:
        """Every card."""
        return np.ones(len(self.cards), bool)

    def held(self, card_ids: Iterable[str]) -> Mask:
        """Those of the cards that the library holds."""
        found = [*map(self.position.get, card_ids)]
        places = [place for place in found if place is not None] if None in found else found
        mask = np.zeros(len(self.cards), bool)
        mask[np.array(places, np.intp)] = True
        return mask

    def labelled(self, by: Label) -> Mapping[str, Places]:
        """The positions of the cards of each deck, topic (as decks give it), kind, language or priority."""
        if by not in self._labelled:
            found: dict[str, list[int]] = {}
            of = _LABELS[by]
            for place, card in enumerate(self.cards):
                for label in of(card):
                    found.setdefault(label, []).append(place)
            self._labelled[by] = {label: np.array(places, np.intp) for label, places in found.items()}
        return self._labelled[by]

    def with_label(self, by: Label, labels: Iterable[str]) -> Mask:
        """The cards of any of these decks, topics, kinds, languages or priorities."""
        places = self.labelled(by)
        mask = np.zeros(len(self.cards), bool)
        for label in labels:
            if label in places:
                mask[places[label]] = True
        return mask

    @cached_property
    def by_title(self) -> Places:
        """Each card's place among the titles in their order; equal titles share one."""
        titles = folded([card.title for card in self.cards])
        return np.unique(np.array(titles, object), return_inverse=True)[1].astype(np.intp)

    def find(self, query: str) -> list[Card]:
        """The cards that hold every word of `query`, the best first; all cards for an empty query.

        A word in the title counts most, then one in id, topics, lessons, labs and source, then in the text;
        the whole query in one piece, whole words, and the diacritics as typed count on top. Cards of the
        same rank stay in the order of their decks.
        """
        words = literal_words(query)
        found = self.all()
        for word in words:
            found &= self.texts.holding(Pattern(word), None, found)
        return list(Found(self.cards, self.ranked([query] if words else [], np.flatnonzero(found))))

    def holding(self, of: Pattern, fields: tuple[int, ...] | None, among: Mask) -> Mask:
        """The cards whose text (or one of whose fields) holds the pattern; right for those of `among`."""
        return self.texts.holding(of, fields, among)

    def filled(self, node: Filled) -> Mask:
        """The cards where one of the fields holds something."""
        return self.texts.filled(node.fields)

    def ranked(self, typed: Sequence[str], found: Places) -> Places:
        """Positions that match, the best first: by the texts that were looked for."""
        words = [word for text in typed for word in literal_words(text)]
        return self.texts.ranked(typed, words, found) if words else found


_newest: list[tuple[Library, SearchIndex]] = []
"""The library searched last, with its index: a session searches the same one again and again."""


def index_of(library: Library) -> SearchIndex:
    """The index of a library; that of the library searched last is kept."""
    held = _newest[0] if _newest else None
    if held is None or held[0] is not library:
        held = (library, SearchIndex(library))
        _newest[:] = [held]
    return held[1]


def search(library: Library, query: str) -> list[Card]:
    """The cards that hold every word of a plain query (`SearchIndex.find`)."""
    return index_of(library).find(query)
