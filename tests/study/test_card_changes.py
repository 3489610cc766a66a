"""Bury, suspend, mark, tag, reset: what they do to the queue, and that each can be taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, update
from sqlalchemy.exc import IntegrityError

from engine.store import Store
from engine.store.change_tables import card_change_undos, card_changes, practice_answers
from engine.study import card_changes as changes
from engine.study import settings
from engine.study.card_changes import Changed, ChangeUndone, Flags
from engine.study.card_state import NEW
from engine.study.change_log import Kind
from engine.study.desk import Confirmed, Desk, Refused, Undone
from engine.study.study_day import to_ms
from tests.study.a_learner import Learner, plain_library


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(plain_library(5))
    return Learner(desk)


def change(learner: Learner, kind: Kind, *cards: str, value: str | None = None) -> Changed:
    nonce = f"change-{next(learner.nonces)}"
    outcome = changes.change(
        learner.desk.store, cards, kind, value=value, now=learner.now, zone=learner.zone, nonce=nonce
    )
    assert isinstance(outcome, Changed), outcome
    return outcome


def flags_of(learner: Learner, card: str) -> Flags:
    return changes.flags(learner.desk.store).get(card, Flags())


def test_a_suspended_card_comes_no_more_until_it_is_unsuspended(learner: Learner) -> None:
    change(learner, "suspend", "deck-000", "deck-002")
    assert learner.ids() == ["deck-001", "deck-003", "deck-004"]
    assert learner.queue().counts.new == 3
    learner.wait(days=30)
    assert "deck-000" not in learner.ids()
    change(learner, "unsuspend", "deck-000")
    assert learner.ids() == ["deck-000", "deck-001", "deck-003", "deck-004"]


@pytest.mark.parametrize("rating", [1, 4])
def test_a_buried_card_comes_again_on_the_next_study_day(learner: Learner, rating: int) -> None:
    learner.desk.sync(plain_library(1))
    item = learner.first()
    learner.answer(item, rating)  # in learning, or in review
    learner.wait(days=60 if rating == 4 else 0, minutes=2)
    assert learner.ids() == ["deck-000"]
    change(learner, "bury", "deck-000")
    queue = learner.queue()
    assert queue.items == ()
    assert (queue.counts.due, queue.counts.learning) == (0, 0)
    four = (learner.now + timedelta(days=1)).replace(hour=4, minute=0, second=0, microsecond=0)
    assert queue.next_due_ms == to_ms(four)
    learner.now = four
    assert learner.ids() == ["deck-000"]


def test_a_new_card_that_is_buried_makes_way_for_the_next_within_the_limit(
    learner: Learner, store: Store
) -> None:
    settings.save(store, {"new_per_day": 2})
    change(learner, "bury", "deck-000")
    assert learner.ids() == ["deck-001", "deck-002"]
    change(learner, "unbury", "deck-000")
    assert learner.ids() == ["deck-000", "deck-001"]


def test_marks_and_tags_are_kept_and_change_no_order(learner: Learner) -> None:
    before = learner.ids()
    change(learner, "mark", "deck-001")
    change(learner, "tag", "deck-001", "deck-002", value="hỏi-lại")
    change(learner, "tag", "deck-001", value="显存")
    assert flags_of(learner, "deck-001") == Flags(marked=True, tags=("hỏi-lại", "显存"))
    change(learner, "untag", "deck-001", value="hỏi-lại")
    change(learner, "unmark", "deck-001")
    assert flags_of(learner, "deck-001") == Flags(tags=("显存",))
    assert flags_of(learner, "deck-002") == Flags(tags=("hỏi-lại",))
    assert learner.ids() == before


def test_a_reset_card_is_new_and_keeps_its_history(learner: Learner) -> None:
    old = learner.first()
    learner.answer(old, 4)
    learner.wait(days=100)
    again = next(item for item in learner.queue().items if item.card_id == "deck-000")
    learner.answer(again, 1)
    stale = next(item for item in learner.queue().items if item.card_id == "deck-000")
    change(learner, "reset", "deck-000")
    assert learner.desk.state("deck-000") == NEW
    assert learner.first().card_id == "deck-000"
    assert len(learner.desk.history("deck-000")) == 2
    refused = learner.desk.answer(learner.as_answer(stale, 3))
    assert isinstance(refused, Refused)
    assert refused.code == "stale"
    confirmed = learner.answer(learner.first(), 3)
    assert learner.desk.state("deck-000").reps == 1
    assert confirmed.due_ms - to_ms(learner.now) < 11 * 60_000


def test_a_reset_that_is_taken_back_leaves_the_card_where_it_stood(learner: Learner) -> None:
    learner.answer(learner.first(), 4)
    before = learner.desk.state("deck-000")
    made = change(learner, "reset", "deck-000", "deck-001")
    undone = changes.undo_change(learner.desk.store, made.nonce, nonce="u", now=learner.now)
    assert undone == ChangeUndone(made.nonce, "reset", ("deck-000", "deck-001"), None, made.at_ms)
    assert learner.desk.state("deck-000") == before
    learner.wait(days=60)
    item = next(item for item in learner.queue().items if item.card_id == "deck-000")
    learner.answer(item, 3)


def test_a_reset_after_the_clock_was_set_back_comes_after_the_answers_it_resets(learner: Learner) -> None:
    learner.answer(learner.first(), 4)
    learner.wait(days=-3)
    change(learner, "reset", "deck-000")
    assert learner.desk.state("deck-000") == NEW
    learner.answer(learner.first(), 3)
    state = learner.desk.state("deck-000")
    assert (state.reps, state) == (1, learner.desk.recompute("deck-000"))


def test_undo_takes_back_answers_and_changes_in_the_order_they_were_made(learner: Learner) -> None:
    learner.answer(learner.first(), 3)
    change(learner, "bury", "deck-001")
    learner.answer(learner.first(), 4)
    change(learner, "suspend", "deck-003", "deck-004")
    change(learner, "mark", "deck-003")
    names = []
    while not isinstance(done := learner.undo(), Refused):
        names.append(
            f"rated {done.card_id}" if isinstance(done, Undone) else f"{done.kind} {done.card_ids[0]}"
        )
    assert names == ["mark deck-003", "suspend deck-003", "rated deck-002", "bury deck-001", "rated deck-000"]
    assert changes.flags(learner.desk.store) == {}
    assert learner.ids() == [f"deck-00{n}" for n in range(5)]
    assert done.code == "nothing_to_undo"


def test_an_undo_sent_twice_takes_back_one_change(learner: Learner) -> None:
    change(learner, "bury", "deck-000")
    change(learner, "bury", "deck-001")
    first = learner.desk.undo("u", learner.now)
    again = learner.desk.undo("u", learner.now)
    assert isinstance(first, ChangeUndone)
    assert isinstance(again, ChangeUndone)
    assert (first.card_ids, again.card_ids, again.already) == (("deck-001",), ("deck-001",), True)
    assert flags_of(learner, "deck-000").buried_until == "2026-12-01"


def test_taking_back_one_of_two_suspensions_leaves_the_other(learner: Learner) -> None:
    change(learner, "suspend", "deck-000")
    both = change(learner, "suspend", "deck-000", "deck-001")
    changes.undo_change(learner.desk.store, both.nonce, nonce="u", now=learner.now)
    assert flags_of(learner, "deck-000").suspended
    assert not flags_of(learner, "deck-001").suspended


def test_a_change_sent_again_counts_once(learner: Learner, store: Store) -> None:
    def send(card: str) -> Changed | Refused:
        return changes.change(store, [card], "bury", now=learner.now, zone="UTC", nonce="n")

    first = send("deck-000")
    learner.wait(days=1)
    again = send("deck-000")
    assert isinstance(first, Changed)
    assert isinstance(again, Changed)
    assert (first.already, again.already, again.at_ms) == (False, True, first.at_ms)
    assert not flags_of(learner, "deck-000").buried("2026-12-01")
    reused = send("deck-001")
    assert isinstance(reused, Refused)
    assert reused.code == "nonce_reused"


@pytest.mark.parametrize(
    ("cards", "kind", "value", "code"),
    [
        (["deck-000"], "explode", None, "bad_kind"),
        (["deck-000"], "leech", "answer", "bad_kind"),
        ([], "bury", None, "no_cards"),
        (["deck-000", "nobody"], "bury", None, "unknown_card"),
        (["deck-000"], "tag", None, "bad_tag"),
        (["deck-000"], "tag", "two words", "bad_tag"),
        (["deck-000"], "tag", "x" * 65, "bad_tag"),
        (["deck-000"], "bury", "value", "bad_tag"),
    ],
)
def test_a_change_that_can_not_be_is_refused_and_nothing_is_written(
    learner: Learner, store: Store, cards: list[str], kind: Kind, value: str | None, code: str
) -> None:
    outcome = changes.change(store, cards, kind, value=value, now=learner.now, zone="UTC", nonce="n")
    assert isinstance(outcome, Refused)
    assert outcome.code == code
    assert changes.flags(store) == {}
    with store.read() as connection:
        assert connection.execute(card_changes.select()).all() == []


def test_bulk_changes_of_more_cards_than_one_query_takes(desk: Desk, store: Store) -> None:
    learner = Learner(desk)
    desk.sync(plain_library(1000))
    every = [f"deck-{n:03}" for n in range(1000)]
    made = change(learner, "suspend", *every)
    assert learner.queue().items == ()
    change(learner, "reset", *every)
    changes.undo_change(store, made.nonce, nonce="u", now=learner.now)
    assert learner.queue().counts.new == 20


@pytest.mark.parametrize("table", [card_changes, card_change_undos, practice_answers])
def test_the_logs_of_changes_let_nothing_be_changed(learner: Learner, store: Store, table: object) -> None:
    made = change(learner, "bury", "deck-000")
    changes.undo_change(store, made.nonce, nonce="u", now=learner.now)
    row = {"session": "s", "card_id": "c", "rating": 3, "at_ms": 1, "study_day": "2026-11-29", "zone": "UTC"}
    with store.begin() as connection:
        connection.execute(insert(practice_answers), {**row, "nonce": "p", "answer_ms": 1})
    for statement in (update(table).values(nonce="x"), delete(table)):  # type: ignore[arg-type]
        with pytest.raises(IntegrityError, match="append-only"), store.begin() as connection:
            connection.execute(statement)


def lapse(learner: Learner) -> Confirmed:
    """Lets the card come, and forgets it."""
    learner.wait(days=400)
    return learner.answer(learner.first(), 1)


@pytest.fixture
def forgetful(desk: Desk, store: Store) -> Learner:
    """A learner with one card in review, who forgets it without steps in between."""
    settings.save(store, {"learning_steps": "", "relearning_steps": ""})
    desk.sync(plain_library(1))
    learner = Learner(desk)
    learner.answer(learner.first(), 4)
    return learner


def test_a_card_forgotten_eight_times_is_told_as_a_leech_and_again_every_four(forgetful: Learner) -> None:
    told = [lapse(forgetful).lapses for _ in range(16)]
    assert [lapses for lapses in told if lapses] == [8, 12, 16]
    assert flags_of(forgetful, "deck-000") == Flags(leech=True)


def test_a_leech_is_suspended_by_choice_and_its_undo_brings_it_back(forgetful: Learner, store: Store) -> None:
    settings.save(store, {"leech_action": "suspend", "leech_lapses": 2})
    assert not lapse(forgetful).suspended
    forgetful.wait(days=400)
    answer = forgetful.as_answer(forgetful.first(), 1)
    confirmed, again = forgetful.desk.answer(answer), forgetful.desk.answer(answer)
    assert isinstance(confirmed, Confirmed)
    assert isinstance(again, Confirmed)
    assert (confirmed.lapses, confirmed.suspended) == (again.lapses, again.suspended) == (2, True)
    assert flags_of(forgetful, "deck-000") == Flags(suspended=True, leech=True)
    assert forgetful.queue().items == ()
    undone = forgetful.undo()
    assert isinstance(undone, Undone)
    assert flags_of(forgetful, "deck-000") == Flags()
    assert forgetful.ids() == ["deck-000"]


def test_an_unsuspended_leech_comes_again(forgetful: Learner, store: Store) -> None:
    settings.save(store, {"leech_action": "suspend", "leech_lapses": 1})
    lapse(forgetful)
    change(forgetful, "unsuspend", "deck-000")
    forgetful.wait(days=400)
    assert forgetful.ids() == ["deck-000"]


def test_a_limit_of_zero_makes_no_leeches(forgetful: Learner, store: Store) -> None:
    settings.save(store, {"leech_lapses": 0})
    assert [lapse(forgetful).lapses for _ in range(9)] == [0] * 9
    assert changes.flags(store) == {}
