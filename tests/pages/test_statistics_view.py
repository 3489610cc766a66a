"""What the statistics page says of decks and topics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app_pages.statistics_view import View, parts_table
from engine.store import open_store
from engine.study.card import Library
from engine.study.desk import Desk
from engine.study.log_columns import read_log
from engine.study.standing import standing
from tests.study.a_learner import Learner, a_card, a_library


def test_two_decks_of_one_title_each_have_their_row(tmp_path: Path) -> None:
    """The second one's figures took the place of the first one's."""
    made = a_library(a_card("one-1", "one"), a_card("two-1", "two"))
    decks = tuple(replace(deck, title="GPU") for deck in made.decks)
    cards = {card.id: card for deck in decks for card in deck.cards}
    library = Library(decks=decks, by_id=cards)
    store = open_store(tmp_path / "benchcards.db")
    desk = Desk(store)
    desk.sync(library)
    learner = Learner(desk)
    for _ in cards:
        learner.answer(learner.first(), 4)
    today = learner.queue().study_day
    with store.read() as connection:
        here = standing(connection, today)
    shown = parts_table(View(read_log(store, None), here, today, 30, "en"), library)
    store.close()
    assert "GPU (one)" in shown
    assert "GPU (two)" in shown
