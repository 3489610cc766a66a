"""What is being written: a card of a deck, a new card, or a whole deck; judged while typing, then saved."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from engine.claims.compute import faults as claim_faults
from engine.study import deck_edit
from engine.study.card import Card, Fault, Library
from engine.study.deck_edit import DeckMoved, DeckText, NewDeck

MARK = "id: benchcards-mark"
"""Stands in a card's place to find its line."""


@dataclass(frozen=True, slots=True)
class Work:
    """A text and the deck it belongs to.

    text: as the field begins. opened: the deck's file; None: the deck `makes` is made by saving. card_id: the
    card whose text it is; None with `opened`: with `is_file` the whole file, else a card that is added.
    """

    text: str
    path: Path
    opened: DeckText | None
    makes: NewDeck | None = None
    card_id: str | None = None
    is_file: bool = False

    @property
    def copies(self) -> bool:
        """Whether saving makes the learner's own copy of a deck of the project."""
        return self.opened is not None and self.opened.origin is not None

    @property
    def state(self) -> str:
        """Differs where the text that the field begins with does, or the file around it."""
        digest = self.opened.digest if self.opened is not None else ""
        return hashlib.blake2b(f"{digest}\0{self.text}".encode("utf-8", "replace"), digest_size=8).hexdigest()

    def whole(self, text: str) -> str:
        """The deck's text with `text` in it."""
        if self.makes is not None:
            return deck_edit.deck_of_text(self.makes, text)
        if self.opened is None:
            raise ValueError("a text needs a deck, opened or to be made")
        if self.is_file:
            return text if text.endswith("\n") else text + "\n"
        if self.card_id is not None:
            return deck_edit.with_card_text(self.opened.text, self.card_id, text)
        return deck_edit.with_new_card_text(self.opened.text, text)

    @property
    def first_line(self) -> int:
        """The line of the deck's file on which the text begins."""
        if self.is_file:
            return 1
        whole = self.whole(MARK)
        return whole[: whole.index(MARK)].count("\n") + 1


@dataclass(frozen=True, slots=True)
class Judged:
    """What a text would be: its faults, at lines of the deck's file, and the card to show of it.

    doubts: numbers of its claims that don't follow from their formulas; the deck can be used all the same.
    """

    faults: tuple[Fault, ...]
    doubts: tuple[Fault, ...] = ()
    card: Card | None = None
    deck_title: str = ""
    cards: int = 0


def of_card(card: Card, own: Path) -> Work:
    """The card's text in its deck. Raises DeckMoved."""
    opened = deck_edit.open_deck(Path(card.file), own)
    try:
        text = deck_edit.card_text(opened.text, card.id)
    except KeyError as error:
        raise DeckMoved(f"{card.file}: doesn't hold the card {card.id} any more: reload the page") from error
    return Work(text, opened.path, opened, card_id=card.id)


def of_file(file: Path, own: Path) -> Work:
    """A whole deck of the learner's own. Raises DeckMoved."""
    opened = deck_edit.open_deck(file, own)
    return Work(opened.text, opened.path, opened, is_file=True)


def of_new(text: str, deck: Path | NewDeck, own: Path) -> Work:
    """A card that comes to a deck that is there (its file), or to one that is made. Raises DeckMoved."""
    if isinstance(deck, NewDeck):
        return Work(text, own / f"{deck.id}.yaml", None, makes=deck)
    opened = deck_edit.open_deck(deck, own)
    return Work(text, opened.path, opened)


def judge(work: Work, text: str, line: int, library: Library, lab_names: Collection[str]) -> Judged:
    """What `text` would be in its deck; of a whole deck the card at `line` (from 0) is the one to show."""
    whole = work.whole(text)
    keeps = () if work.card_id is None else (work.card_id,)
    parsed, faults = deck_edit.faults_of(whole, work.path, library, lab_names=lab_names, keeps=keeps)
    deck = parsed.deck
    if deck is None or not deck.cards:
        return Judged(faults)
    by_id = {card.id: card for card in deck.cards}
    if work.is_file:
        card = next((each for each in reversed(deck.cards) if each.line <= line + 1), deck.cards[0])
    else:
        card = by_id.get(work.card_id or "", deck.cards[-1])
    checked = by_id if work.is_file else {card.id: card}
    doubts = claim_faults(Library(decks=(deck,), by_id=checked))
    return Judged(faults, doubts, card, deck.title, len(deck.cards))


def saved(work: Work, text: str, library: Library, lab_names: Collection[str]) -> Path:
    """Writes it. Returns the deck's file. Raises DeckRefused or DeckMoved; nothing was written then."""
    whole = work.whole(text)
    if work.opened is None:
        _, faults = deck_edit.faults_of(whole, work.path, library, lab_names=lab_names)
        if faults:
            raise deck_edit.DeckRefused(faults)
        deck_edit.make(work.path, whole)
        return work.path
    keeps = () if work.card_id is None else (work.card_id,)
    return deck_edit.save(work.opened, whole, library, lab_names=lab_names, keeps=keeps).path
