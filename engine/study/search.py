"""Finding cards by words: without diacritics, in either Unicode form, and inside Chinese words.

Everything is compared folded (`fold`), so that `duong` finds Đường, whichever way its diacritics are
encoded, and 内存 finds 共享内存. A word is found anywhere in a text, not only at its beginning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from engine.study.card import Card, Library

_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+")
_D_STROKE = str.maketrans("đĐ", "dD")
_SPACES = re.compile(r"\s+")
_AROUND = ".,;:!?\"'()[]{}<>“”‘’«»、。《》「」…`*"


def fold(text: str) -> str:
    """`text` as search compares it: lower case, no diacritics, full-width forms made plain, single spaces."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text)).translate(_D_STROKE)
        text = unicodedata.normalize("NFC", text)
    return _SPACES.sub(" ", text.casefold()).strip()


def _accented(text: str) -> str:
    """`text` in lower case with its diacritics, in one Unicode form."""
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$", re.MULTILINE)
_LINE_START = re.compile(r"^[ \t]*(#{1,6}|>|[-*+]|\d+\.)[ \t]+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|__)(?=\S)(.+?)(?<=\S)\1")
_TEX_FONT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname)\b")
_MATH = re.compile(r"\$\$?([^$]+)\$\$?")


def _tex(match: re.Match[str]) -> str:
    return re.sub(r"[{}\\]", " ", _TEX_FONT.sub("", match.group(1)))


def plain_markdown(text: str) -> str:
    """The words of a Markdown text on one line, without its signs; code and formulas stay readable."""
    text = _FENCE.sub("", text)
    text = _RULE.sub("", text)
    text = _LINE_START.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _MATH.sub(_tex, text)
    return _SPACES.sub(" ", text.replace("`", "").replace("|", " ")).strip()


def _texts(card: Card) -> Iterator[str]:
    yield card.prompt
    for point in card.answer:
        yield point.heading
        yield point.text
    yield from card.key_figures
    for follow in card.follow_ups:
        yield follow.prompt
        yield follow.answer
    if card.pitfall is not None:
        yield card.pitfall
    for claim in card.claims:
        yield claim.label


def plain_text(card: Card) -> str:
    """All that the card says, without markup: title, prompt, answer, figures, follow-ups and pitfall."""
    return " ".join([plain_markdown(card.title), *map(plain_markdown, _texts(card))])


@dataclass(frozen=True, slots=True)
class _Entry:
    """A card with its texts folded, and once with diacritics for ranking."""

    card: Card
    title: str
    labels: str
    text: str
    accented: str


class SearchIndex:
    """The folded texts of a library, prepared once. 2,000 cards take a fraction of a second."""

    def __init__(self, library: Library) -> None:
        self._entries = [_entry(card) for card in library.by_id.values()]

    def find(self, query: str) -> list[Card]:
        """The cards that hold every word of `query`, the best first; all cards for an empty query.

        A word in the title counts most, then one in id, topics, lessons, labs and source, then in the text;
        the whole query in one piece, whole words, and the diacritics as typed count on top. Cards of the
        same rank stay in the order of their decks.
        """
        words = _words(fold(query))
        if not words:
            return [entry.card for entry in self._entries]
        accented = _words(_accented(query))
        phrase = " ".join(words)
        ranked: list[tuple[int, int, Card]] = []
        for position, entry in enumerate(self._entries):
            score = _score(entry, words, accented, phrase)
            if score:
                ranked.append((-score, position, entry.card))
        ranked.sort(key=lambda item: item[:2])
        return [card for _, _, card in ranked]


def _words(folded: str) -> list[str]:
    """The words of a query, without the punctuation around them; a lone sign (× or %) stays."""
    return [word.strip(_AROUND) or word for word in folded.split()]


def _entry(card: Card) -> _Entry:
    title = plain_markdown(card.title)
    labels = [
        card.id,
        card.kind,
        *card.topics,
        *card.lessons,
        *(lab.name for lab in card.labs),
        card.source.document,
        card.source.section,
    ]
    text = " ".join(map(plain_markdown, _texts(card)))
    return _Entry(card, fold(title), fold(" ".join(labels)), fold(text), _accented(f"{title} {text}"))


def _score(entry: _Entry, words: list[str], accented: list[str], phrase: str) -> int:
    """0 where a word is missing; else the higher the better."""
    score = 0
    for word in words:
        if word in entry.title:
            score += 100
        elif word in entry.labels:
            score += 30
        elif word in entry.text:
            score += 10
        else:
            return 0
        if f" {word} " in f" {entry.title} {entry.text} ":
            score += 3
    if len(words) > 1:
        score += 50 if phrase in entry.title else 8 if phrase in entry.text else 0
    if any(not word.isascii() for word in accented) and all(word in entry.accented for word in accented):
        score += 5 * len(words)
    return score


_newest: list[tuple[Library, SearchIndex]] = []
"""The library searched last, with its index: a session searches the same one again and again."""


def search(library: Library, query: str) -> list[Card]:
    """`SearchIndex(library).find(query)`, with the index of the library searched last kept."""
    held = _newest[0] if _newest else None
    if held is None or held[0] is not library:
        held = (library, SearchIndex(library))
        _newest[:] = [held]
    return held[1].find(query)
