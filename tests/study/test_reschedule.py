"""What would move: worked out from the log, and nothing is moved."""

from __future__ import annotations

from engine.store import Store
from engine.study import schedule_changes
from engine.study.desk import Desk
from engine.study.log_columns import read_log
from engine.study.reschedule import Preview, preview
from engine.study.schedule import SchedulerParams
from tests.study.a_learner import MORNING, Learner, a_card, a_library
from tests.study.generated import OTHER


def look(store: Store, learner: Learner) -> Preview:
    plan = schedule_changes.plan(store)
    with store.read() as connection:
        return preview(connection, read_log(store, None), plan, SchedulerParams(), learner.queue().study_day)


def a_learner_of_two_decks(desk: Desk) -> Learner:
    desk.sync(a_library(*(a_card(f"{deck}-{n:02}", deck) for deck in ("one", "two") for n in range(8))))
    learner = Learner(desk)
    for _ in range(3):
        while learner.queue().items:
            learner.answer(learner.first(), 4)
        learner.wait(days=12)
    return learner


def test_without_a_change_nothing_would_move(desk: Desk, store: Store) -> None:
    found = look(store, a_learner_of_two_decks(desk))
    assert (found.cards, found.sooner, found.later, found.moved) == (16, 0, 0, ())
    assert found.now == found.then


def test_a_decks_higher_retention_would_bring_its_cards_sooner(desk: Desk, store: Store) -> None:
    learner = a_learner_of_two_decks(desk)
    before = desk.states()
    schedule_changes.change(
        store, "retention", {"retention": 0.97}, deck="one", now=MORNING, zone="UTC", nonce="n"
    )
    found = look(store, learner)
    assert (found.cards, found.sooner, found.later) == (16, 8, 0)
    assert all(each.card_id.startswith("one") and each.would_be < each.due for each in found.moved)
    assert desk.states() == before


def test_other_parameters_would_change_stability_as_if_they_had_always_held(desk: Desk, store: Store) -> None:
    learner = a_learner_of_two_decks(desk)
    schedule_changes.change(
        store, "parameters", {"parameters": list(OTHER)}, now=MORNING, zone="UTC", nonce="n"
    )
    found = look(store, learner)
    assert found.moved
    assert all(each.stability != each.would_be_stability for each in found.moved)
    assert sum(found.then) <= found.cards
