"""Decks written as YAML are read back as the same cards, whatever their texts hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.folders import project_folder
from engine.study.card import Deck
from engine.study.deck_parse import parse_deck
from engine.study.deck_stamp import is_untouched, stamped
from engine.study.deck_text import UnwritableDeck, deck_text, same_cards
from tests.study.a_learner import a_card
from tests.study.decks import GOOD, small

COMMITTED = sorted((project_folder() / "cards").glob("*.yaml"))


def read(text: str) -> Deck:
    parsed = parse_deck(text.encode("utf-8"), "deck.yaml")
    assert parsed.deck is not None, parsed.faults
    return parsed.deck


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_committed_deck_survives(path: Path) -> None:
    deck = read(path.read_text(encoding="utf-8"))
    assert same_cards(read(deck_text(deck)), deck)


@pytest.mark.parametrize(
    "text", [GOOD, small("plain", "one"), small("plain", "one") + "    lessons: [no, 1:10]\n"]
)
def test_fields_left_out_and_shared_by_the_deck_survive(text: str) -> None:
    deck = read(text)
    assert same_cards(read(deck_text(deck)), deck)


TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), min_size=1, max_size=60
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_any_text_is_written_so_that_it_reads_the_same_or_is_refused(prompt: str, title: str) -> None:
    card = replace(a_card("one", "deck"), prompt=prompt, title=title)
    deck = Deck("deck", "Deck", "en", "deck.yaml", cards=(card,))
    try:
        text = deck_text(deck)
    except UnwritableDeck:
        return  # blank, or with blanks at its ends, which decks don't keep
    assert same_cards(read(text), deck)


def test_a_deck_that_nobody_edited_is_told_from_one_that_was() -> None:
    text = stamped(deck_text(read(GOOD)))
    assert same_cards(read(text), read(GOOD))
    assert is_untouched(text.encode())
    assert not is_untouched(text.replace("Good deck", "My deck").encode())
    assert not is_untouched(GOOD.encode())
    assert not is_untouched(b"\xff")


def test_a_card_that_breaks_the_rules_is_named() -> None:
    broken = Deck("deck", "Deck", "en", "deck.yaml", cards=(a_card("Not A Slug", "deck"),))
    with pytest.raises(UnwritableDeck, match=r"Deck: cards\[0\]\.id"):
        deck_text(broken)
