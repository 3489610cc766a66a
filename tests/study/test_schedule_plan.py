"""Changes of the schedule: for a deck alone, taken back, never between what is shown and given."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from engine.store import Store
from engine.store.schedule_tables import schedule_changes as table
from engine.study import schedule_changes, settings
from engine.study.desk import Confirmed, Desk
from engine.study.schedule import SchedulerParams
from engine.study.schedule_plan import SchedulePlan, ScheduleRefused
from engine.study.study_day import to_ms
from tests.study.a_learner import MORNING, Learner, a_card, a_library
from tests.study.generated import OTHER


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(a_library(a_card("one-a", "one"), a_card("one-b", "one"), a_card("two-a", "two")))
    return Learner(desk)


def change(
    store: Store, kind: str, value: Mapping[str, object], deck: str = "", nonce: str = ""
) -> SchedulePlan:
    return schedule_changes.change(
        store,
        kind,  # type: ignore[arg-type]
        value,
        deck=deck,
        now=MORNING,
        zone="UTC",
        nonce=nonce or f"{kind}-{deck}-{value}"[:64],
    )


def days(learner: Learner, card_id: str) -> int:
    """The interval of *easy*, in days."""
    return learner.desk.item(card_id, learner.now, "UTC").outcomes[3].minutes // 1440


def test_a_scheduler_without_changes_keeps_the_fingerprint_it_always_had() -> None:
    assert SchedulerParams().fingerprint == "bbca3a83924bb539"
    assert SchedulerParams.from_json(SchedulerParams().to_json()) == SchedulerParams()
    eased = SchedulerParams(easy_days=(100, 100, 100, 100, 100, 50, 0))
    assert SchedulerParams.from_json(eased.to_json()) == eased


def test_a_decks_retention_holds_for_its_cards_alone(learner: Learner, store: Store) -> None:
    before = {card: days(learner, card) for card in ("one-a", "one-b", "two-a")}
    change(store, "retention", {"retention": 0.75}, deck="one")
    assert days(learner, "one-a") > 2 * before["one-a"]
    assert days(learner, "one-b") > 2 * before["one-b"]
    assert days(learner, "two-a") == before["two-a"]
    change(store, "retention", {}, deck="one")
    assert {card: days(learner, card) for card in before} == before


def test_what_was_shown_holds_through_a_change_of_the_deck(learner: Learner, store: Store) -> None:
    item = learner.desk.item("one-a", learner.now, "UTC")
    change(store, "retention", {"retention": 0.75}, deck="one")
    change(store, "parameters", {"parameters": list(OTHER)})
    confirmed = learner.desk.answer(learner.as_answer(item, 4))
    assert isinstance(confirmed, Confirmed)
    assert confirmed.due_ms == to_ms(learner.now) + item.outcomes[3].minutes * 60_000


def test_what_was_shown_by_a_deck_holds_through_a_change_of_settings(learner: Learner, store: Store) -> None:
    change(store, "retention", {"retention": 0.75}, deck="one")
    item = learner.desk.item("one-a", learner.now, "UTC")
    settings.save(store, {"learning_steps": "5m"})
    change(store, "retention", {"retention": 0.8}, deck="one")
    assert learner.answer(item, 3).due_ms == to_ms(learner.now) + item.outcomes[2].minutes * 60_000


def test_an_answer_replayed_from_the_log_alone_gives_the_same_state(learner: Learner, store: Store) -> None:
    change(store, "retention", {"retention": 0.75}, deck="one")
    change(store, "parameters", {"parameters": list(OTHER)})
    learner.answer(learner.desk.item("one-a", learner.now, "UTC"), 4)
    state = learner.desk.state("one-a")
    change(store, "parameters", {})
    assert learner.desk.recompute("one-a") == state


def test_a_change_sent_again_counts_once_and_the_former_value_comes_back(store: Store) -> None:
    own = {"parameters": list(OTHER)}
    change(store, "parameters", own, nonce="first")
    change(store, "parameters", {}, nonce="second")
    assert not change(store, "parameters", own, nonce="first").is_fitted
    assert change(store, "parameters", own, nonce="third").parameters == OTHER
    assert [made.nonce for made in schedule_changes.history(store)] == ["third", "second", "first"]


@pytest.mark.parametrize(
    ("kind", "deck", "value", "message"),
    [
        ("retention", "one", {"retention": 1.5}, "between 0.7 and 0.99"),
        ("retention", "one", {"retention": float("nan")}, "between 0.7 and 0.99"),
        ("retention", "", {"retention": 0.9}, "name a deck"),
        ("parameters", "", {"parameters": [1.0] * 19}, "21 parameters"),
        ("parameters", "", {"parameters": [1.0] * 20 + [9.0]}, "Parameter 7 is 1.0"),
        ("easy_days", "", {"percent": [0] * 7}, "leave at least one"),
        ("easy_days", "", {"percent": [100] * 6}, "seven whole percents"),
        ("easy_days", "", {"percent": [100] * 6 + [101]}, "seven whole percents"),
        ("holidays", "", {}, "isn't one of"),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_nothing_changes(
    store: Store, kind: str, deck: str, value: Mapping[str, object], message: str
) -> None:
    with pytest.raises(ScheduleRefused, match=message):
        change(store, kind, value, deck=deck)
    assert schedule_changes.history(store) == ()


def test_the_log_of_changes_is_never_altered(store: Store) -> None:
    change(store, "retention", {"retention": 0.8}, deck="one")
    for statement in (update(table).values(deck="two"), delete(table)):
        with pytest.raises(IntegrityError, match="append-only"), store.begin() as connection:
            connection.execute(statement)
