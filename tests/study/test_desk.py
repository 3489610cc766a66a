"""Answers count once, give what was shown, and can be taken back."""

from __future__ import annotations

import random
import threading
from dataclasses import replace

import pytest

from engine.store import Store
from engine.study import settings
from engine.study.card_state import NEW
from engine.study.desk import Confirmed, Desk, Queue, Refused, Undone
from engine.study.study_day import UnknownZone, to_ms
from tests.study.a_learner import Learner, a_card, a_library, plain_library


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(plain_library(8))
    return Learner(desk)


@pytest.mark.parametrize("rating", [1, 2, 3, 4])
def test_the_interval_given_is_the_one_that_was_shown(learner: Learner, rating: int) -> None:
    item = learner.first()
    learner.wait(seconds=37)
    confirmed = learner.answer(item, rating)
    minutes = item.outcomes[rating - 1].minutes
    assert confirmed.due_ms == to_ms(learner.now) + minutes * 60_000
    assert learner.desk.state(item.card_id).due_ms == confirmed.due_ms
    assert learner.desk.state(item.card_id).interval_minutes == minutes
    assert learner.desk.history(item.card_id)[0].shown == tuple(way.minutes for way in item.outcomes)


def test_what_was_shown_holds_through_a_change_of_settings(learner: Learner, store: Store) -> None:
    item = learner.first()
    settings.save(store, {"learning_steps": "25m 2h", "desired_retention": 0.8})
    confirmed = learner.answer(item, 2)
    assert confirmed.due_ms == to_ms(learner.now) + item.outcomes[1].minutes * 60_000
    assert learner.first().outcomes[0].minutes == 25


def test_what_was_shown_holds_through_the_rollover(learner: Learner) -> None:
    for _ in range(2):  # a card in review with an interval of some days
        learner.answer(learner.queue().items[0], 4)
    learner.now = learner.now.replace(day=20, month=12, hour=3, minute=59)
    shown = learner.queue()
    late, early = shown.items[1], shown.items[0]
    learner.wait(minutes=2)
    learner.answer(early, 3)
    without_hints = replace(learner.as_answer(late, 3), shown_day=None, scheduler=None)
    confirmed = learner.desk.answer(without_hints)
    assert isinstance(confirmed, Confirmed)
    assert confirmed.due_ms == to_ms(learner.now) + late.outcomes[2].minutes * 60_000
    review = learner.desk.history(late.card_id)[-1]
    assert (review.shown_day, review.study_day) == ("2026-12-19", "2026-12-20")


def test_an_answer_sent_again_counts_once(learner: Learner) -> None:
    answer = learner.as_answer(learner.first(), 3)
    first, second = learner.desk.answer(answer), learner.desk.answer(answer)
    assert isinstance(first, Confirmed)
    assert second == replace(first, already=True)
    assert len(learner.desk.history(answer.card_id)) == 1


def test_an_answer_sent_again_after_it_was_taken_back_does_not_come_back(learner: Learner) -> None:
    answer = learner.as_answer(learner.first(), 3)
    learner.desk.answer(answer)
    learner.undo()
    assert isinstance(learner.desk.answer(answer), Confirmed)
    assert learner.desk.state(answer.card_id) == NEW


def test_a_second_tab_that_shows_the_same_card_is_told_it_is_stale(learner: Learner) -> None:
    item = learner.first()
    learner.answer(item, 3)
    assert learner.desk.answer(learner.as_answer(item, 1)) == Refused("stale", {"version": 1})
    assert [review.rating for review in learner.desk.history(item.card_id)] == [3]


def test_an_answer_to_a_card_shown_before_an_undo_is_stale(learner: Learner) -> None:
    item = learner.first()
    learner.answer(item, 3)
    learner.undo()
    assert learner.desk.answer(learner.as_answer(item, 3)) == Refused("stale", {"version": 2})


