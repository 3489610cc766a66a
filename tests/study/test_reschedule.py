"""What would move: worked out from the log, and nothing is moved."""

from __future__ import annotations

from engine.store import Store
from engine.study import schedule_changes
from engine.study.desk import Desk
from tests.study.a_learner import MORNING, foreseen, who_answered_two_decks
from tests.study.generated import OTHER


def test_without_a_change_nothing_would_move(desk: Desk, store: Store) -> None:
    found = foreseen(who_answered_two_decks(desk))
    assert (found.cards, found.sooner, found.later, found.moved) == (16, 0, 0, ())
    assert found.now == found.then


def test_a_decks_higher_retention_would_bring_its_cards_sooner(desk: Desk, store: Store) -> None:
    learner = who_answered_two_decks(desk)
    before = desk.states()
    schedule_changes.change(
        store, "retention", {"retention": 0.97}, deck="one", now=MORNING, zone="UTC", nonce="n"
    )
    found = foreseen(learner)
    assert (found.cards, found.sooner, found.later) == (16, 8, 0)
    assert all(each.card_id.startswith("one") and each.would_be < each.due for each in found.moved)
    assert desk.states() == before


def test_other_parameters_would_change_stability_as_if_they_had_always_held(desk: Desk, store: Store) -> None:
    learner = who_answered_two_decks(desk)
    schedule_changes.change(
        store, "parameters", {"parameters": list(OTHER)}, now=MORNING, zone="UTC", nonce="n"
    )
    found = foreseen(learner)
    assert found.moved
    assert all(each.stability != each.would_be_stability for each in found.moved)
    assert sum(found.then) <= found.cards
