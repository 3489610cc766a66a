"""What the server does with the operations that the review page sends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app_pages.review_card.talk import Ledger, Refusal, Talk, View
from engine.store import Store, open_store
from engine.study.card import Card, Deck, Library, Point, Source
from engine.study.desk import Desk

NOW = datetime(2026, 11, 29, 8, tzinfo=UTC)
ZONE = "Asia/Ho_Chi_Minh"


def card(number: int) -> Card:
    return Card(
        id=f"card-{number}",
        deck="deck",
        kind="question",
        title=f"Card {number}",
        language="en",
        prompt="?",
        answer=(Point("!", "!"),),
        source=Source("document", "section"),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "benchcards.db")
    yield opened
    opened.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    cards = tuple(card(number) for number in range(1, 4))
    deck = Deck(id="deck", title="Deck", language="en", path="deck.yaml", cards=cards)
    desk = Desk(store)
    desk.sync(Library(decks=(deck,), by_id={each.id: each for each in cards}))
    return desk


def answer(desk: Desk, number: int, nonce: str, rating: int = 3, **changes: Any) -> dict[str, Any]:
    item = next(each for each in desk.queue(NOW, ZONE).items if each.card_id == f"card-{number}")
    return {
        "type": "answer",
        "nonce": nonce,
        "card_id": item.card_id,
        "version": item.version,
        "rating": rating,
        "shown_at_ms": item.shown_at_ms,
        "shown_day": item.shown_day,
        "scheduler": item.scheduler,
        "answered_at_ms": item.shown_at_ms + 4000,
        "answer_ms": 4000,
        **changes,
    }


def carry_out(ledger: Ledger, desk: Desk, *ops: dict[str, Any]) -> dict[str, Any]:
    ledger.carry_out(ops, desk=desk, zone=ZONE, now=NOW + timedelta(seconds=10))
    return dict(ledger.of(ops))


def ratings(desk: Desk, number: int) -> list[int]:
    return [review.rating for review in desk.history(f"card-{number}") if not review.undone]


def test_what_is_sent_again_counts_once_also_in_a_new_session(desk: Desk) -> None:
    op = answer(desk, 1, "a")
    ledger = Ledger()
    for _ in range(3):
        assert carry_out(ledger, desk, op) == {"a": None}
    assert carry_out(Ledger(), desk, op) == {"a": None}
    assert ratings(desk, 1) == [3]


def test_an_undo_sent_again_takes_nothing_more_back(desk: Desk) -> None:
    first, second = answer(desk, 1, "a"), answer(desk, 2, "b")
    undo = {"type": "undo", "nonce": "u", "answer_nonce": "b"}
    carry_out(Ledger(), desk, first, second, undo)
    carry_out(Ledger(), desk, first, second, undo)
    assert (ratings(desk, 1), ratings(desk, 2)) == ([3], [])


def test_the_undo_of_an_answer_that_was_refused_does_not_take_the_one_before(desk: Desk) -> None:
    good = answer(desk, 1, "a")
    stale = answer(desk, 2, "b", version=7)
    said = carry_out(Ledger(), desk, good, stale, {"type": "undo", "nonce": "u", "answer_nonce": "b"})
    assert said["a"] is None
    assert isinstance(said["b"], Refusal)
    assert said["b"].code == "stale"
    assert said["u"] is None
    assert ratings(desk, 1) == [3]


def test_answer_undo_and_answer_again_in_one_message(desk: Desk) -> None:
    first = answer(desk, 1, "a", rating=1)
    again = {**first, "nonce": "b", "rating": 4, "version": first["version"] + 2}
    said = carry_out(Ledger(), desk, first, {"type": "undo", "nonce": "u", "answer_nonce": "a"}, again)
    assert not any(isinstance(each, Refusal) for each in said.values())
    assert ratings(desk, 1) == [4]


@pytest.mark.parametrize(
    "changes",
    [
        {"rating": "3"},
        {"rating": None},
        {"version": True},
        {"answer_ms": float("nan")},
        {"answered_at_ms": float("inf")},
        {"card_id": 7},
        {"rating": 9},
    ],
)
def test_what_is_malformed_is_refused_and_what_follows_is_carried_out(
    desk: Desk, changes: dict[str, Any]
) -> None:
    said = carry_out(Ledger(), desk, answer(desk, 1, "a", **changes), answer(desk, 2, "b"))
    assert isinstance(said["a"], Refusal)
    assert said["b"] is None
    assert (ratings(desk, 1), ratings(desk, 2)) == ([], [3])


def test_a_clock_ahead_of_the_server_counts_as_now(desk: Desk) -> None:
    op = answer(desk, 1, "a", answered_at_ms=int((NOW + timedelta(days=9)).timestamp() * 1000))
    carry_out(Ledger(), desk, op)
    (review,) = desk.history("card-1")
    assert review.reviewed_at_ms == int((NOW + timedelta(seconds=10)).timestamp() * 1000)


@pytest.mark.parametrize("message", [None, 7, "x", [], {}, {"ops": 3, "have": {}, "view": []}])
def test_a_message_that_is_none_is_empty(message: object) -> None:
    assert Talk.read(message) == Talk()


def test_a_message_is_read() -> None:
    message = {
        "ops": [{"nonce": "a", "type": "undo"}, {"type": "undo"}, 5],
        "have": ["x", 1],
        "view": {"card_id": "c", "revealed": True},
    }
    assert Talk.read(message) == Talk(
        ops=({"nonce": "a", "type": "undo"},), have=frozenset({"x"}), view=View("c", revealed=True)
    )
