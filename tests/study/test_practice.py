"""Cramming and looking ahead change nothing of the schedule; more cards for one day only; by topic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.store import Store
from engine.study import card_changes, practice, settings, today_limits
from engine.study.desk import Desk, Refused
from engine.study.practice import Practised, Sitting
from engine.study.scope import Scope
from engine.study.today_limits import More, TodayRefused
from tests.study.a_learner import Learner, a_card, a_library, plain_library


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(plain_library(12))
    return Learner(desk)


def queue(learner: Learner, sitting: Sitting) -> practice.PracticeQueue:
    return practice.queue(learner.desk.store, sitting, now=learner.now, zone="UTC", size=99)


def answer(learner: Learner, sitting: Sitting, card: str, rating: int) -> Practised:
    outcome = practice.answer(
        learner.desk.store,
        sitting.name,
        card,
        rating,
        nonce=f"p-{next(learner.nonces)}",
        now=learner.now,
        zone="UTC",
        answer_ms=900,
    )
    assert isinstance(outcome, Practised), outcome
    return outcome


def undo(learner: Learner, sitting: Sitting, nonce: str = "") -> Practised | Refused:
    name = nonce or f"p-{next(learner.nonces)}"
    return practice.undo(learner.desk.store, sitting.name, nonce=name, now=learner.now, zone="UTC")


def test_cramming_shows_every_card_once_and_moves_no_due_date(learner: Learner) -> None:
    learner.answer(learner.first(), 4)
    before = (learner.desk.states(), learner.queue())
    cram = Sitting("cram-1", "cram")
    seen = []
    while items := queue(learner, cram).items:
        seen.append(items[0])
        answer(learner, cram, items[0], 3)
    assert sorted(seen) == [f"deck-{n:03}" for n in range(12)]
    assert seen != sorted(seen)
    assert (learner.desk.states(), learner.queue()) == before
    assert queue(learner, cram).done == 12
    assert queue(learner, Sitting("another", "cram")).left == 12


def test_a_card_not_known_comes_again_after_ten_others(learner: Learner) -> None:
    cram = Sitting("cram", "cram")
    first = queue(learner, cram).items[0]
    answer(learner, cram, first, 1)
    places = []
    for place in range(12):
        items = queue(learner, cram).items
        if items[0] == first:
            places.append(place)
        answer(learner, cram, items[0], 3)
    assert places == [9]
    assert queue(learner, cram).items == ()


def test_undo_goes_back_answer_by_answer_within_the_sitting(learner: Learner) -> None:
    cram = Sitting("cram", "cram")
    order = queue(learner, cram).items
    for card, rating in zip(order[:3], (3, 1, 4), strict=True):
        answer(learner, cram, card, rating)
    assert undo(learner, cram, "u") == Practised(order[2], 4)
    assert undo(learner, cram, "u") == Practised(order[2], 4, already=True)
    assert undo(learner, cram) == Practised(order[1], 1)
    assert queue(learner, cram).items[:2] == order[1:3]
    assert undo(learner, cram) == Practised(order[0], 3)
    assert undo(learner, cram) == Refused("nothing_to_undo")


def test_an_answer_sent_twice_counts_once(learner: Learner, store: Store) -> None:
    def send(card: str) -> Practised | Refused:
        return practice.answer(store, "s", card, 3, nonce="n", now=learner.now, zone="UTC", answer_ms=1)

    assert send("deck-000") == Practised("deck-000", 3)
    assert send("deck-000") == Practised("deck-000", 3, already=True)
    refused = send("deck-001")
    assert isinstance(refused, Refused)
    assert refused.code == "nonce_reused"


def test_a_name_is_of_one_answer_or_one_undo_only(learner: Learner) -> None:
    cram = Sitting("cram-1", "cram")
    answer(learner, cram, "deck-000", 3)
    answered = f"p-{next(learner.nonces) - 1}"
    assert undo(learner, cram, answered) == Refused("nonce_reused", {"card_id": "deck-000"})
    assert queue(learner, cram).done == 1
    assert undo(learner, cram, "back") == Practised("deck-000", 3)
    again = practice.answer(
        learner.desk.store,
        cram.name,
        "deck-000",
        4,
        nonce="back",
        now=learner.now,
        zone="UTC",
        answer_ms=900,
    )
    assert again == Refused("nonce_reused", {"card_id": "deck-000"})


def test_ahead_are_the_cards_of_the_next_days_in_the_order_they_are_due(
    learner: Learner, store: Store
) -> None:
    settings.save(store, {"learning_steps": ""})
    for rating in (4, 3, 3, 1):
        learner.answer(learner.first(), rating)
        learner.wait(seconds=5)
    due = {card: state.due_day or "" for card, state in learner.desk.states().items()}
    week = queue(learner, Sitting("s", "ahead", days=7)).items
    assert [due[card] for card in week] == sorted(due[card] for card in week)
    assert set(week) == {card for card, day in due.items() if "2026-11-30" < day <= "2026-12-07"}
    assert set(queue(learner, Sitting("s", "ahead", days=365)).items) == set(due)


def test_suspended_cards_are_not_practised(learner: Learner, store: Store) -> None:
    card_changes.change(store, ["deck-003"], "suspend", now=learner.now, zone="UTC", nonce="n")
    assert queue(learner, Sitting("s", "cram")).left == 11


def test_a_sitting_goes_by_deck_language_and_topic(desk: Desk) -> None:
    learner = Learner(desk)
    chinese = replace(a_card("b-1", "b"), language="zh", topics=("mbu",))
    desk.sync(a_library(replace(a_card("a-1", "a"), topics=("mbu", "gap")), a_card("a-2", "a"), chinese))
    for scope, cards in (
        (Scope(topics=frozenset({"mbu"})), {"a-1", "b-1"}),
        (Scope(topics=frozenset({"gap", "none"})), {"a-1"}),
        (Scope(languages=frozenset({"zh"})), {"b-1"}),
        (Scope(decks=frozenset({"a"}), topics=frozenset({"mbu"})), {"a-1"}),
        (Scope(topics=frozenset()), set()),
    ):
        assert set(queue(learner, Sitting("s", "cram", scope)).items) == cards
        assert {item.card_id for item in desk.queue(learner.now, "UTC", decks=scope).items} == cards
    desk.sync(a_library(a_card("a-1", "a"), replace(a_card("a-2", "a"), topics=("mbu",)), chinese))
    assert set(queue(learner, Sitting("s", "cram", Scope(topics=frozenset({"mbu"})))).items) == {"a-2", "b-1"}


def test_more_today_is_for_today_only(learner: Learner, store: Store) -> None:
    settings.save(store, {"new_per_day": 1, "reviews_per_day": 2})
    today_limits.save(store, More(new=3, reviews=5), now=learner.now, zone="UTC")
    assert learner.queue().counts.new == 4
    assert today_limits.load(store, now=learner.now, zone="UTC") == More(3, 5)
    for _ in range(4):
        learner.answer(learner.first(), 4)
        learner.wait(seconds=5)
    assert learner.queue().items == ()
    learner.wait(days=1)
    assert learner.queue().counts.new == 1
    assert today_limits.load(store, now=learner.now, zone="UTC") == More()
    learner.wait(days=100)
    assert learner.queue().counts.due == 2
    today_limits.save(store, More(reviews=1), now=learner.now, zone="UTC")
    assert (learner.queue().counts.due, learner.queue().counts.new) == (3, 1)


def test_fewer_today_is_for_today_only(learner: Learner, store: Store) -> None:
    settings.save(store, {"new_per_day": 3})
    today_limits.save(store, More(new=-2), now=learner.now, zone="UTC")
    assert learner.queue().counts.new == 1
    today_limits.save(store, More(new=-9), now=learner.now, zone="UTC")
    assert learner.queue().counts.new == 0
    learner.wait(days=1)
    assert learner.queue().counts.new == 3


def test_more_than_can_be_is_refused(learner: Learner, store: Store) -> None:
    for number in (-10_000, 10_000):
        with pytest.raises(TodayRefused, match="-9999 to 9999"):
            today_limits.save(store, More(new=number), now=learner.now, zone="UTC")
    assert today_limits.load(store, now=learner.now, zone="UTC") == More()