def test_answers_at_the_same_moment_from_many_threads_count_once(learner: Learner) -> None:
    item = learner.first()
    answers = [learner.as_answer(item, 1 + number % 4) for number in range(8)]
    outcomes: list[Confirmed | Refused] = []
    together = threading.Barrier(len(answers))

    def give(number: int) -> None:
        together.wait()
        outcomes.append(learner.desk.answer(answers[number]))

    threads = [threading.Thread(target=give, args=(number,)) for number in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, Confirmed) for outcome in outcomes) == 1
    assert {outcome.code for outcome in outcomes if isinstance(outcome, Refused)} == {"stale"}
    assert len(learner.desk.history(item.card_id)) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rating": 5}, "bad_rating"),
        ({"nonce": ""}, "bad_nonce"),
        ({"nonce": "x" * 65}, "bad_nonce"),
        ({"card_id": "nobody's"}, "unknown_card"),
        ({"scheduler": "0" * 16}, "unknown_scheduler"),
        ({"shown_day": "2027-03-01"}, "wrong_day"),
        ({"shown_day": "2026-03-01"}, "wrong_day"),
        ({"version": 7}, "stale"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(learner: Learner, change: dict[str, object], code: str) -> None:
    answer = replace(learner.as_answer(learner.first(), 3), **change)  # type: ignore[arg-type]
    outcome = learner.desk.answer(answer)
    assert isinstance(outcome, Refused)
    assert outcome.code == code
    assert learner.desk.today(learner.now, "UTC").reviewed == 0


def test_a_card_shown_in_the_future_or_more_than_a_day_ago_is_refused(learner: Learner) -> None:
    answer = learner.as_answer(learner.first(), 3)
    later = replace(answer, shown_at_ms=answer.answered_at_ms + 120_000)
    earlier = replace(answer, shown_at_ms=answer.answered_at_ms - 25 * 3_600_000)
    assert learner.desk.answer(later) == Refused("shown_in_future")
    assert learner.desk.answer(earlier) == Refused("shown_too_old")


def test_a_nonce_of_another_answer_is_refused(learner: Learner) -> None:
    one, two = learner.queue().items[:2]
    answer = learner.as_answer(one, 3)
    learner.desk.answer(answer)
    other = replace(learner.as_answer(two, 3), nonce=answer.nonce)
    assert learner.desk.answer(other) == Refused("nonce_reused", {"card_id": one.card_id})


def test_a_time_zone_that_does_not_exist_is_said(learner: Learner) -> None:
    for zone in ("Mars/Olympus", "../etc/passwd", "", "Europe"):
        with pytest.raises(UnknownZone, match="IANA"):
            learner.desk.queue(learner.now, zone)


def test_undo_goes_back_any_number_of_answers_also_after_the_last_card(desk: Desk) -> None:
    desk.sync(plain_library(3))
    learner = Learner(desk)
    given = []
    while learner.queue().items:
        item = learner.first()
        given.append((item.card_id, desk.state(item.card_id)))
        learner.answer(item, 4)
        learner.wait(seconds=5)
    assert len(given) == 3
    for card_id, before in reversed(given):
        undone = learner.undo()
        assert isinstance(undone, Undone)
        assert (undone.card_id, undone.rating) == (card_id, 4)
        assert desk.state(card_id) == before
    assert learner.undo() == Refused("nothing_to_undo")
    assert learner.queue().counts.new == 3


def test_an_undo_sent_again_takes_back_nothing_more(learner: Learner) -> None:
    for item in learner.queue().items[:2]:
        learner.answer(item, 4)
    first = learner.desk.undo("the same", learner.now)
    again = learner.desk.undo("the same", learner.now)
    assert isinstance(first, Undone)
    assert again == replace(first, already=True)
    assert learner.desk.today(learner.now, "UTC").reviewed == 1


def test_today_counts_what_was_not_taken_back(learner: Learner) -> None:
    for item, rating in zip(learner.queue().items, (1, 3, 4), strict=False):
        learner.answer(item, rating)
    learner.undo()
    today = learner.desk.today(learner.now, "UTC")
    assert (today.reviewed, today.new, today.again) == (2, 2, 1)
    assert today.minutes == pytest.approx(8 / 60)


def test_states_can_be_made_again_from_the_log_alone(desk: Desk, store: Store) -> None:
    desk.sync(plain_library(40))
    settings.save(store, {"new_per_day": 15})
    learner = Learner(desk)
    random_of = random.Random(7)
    for step in range(600):
        queue = learner.queue(3)
        if queue.items and random_of.random() < 0.9:
            learner.answer(random_of.choice(queue.items), random_of.choices((1, 2, 3, 4), (2, 1, 5, 1))[0])
            learner.wait(seconds=random_of.randint(1, 90))
            if random_of.random() < 0.15:
                learner.undo()
        else:
            learner.wait(hours=random_of.choice((0.5, 7, 30)))
        if step == 300:
            settings.save(store, {"desired_retention": 0.85, "learning_steps": "5m 1h 1d"})
    ids = [f"deck-{index:03}" for index in range(40)]
    before = [(desk.state(card), desk.version(card)) for card in ids]
    waiting = learner.queue()
    assert sum(len(desk.history(card)) for card in ids) > 300
    with store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM card_states")
        connection.exec_driver_sql("UPDATE cards SET started = 0")
    assert desk.recompute_all() == sum(version > 0 for _, version in before)
    assert [(desk.state(card), desk.version(card)) for card in ids] == before
    assert desk.recompute(ids[0]) == before[0][0]
    assert learner.queue() == waiting


def test_editing_the_decks_keeps_every_history(desk: Desk) -> None:
    desk.sync(a_library(a_card("kept"), a_card("removed")))
    learner = Learner(desk)
    for item in learner.queue().items:
        learner.answer(item, 4)
    assert desk.sync(a_library(a_card("kept"), a_card("added")))
    learner.wait(days=60)
    assert sorted(learner.ids()) == ["added", "kept"]
    assert [review.rating for review in desk.history("removed")] == [4]
    desk.sync(a_library(a_card("kept"), a_card("added"), a_card("removed")))
    assert sorted(learner.ids()) == ["added", "kept", "removed"]
    assert not desk.sync(a_library(a_card("kept"), a_card("added"), a_card("removed")))


def test_a_card_removed_while_it_is_shown_can_still_be_answered(learner: Learner) -> None:
    item = learner.first()
    learner.desk.sync(plain_library(0))
    learner.answer(item, 3)
    assert learner.desk.state(item.card_id).reps == 1


def test_many_sessions_read_while_one_answers_and_each_sees_one_moment(learner: Learner) -> None:
    seen: list[Queue] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.append(learner.desk.queue(learner.now, "UTC"))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for item in learner.queue().items:
        learner.answer(item, 4)
    stop.set()
    for thread in threads:
        thread.join()
    assert len(seen) >= 3
    assert all(len(queue.items) == queue.counts.new for queue in seen)
    assert learner.desk.today(learner.now, "UTC").new == 8
