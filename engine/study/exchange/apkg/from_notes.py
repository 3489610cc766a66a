"""Notes of Anki's as decks of cards: a deck for each of Anki's, a card for each card of a note."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.study.card import Card, Deck, Language, Point, Source
from engine.study.exchange.apkg.from_html import markdown_of
from engine.study.exchange.apkg.values import AnkiCard, AnkiNote
from engine.study.search.text import fold, plain_markdown

LONGEST_TITLE = 120
LONGEST_TEXT = 50_000
ANSWER: dict[Language, str] = {"vi": "Trả lời", "zh": "答案", "en": "Answer"}
OWN_TAGS = frozenset({"marked", "leech"})
"""Anki's own tags, which say what Benchcards keeps elsewhere."""

_ANSWER_RULE = re.compile(r"<hr\b[^>]*\bid\s*=\s*['\"]?answer['\"]?[^>]*>", re.IGNORECASE)
_VIETNAMESE = re.compile(r"[ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SHOWN = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def short_hash(text: str, length: int = 12) -> str:
    """The same for the same text on every machine."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:length]


def card_id_of(note: AnkiNote, card: AnkiCard) -> str:
    """The id that a card of a foreign note always gets."""
    several = f"-{card.ordinal + 1}" if len(note.cards) > 1 or card.ordinal else ""
    return f"anki-{short_hash(note.guid)}{several}"


def slug(text: str) -> str:
    """A text as lowercase letters, digits and hyphens; "" where it has none of them."""
    return _NOT_SLUG.sub("-", fold(text)).strip("-")[:60].strip("-")


def topic_of(tag: str) -> str | None:
    """A tag as a topic of a deck, or None where topics can't spell it."""
    return (slug(tag) or None) if tag.isascii() else None


def decks_of(
    notes: Iterable[AnkiNote],
    left_out: Counter[str],
    pictures: Mapping[str, str] = MappingProxyType({}),
) -> list[Deck]:
    """The decks. What can't come along is counted: `pictures`, `empty`, `too_long`.

    pictures: by Anki's name, what a card calls them (`pictures/NAME`).
    """
    by_deck: dict[str, list[tuple[AnkiNote, AnkiCard]]] = defaultdict(list)
    for note in notes:
        for card in note.cards:
            by_deck[note.deck].append((note, card))
    found = []
    for name, held in by_deck.items():
        texts = " ".join(f"{card.front} {card.back}" for _, card in held[:200])
        language = _language(texts)
        deck_id = "-".join(filter(None, ("anki", slug(name), short_hash(name, 6))))
        cards = [_card(note, card, name, deck_id, language, left_out, pictures) for note, card in held]
        kept = tuple(card for card in cards if card is not None)
        if kept:
            title = " ".join(name.split())[:400] or "Anki"
            found.append(Deck(deck_id, title, language, f"{deck_id}.yaml", cards=kept))
    return found


def _card(
    note: AnkiNote,
    card: AnkiCard,
    deck: str,
    deck_id: str,
    language: Language,
    left_out: Counter[str],
    pictures: Mapping[str, str],
) -> Card | None:
    back_html = _ANSWER_RULE.split(card.back, maxsplit=1)[-1]
    front, back = markdown_of(card.front, pictures), markdown_of(back_html, pictures)
    left_out["pictures"] += front.media + back.media
    if not front.text or not back.text:
        left_out["empty"] += 1
        return None
    if max(len(front.text), len(back.text)) > LONGEST_TEXT:
        left_out["too_long"] += 1
        return None
    words = _SHOWN.sub(" ", front.text).strip() or front.text  # a picture's name is no title, if it can be
    title = plain_markdown(words.split("\n", 1)[0]) or plain_markdown(words) or deck
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rstrip() + "…"
    topics = dict.fromkeys(filter(None, (topic_of(tag) for tag in note.tags if tag not in OWN_TAGS)))
    return Card(
        id=card_id_of(note, card),
        deck=deck_id,
        kind="question",
        title=title,
        language=language,
        prompt=front.text,
        answer=(Point(ANSWER[language], back.text),),
        source=Source("Anki", " ".join(deck.split())[:400] or "Anki"),
        topics=tuple(topics),
    )


def _language(text: str) -> Language:
    if _CHINESE.search(text):
        return "zh"
    return "vi" if _VIETNAMESE.search(text) else "en"
