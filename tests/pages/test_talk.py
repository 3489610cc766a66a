"""What the server does with the operations that the review page sends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app_pages.review_card.practising import Practising
from app_pages.review_card.talk import Edit, Ledger, Leech, Refusal, TakenBack, Talk, View
from app_pages.words import knows
from engine.store import Store, open_store
from engine.study import card_changes, settings
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


def change(number: int, nonce: str, kind: str, **changes: Any) -> dict[str, Any]:
    at_ms = int(NOW.timestamp() * 1000) + 5000
    return {
        "type": "change",
        "nonce": nonce,
        "card_id": f"card-{number}",
        "kind": kind,
        "at_ms": at_ms,
        **changes,
    }


def test_a_change_sent_again_is_made_once_and_its_undo_names_it(desk: Desk) -> None:
    ledger = Ledger()
    op = change(1, "c", "suspend")
    for _ in range(2):
        assert carry_out(ledger, desk, op) == {"c": None}
    undo = {"type": "undo", "nonce": "u", "answer_nonce": "c"}
    assert carry_out(ledger, desk, op, undo)["u"] == TakenBack("u", "card-1", kind="suspend")
    assert carry_out(Ledger(), desk, op, undo)["u"] == TakenBack("u", "card-1", kind="suspend")


def test_answers_and_changes_of_one_message_are_taken_back_in_their_order(desk: Desk) -> None:
    ledger = Ledger()
    ops = (answer(desk, 1, "a"), change(2, "c", "bury"), answer(desk, 3, "b"))
    carry_out(ledger, desk, *ops)
    undos = [carry_out(ledger, desk, {"type": "undo", "nonce": f"u{n}"})[f"u{n}"] for n in range(3)]
    assert undos == [
        TakenBack("u0", "card-3", 3),
        TakenBack("u1", "card-2", kind="bury"),
        TakenBack("u2", "card-1", 3),
    ]


@pytest.mark.parametrize(
    "wrong", [{"kind": "explode"}, {"kind": "tag"}, {"at_ms": "now"}, {"at_ms": True}, {"card_id": 7}]
)
def test_a_malformed_change_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    outcome = carry_out(Ledger(), desk, change(1, "c", "bury") | wrong)["c"]
    assert isinstance(outcome, Refusal)
    assert (outcome.code, outcome.args) == ("change_refused", {"reason": "malformed"})


@pytest.mark.parametrize("at_ms", [1, 10**15, float("inf")])
def test_a_change_at_a_time_that_can_not_be_is_made_now(desk: Desk, at_ms: float) -> None:
    assert carry_out(Ledger(), desk, change(1, "c", "bury", at_ms=at_ms)) == {"c": None}
    flags = card_changes.flags(desk.store)["card-1"]
    assert flags.buried_until == "2026-11-30"


def test_a_leech_is_told_with_its_answer(desk: Desk) -> None:
    settings.save(desk.store, {"leech_lapses": 1, "leech_action": "suspend", "learning_steps": ""})
    carry_out(Ledger(), desk, answer(desk, 1, "a", rating=4))
    later = NOW + timedelta(days=90)
    item = next(each for each in desk.queue(later, ZONE).items if each.card_id == "card-1")
    op = answer(desk, 2, "b", rating=1) | {
        "card_id": "card-1",
        "version": item.version,
        "shown_at_ms": item.shown_at_ms,
        "shown_day": item.shown_day,
        "answered_at_ms": item.shown_at_ms,
    }
    ledger = Ledger()
    ledger.carry_out((op,), desk=desk, zone=ZONE, now=later)
    assert ledger.of((op,)) == {"b": Leech("b", "card-1", 1, suspended=True)}


def test_practice_is_kept_apart_from_the_review_log(desk: Desk) -> None:
    ledger, practising = Ledger(), Practising(desk.store)
    ops = (
        answer(desk, 1, "a", practice="s"),
        {"type": "undo", "nonce": "u", "answer_nonce": "a", "practice": "s"},
    )
    ledger.carry_out(ops, desk=desk, zone=ZONE, now=NOW + timedelta(seconds=10), practising=practising)
    assert ledger.of(ops) == {"a": None, "u": TakenBack("u", "card-1", 3)}
    assert ratings(desk, 1) == []


def test_a_change_of_a_card_that_no_deck_has_is_refused_in_words(desk: Desk) -> None:
    op = change(1, "c", "bury") | {"card_id": "nobody"}
    outcome = carry_out(Ledger(), desk, op)["c"]
    assert outcome == Refusal("c", "change_refused", "nobody", {"reason": "unknown_card"})
    assert knows("review.refused.change_refused")
    assert knows("review.refused.change_not_written")


def test_a_change_that_can_not_be_written_is_said_and_brings_no_answer_into_view(desk: Desk) -> None:
    with desk.store.begin() as connection:
        connection.exec_driver_sql("DROP TABLE card_flags")
    outcome = carry_out(Ledger(), desk, change(1, "c", "bury"))["c"]
    assert outcome == Refusal("c", "change_not_written", "card-1", {"reason": ""})


@pytest.mark.parametrize("wish", [None, 7, {}, {"nonce": "n"}, {"nonce": "n", "card_id": 3}, ["n", "card-1"]])
def test_a_wish_to_edit_that_is_malformed_is_no_wish(wish: object) -> None:
    assert Talk.read({"edit": wish}).edit is None
    assert Talk.read({"edit": {"nonce": "n", "card_id": "card-1"}}).edit == Edit("n", "card-1")
