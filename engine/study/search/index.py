"""The texts of all cards, folded and prepared once, and finding in them.

A text is found anywhere, not only at the beginning of a word. A card's fields stand in one string, in an
order that ranks: the title, then what labels the card, then what it says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from engine.study.card import Card, Library
from engine.study.search.query import Filled, Pattern, literal_words
from engine.study.search.text import FIELD_END, accented, fold, plain_markdown, plain_text

FINELY_RANKED = 1000
"""Matches up to which diacritics, whole words and phrases count; of more, titles come first."""

_LABELS = 6
"""The last place (see `texts_of`) of what labels the card."""


def texts_of(card: Card) -> tuple[str, ...]:
    """The card's fields as Markdown, by their places in `query.FIELDS`."""
    return (
        card.title,
        card.id,
        card.kind,
        " ".join(card.lessons),
        " ".join(lab.name for lab in card.labs),
        f"{card.source.document} {card.source.section}",
        " ".join(card.topics),
        card.prompt,
        "\n\n".join(f"{point.heading}\n{point.text}" for point in card.answer),
        "\n\n".join(card.key_figures),
        "\n\n".join(f"{follow.prompt}\n{follow.answer}" for follow in card.follow_ups),
        card.pitfall or "",
        "\n".join(claim.label for claim in card.claims),
    )


class SearchIndex:
    """The folded texts of a library's cards, by their positions in its order."""

    def __init__(self, library: Library) -> None:
        self.cards: tuple[Card, ...] = tuple(library.by_id.values())
        self.position = {card.id: place for place, card in enumerate(self.cards)}
        self._texts = [_folded(card) for card in self.cards]
        self._title_ends = [text.index(FIELD_END) for text in self._texts]
        self._titles = [text[:end] for text, end in zip(self._texts, self._title_ends, strict=True)]
        self._accented: dict[int, str] = {}

    def find(self, query: str) -> list[Card]:
        """The cards that hold every word of `query`, the best first; all cards for an empty query.

        A word in the title counts most, then one in id, topics, lessons, labs and source, then in the text;
        the whole query in one piece, whole words, and the diacritics as typed count on top. Cards of the
        same rank stay in the order of their decks.
        """
        words = literal_words(query)
        found: Sequence[int] = range(len(self.cards))
        for word in words:
            found = self.holding(Pattern(word), None, found)
        return [self.cards[place] for place in self.ranked([query] if words else [], found)]

    def holding(self, of: Pattern, fields: tuple[int, ...] | None, among: Iterable[int]) -> list[int]:
        """The positions among those given whose text (or one of whose fields) holds the pattern."""
        texts, literal = self._texts, of.literal
        if isinstance(among, range):
            found = [place for place, text in enumerate(texts) if literal in text]
        else:
            found = [place for place in among if literal in texts[place]]
        if fields is not None:
            return [place for place in found if any(_holds(of, text) for text in self._fields(place, fields))]
        if of.regex is not None:
            return [place for place in found if of.regex.search(texts[place])]
        return found

    def lacking(self, of: Pattern, among: Iterable[int]) -> list[int]:
        """The positions among those given whose text doesn't hold the pattern's literal piece."""
        texts, literal = self._texts, of.literal
        return [place for place in among if literal not in texts[place]]

    @cached_property
    def by_topic(self) -> dict[str, list[int]]:
        """The positions of the cards of each topic, as decks give it."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, card in enumerate(self.cards):
            for topic in card.topics:
                found[topic].append(place)
        return dict(found)

    @cached_property
    def by_deck(self) -> dict[str, list[int]]:
        """The positions of the cards of each deck."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, card in enumerate(self.cards):
            found[card.deck].append(place)
        return dict(found)

    def filled(self, node: Filled, among: Iterable[int]) -> list[int]:
        """The positions among those given where one of the fields holds something."""
        return [place for place in among if any(map(str.strip, self._fields(place, node.fields)))]

    def ranked(self, typed: Sequence[str], found: Sequence[int]) -> list[int]:
        """Positions that match, the best first: by the texts that were looked for."""
        words = [word for text in typed for word in literal_words(text)]
        if not words:
            return list(found)
        if len(found) > FINELY_RANKED:
            return self._titles_first(words, found)
        phrase = " ".join(words)
        spelt = [word for text in typed for word in accented(text).split()]
        with_signs = any(not word.isascii() for word in spelt)
        scored = []
        for place in found:
            score = self._score(place, words, phrase)
            if with_signs and all(word in self._spelt(place) for word in spelt):
                score += 5 * len(words)
            scored.append((-score, place))
        scored.sort()
        return [place for _, place in scored]

    def _titles_first(self, words: list[str], found: Sequence[int]) -> list[int]:
        """Those with the most of the words in their titles, then those with fewer."""
        hits: dict[int, int] = {}
        titles = self._titles
        for word in words:
            for place in [place for place in found if word in titles[place]]:
                hits[place] = hits.get(place, 0) + 1
        first = sorted(hits, key=lambda place: (-hits[place], place))
        return first + [place for place in found if place not in hits]

    def _score(self, place: int, words: list[str], phrase: str) -> int:
        text, title_end = self._texts[place], self._title_ends[place]
        score = 0
        for word in words:
            at = text.find(word)
            if 0 <= at < title_end:
                score += 100
            elif at >= 0:
                score += 30 if text.count(FIELD_END, 0, at) <= _LABELS else 10
            if at >= 0 and f" {word} " in text:
                score += 3
        if len(words) > 1:
            at = text.find(phrase)
            score += 50 if 0 <= at < title_end else 8 if at >= 0 else 0
        return score

    def _fields(self, place: int, fields: tuple[int, ...]) -> list[str]:
        texts = self._texts[place].split(FIELD_END)
        return [texts[field] for field in fields]

    def _spelt(self, place: int) -> str:
        """The card's text with its diacritics."""
        if place not in self._accented:
            self._accented[place] = accented(plain_text(self.cards[place]))
        return self._accented[place]


def _holds(of: Pattern, text: str) -> bool:
    return of.literal in text if of.regex is None else of.regex.search(text) is not None


_BETWEEN = f"\n\n{FIELD_END}\n\n"
_ENDS = re.compile(rf"\s*{FIELD_END}\s*")


def _folded(card: Card) -> str:
    """The fields, folded; each begins and ends with a space, so that ` word ` finds whole words."""
    plain = plain_markdown(_BETWEEN.join(texts_of(card)))
    return f" {_ENDS.sub(f' {FIELD_END} ', fold(plain))} "


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
