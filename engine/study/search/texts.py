"""The texts of all cards, folded and prepared once, and finding in them.

A text is found anywhere, not only at the beginning of a word. A card's fields stand in one string, in an
order that ranks: the title, then what labels the card, then what it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from engine.study.card import Card
from engine.study.search.folding import END, folded_lines
from engine.study.search.found import Places
from engine.study.search.query import Pattern
from engine.study.search.text import FIELD_END, accented, plain_text, unmarked
from engine.study.search.words import Mask, Words

Told = Callable[[int, int], object]
"""Is told how many of how many are done."""

FINELY_RANKED = 1000
"""Matches up to which diacritics, whole words and phrases count; of more, titles come first."""

_LABELS = 6
"""The last place (see `texts_of`) of what labels the card."""

_BETWEEN = f"\n\n{FIELD_END}\n\n"
_AT_ONCE = 2000
"""Cards whose texts are folded together."""
_KEPT = 128
"""Answers that are kept, a byte a card each: a search is typed letter by letter, and asked for anew with each
click beside it."""


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


class CardTexts:
    """The folded texts of cards, by their positions. told: how far preparing them is, now and then."""

    def __init__(self, cards: Sequence[Card], told: Told | None = None) -> None:
        self._cards = cards
        self._texts: list[str] = []
        """The fields, folded; each begins and ends with a space, so that ` word ` finds whole words."""
        self._words = Words(end=END, apart=FIELD_END)
        for start in range(0, len(cards), _AT_ONCE):
            some = cards[start : start + _AT_ONCE]
            line = folded_lines([unmarked(_BETWEEN.join(texts_of(card))) for card in some])
            self._texts += line.split(END)
            self._words.add([*line.split(), END])
            if told is not None:
                told(len(self._texts), len(cards))
        self._words.close()
        self._title_ends = [text.index(FIELD_END) for text in self._texts]
        self._titles = [text[:end] for text, end in zip(self._texts, self._title_ends, strict=True)]
        self._accented: dict[int, str] = {}
        self._in_title = lru_cache(_KEPT)(self._with_title)
        self._in_words = lru_cache(_KEPT)(self._of_words)
        self._in_all = lru_cache(_KEPT)(self._of_all)

    def holding(self, of: Pattern, fields: tuple[int, ...] | None, among: Mask) -> Mask:
        """The texts (or those one of whose fields) hold the pattern; right for the positions `among`."""
        if of.regex is None or of.in_word:
            return self._in_words(of, fields)
        candidates = self._in_words(Pattern(of.literal), fields)
        fewer = candidates & among
        if 2 * np.count_nonzero(fewer) < np.count_nonzero(candidates):
            return self._matching(of.regex, fields, fewer)
        return self._in_all(of.literal, of.regex, fields)

    def filled(self, fields: tuple[int, ...]) -> Mask:
        """The texts where one of the fields holds something."""
        return np.asarray(self._words.filled[:, list(fields)].any(axis=1))

    def ranked(self, typed: Sequence[str], words: Sequence[str], found: Places) -> Places:
        """Positions that match, the best first: by the texts that were looked for, and their words."""
        if len(found) > FINELY_RANKED:
            # those with the most of the words in their titles, then those with fewer
            hits = sum((self._in_title(word)[found].astype(np.int8) for word in words), np.int8(0))
            return found[np.argsort(-hits, kind="stable")]
        phrase = " ".join(words)
        spelt = [word for text in typed for word in accented(text).split()]
        with_signs = any(not word.isascii() for word in spelt)
        scored = []
        for place in found.tolist():
            score = self._score(place, words, phrase)
            if with_signs and all(word in self._spelt(place) for word in spelt):
                score += 5 * len(words)
            scored.append((-score, place))
        scored.sort()
        return np.array([place for _, place in scored], np.intp)

    def _of_words(self, of: Pattern, fields: tuple[int, ...] | None) -> Mask:
        if of.regex is not None:
            return self._words.matching(of.regex, of.literal, fields)
        return self._words.holding(of.literal, fields)

    def _of_all(self, literal: str, regex: re.Pattern[str], fields: tuple[int, ...] | None) -> Mask:
        return self._matching(regex, fields, self._in_words(Pattern(literal), fields))

    def _matching(self, regex: re.Pattern[str], fields: tuple[int, ...] | None, candidates: Mask) -> Mask:
        """The candidates in whose texts (or fields) the regular expression finds something."""
        places = np.flatnonzero(candidates).tolist()
        if fields is None:
            found = [place for place in places if regex.search(self._texts[place])]
        else:
            found = [place for place in places if any(map(regex.search, self._fields(place, fields)))]
        mask = np.zeros(len(self._texts), bool)
        mask[found] = True
        return mask

    def _with_title(self, word: str) -> Mask:
        titles = self._titles
        return np.fromiter((word in title for title in titles), bool, len(titles))

    def _score(self, place: int, words: Sequence[str], phrase: str) -> int:
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
            self._accented[place] = accented(plain_text(self._cards[place]))
        return self._accented[place]
