"""Cards put on the days of the present schedule: in the log, taken back whole, never against an answer."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from engine.store import Store
from engine.store.change_tables import card_changes
from engine.store.tables import reviews
from engine.study import rescheduling, schedule_changes
from engine.study.card_state import CardState
from engine.study.desk import Desk
from engine.study.placed import Placed
from engine.study.refused import Refused
from engine.study.rescheduling import Rescheduled
from tests.study.a_learner import Learner, foreseen, who_answered_two_decks
from tests.study.generated import OTHER


@pytest.fixture
def learner(desk: Desk) -> Learner:
    return who_answered_two_decks(desk)


def set_to(learner: Learner, kind: str, value: dict[str, object], deck: str = "") -> None:
    store = learner.desk.store
    nonce = f"set-{next(learner.nonces)}"
    how = {"deck": deck, "now": learner.now, "zone": "UTC", "nonce": nonce}
    schedule_changes.change(store, kind, value, **how)  # type: ignore[arg-type]


def apply(learner: Learner, nonce: str = "move") -> Rescheduled | Refused:
    return rescheduling.reschedule(learner.desk.store, None, now=learner.now, zone="UTC", nonce=nonce)


def test_applied_cards_stand_where_the_preview_said_and_the_answers_are_as_they_were(
    learner: Learner, store: Store
) -> None:
    set_to(learner, "retention", {"retention": 0.97}, "one")
    set_to(learner, "parameters", {"parameters": list(OTHER)})
    before = foreseen(learner)
    with store.read() as connection:
        log = connection.execute(select(reviews)).all()
    assert apply(learner) == Rescheduled("move", before.changed)
    after = foreseen(learner)
    assert after.now == after.then == before.then
    assert (after.changed, after.moved) == (0, ())
    with store.read() as connection:
        assert connection.execute(select(reviews)).all() == log
    states = learner.desk.states()
    learner.desk.recompute_all()
    assert learner.desk.states() == states
    assert apply(learner) == Rescheduled("move", before.changed, already=True)
    assert apply(learner, "once-more") == Refused("nothing_moves")


def test_taken_back_every_card_stands_where_it_stood_also_by_undo(learner: Learner, store: Store) -> None:
    set_to(learner, "retention", {"retention": 0.75}, "two")
    before = learner.desk.states()
    apply(learner, "first")
    moved = learner.desk.states()
    assert moved != before
    rescheduling.take_back(store, "first", nonce="back", now=learner.now)
    assert learner.desk.states() == before
    learner.wait(minutes=1)
    apply(learner, "second")
    assert learner.desk.states() == moved
    undone = learner.undo()
    assert getattr(undone, "kind", None) == "reschedule"
    assert learner.desk.states() == before
    assert [(made.nonce, made.cards, made.undone) for made in rescheduling.history(store)] == [
        ("second", 8, True),
        ("first", 8, True),
    ]


def test_the_next_interval_comes_from_the_memory_that_was_worked_out(learner: Learner, store: Store) -> None:
    set_to(learner, "parameters", {"parameters": list(OTHER)})
    apply(learner)
    learner.wait(days=60)
    item = learner.first()
    state = learner.desk.state(item.card_id)
    learner.answer(item, 3)
    (*_, last) = learner.desk.history(item.card_id)
    assert last.state_before == state
    kept = learner.desk.state(item.card_id)
    assert learner.desk.recompute(item.card_id) == kept
    rescheduling.take_back(store, "move", nonce="back", now=learner.now)
    assert learner.desk.state(item.card_id).reps == kept.reps
    assert learner.desk.state(item.card_id).stability != kept.stability


def test_a_card_that_was_shown_before_it_was_moved_is_shown_anew(learner: Learner) -> None:
    learner.wait(days=60)
    set_to(learner, "retention", {"retention": 0.97}, "one")
    item = next(each for each in learner.queue(40).items if each.card_id.startswith("one"))
    apply(learner)
    learner.wait(seconds=5)
    outcome = learner.desk.answer(learner.as_answer(item, 3))
    assert isinstance(outcome, Refused)
    assert outcome.code == "stale"


def test_a_memory_that_the_log_does_not_explain_is_kept(learner: Learner, store: Store) -> None:
    # as an import from Anki leaves it: one answer, and a memory that a hundred answers made
    state = CardState(
        phase="review",
        stability=90.0,
        difficulty=5.0,
        due_ms=0,
        due_day="2027-03-01",
        interval_minutes=90 * 1440,
        last_review_ms=1,
        last_study_day="2026-12-01",
        reps=1,
    )
    with store.begin() as connection:
        row = dict(connection.execute(select(reviews).limit(1)).mappings().one())
        row |= {"id": 9999, "nonce": "anki", "card_id": "one-00", "version": 50, "kind": "new", "rating": 3}
        row |= {"reviewed_at_ms": row["reviewed_at_ms"] + 10**10, "state_after": state.to_json()}
        row |= {"state_before": CardState().to_json()}
        connection.execute(reviews.insert(), row)
    set_to(learner, "parameters", {"parameters": list(OTHER)})
    with store.begin() as connection:
        connection.exec_driver_sql("update card_states set stability = 90.0 where card_id = 'one-00'")
    apply(learner)
    states = learner.desk.states()
    assert states["one-00"].stability == 90.0
    assert states["one-01"].stability != learner.desk.history("one-01")[-1].state_after.stability


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "[]",
        '{"after":1,"due":"2026-12-01","stability":1.0}',
        '{"after":1,"difficulty":5,"due":"2026-12-99","stability":1.0}',
        '{"after":1,"difficulty":5,"due":"20261201","stability":1.0}',
        '{"after":1,"difficulty":11,"due":"2026-12-01","stability":1.0}',
        '{"after":1,"difficulty":5,"due":"2026-12-01","stability":NaN}',
        '{"after":"1","difficulty":5,"due":"2026-12-01","stability":1.0}',
        '{"after":1,"difficulty":true,"due":"2026-12-01","stability":1.0}',
    ],
)
def test_a_place_that_cannot_be_is_refused(value: str | None) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Placed.read(value)


def test_a_place_is_kept_in_full_and_holds_only_after_the_answer_it_came_from() -> None:
    placed = Placed(1_796_000_000_000, "2026-12-30", 123456.78901234567, 9.999999999999998)
    assert Placed.read(placed.value()) == placed
    assert len(placed.value()) <= 128
    state = CardState(phase="review", last_review_ms=7, last_study_day="2026-12-01", due_day="2026-12-02")
    assert placed.of(state) is state
    assert Placed(7, "2026-12-01", 1.0, 5.0).of(state) is state
    assert Placed(7, "2026-12-04", 1.0, 5.0).of(state).due_day == "2026-12-04"


def test_a_rescheduling_is_never_altered(learner: Learner, store: Store) -> None:
    set_to(learner, "retention", {"retention": 0.97}, "one")
    apply(learner)
    with store.read() as connection:
        rows = connection.execute(select(card_changes.c.kind, card_changes.c.value)).all()
    assert {row.kind for row in rows} == {"reschedule"}
    assert all(Placed.read(row.value).due_day for row in rows)
