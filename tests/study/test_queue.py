"""Which cards come, in which order, within which limits, and what comes later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.store import Store, open_store
from engine.study import settings
from engine.study.desk import Desk
from engine.study.study_day import study_day, to_ms
from tests.study.a_learner import MORNING, Learner, a_card, a_library, plain_library


@pytest.fixture
def learner(desk: Desk) -> Learner:
    return Learner(desk)


def learn(learner: Learner, number: int, rating: int = 4) -> None:
    """Answers the next `number` cards."""
    for _ in range(number):
        learner.answer(learner.first(), rating)
        learner.wait(seconds=10)


def test_new_cards_of_high_priority_come_first_then_deck_by_deck(learner: Learner) -> None:
    cards = [
        a_card("a-1", "a"),
        a_card("a-2", "a", "high"),
        a_card("b-1", "b", "high"),
        a_card("a-3", "a", "high"),
    ]
    learner.desk.sync(a_library(*cards))
    assert learner.ids() == ["a-2", "a-3", "b-1", "a-1"]
    assert [item.phase for item in learner.queue().items] == ["new"] * 4


def test_an_empty_store_has_an_empty_queue_and_nothing_to_wait_for(learner: Learner) -> None:
    queue = learner.queue()
    assert (queue.items, queue.next_due_ms, queue.clock_warning) == ((), None, None)
    assert (queue.counts.new, queue.counts.learning, queue.counts.due) == (0, 0, 0)


def test_learning_cards_that_are_due_come_first_by_the_time_they_are_due(learner: Learner) -> None:
    learner.desk.sync(plain_library(6))
    for rating in (3, 1, 3):  # due in 10, 1 and 10 minutes
        learner.answer(learner.first(), rating)
        learner.wait(seconds=1)
    learner.wait(minutes=11)
    assert learner.ids() == ["deck-001", "deck-000", "deck-002", "deck-003", "deck-004", "deck-005"]


def test_learning_cards_come_ahead_of_time_only_when_nothing_else_is_left(learner: Learner) -> None:
    learner.desk.sync(plain_library(2))
    learner.answer(learner.first(), 1)
    assert learner.ids() == ["deck-001", "deck-000"]
    learner.answer(learner.first(), 4)
    assert learner.ids() == ["deck-000"]


def test_a_learning_card_due_later_than_twenty_minutes_is_waited_for(learner: Learner, store: Store) -> None:
    settings.save(store, {"learning_steps": "45m 2h"})
    learner.desk.sync(plain_library(1))
    confirmed = learner.answer(learner.first(), 1)
    queue = learner.queue()
    assert queue.items == ()
    assert queue.counts.learning == 1
    assert queue.next_due_ms == confirmed.due_ms - 20 * 60_000
    learner.now += timedelta(milliseconds=queue.next_due_ms - to_ms(learner.now))
    assert learner.ids() == ["deck-000"]


def test_reviews_and_new_cards_are_mixed_evenly_and_stay_in_their_order_while_answered(
    learner: Learner, store: Store
) -> None:
    learner.desk.sync(plain_library(30))
    learn(learner, 20)  # the new cards of a day
    learner.wait(days=40)
    settings.save(store, {"new_per_day": 5})
    planned = learner.queue(size=25).items
    assert [index for index, item in enumerate(planned) if item.phase == "new"] == [2, 7, 12, 17, 22]
    for place, item in enumerate(planned):
        assert learner.ids(3)[: min(3, 25 - place)] == [later.card_id for later in planned[place : place + 3]]
        learner.answer(item, 4)


def test_reviews_come_by_due_day_and_shuffled_within_a_day(learner: Learner, store: Store) -> None:
    settings.save(store, {"new_per_day": 40, "reviews_per_day": 9999})
    learner.desk.sync(plain_library(40))
    learn(learner, 40)
    learner.wait(days=60)
    items = learner.queue(size=40).items
    days = [learner.desk.state(item.card_id).due_day or "" for item in items]
    assert days == sorted(days)
    assert len(set(days)) > 1
    assert [item.card_id for item in items] != sorted(item.card_id for item in items)


def test_a_review_comes_from_the_start_of_its_study_day_whatever_the_hour_it_was_answered(
    learner: Learner, store: Store
) -> None:
    settings.save(store, {"learning_steps": ""})
    learner.desk.sync(plain_library(1))
    learner.zone = "Asia/Ho_Chi_Minh"
    learner.now = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)  # half past ten in the evening there
    item = learner.first()
    days = item.outcomes[0].minutes // 1440
    learner.answer(item, 1)
    due = datetime(2026, 11, 30, 21, 0, tzinfo=UTC) + timedelta(days=days - 1)  # four in the morning there
    learner.now = due - timedelta(seconds=1)
    queue = learner.queue()
    assert queue.items == ()
    assert queue.next_due_ms == to_ms(due)
    learner.now = due
    assert learner.ids() == ["deck-000"]


def test_limits_of_a_day_survive_a_restart_and_undo_gives_the_place_back(tmp_path: Path) -> None:
    with_limits = open_store(tmp_path / "b.db")
    settings.save(with_limits, {"new_per_day": 3, "reviews_per_day": 2})
    learner = Learner(Desk(with_limits))
    learner.desk.sync(plain_library(10))
    learn(learner, 2)
    with_limits.close()
    reopened = open_store(tmp_path / "b.db")
    learner.desk = Desk(reopened)
    assert learner.queue().counts.new == 1
    learn(learner, 1)
    assert learner.queue().items == ()
    learner.undo()
    assert learner.queue().counts.new == 1
    learn(learner, 1)
    learner.wait(days=100)
    assert (learner.queue().counts.new, learner.queue().counts.due) == (3, 2)
    while learner.queue().items:
        learn(learner, 1)
    queue = learner.queue()
    assert (queue.counts.new, queue.counts.due) == (0, 0)
    tomorrow = datetime.fromisoformat(queue.study_day).replace(hour=4, tzinfo=UTC) + timedelta(days=1)
    assert queue.next_due_ms == to_ms(tomorrow)
    learner.now = tomorrow
    assert (learner.queue().counts.new, learner.queue().counts.due) == (3, 1)
    reopened.close()


def test_a_limit_of_zero_brings_none_and_promises_none(learner: Learner, store: Store) -> None:
    settings.save(store, {"new_per_day": 0, "reviews_per_day": 0})
    learner.desk.sync(plain_library(3))
    assert learner.queue().items == ()
    assert learner.queue().next_due_ms is None


def test_a_relearning_card_does_not_count_against_the_limit_again(learner: Learner, store: Store) -> None:
    settings.save(store, {"reviews_per_day": 1, "new_per_day": 2})
    learner.desk.sync(plain_library(2))
    learn(learner, 2)
    learner.wait(days=100)
    learner.answer(learner.first(), 1)
    queue = learner.queue()
    assert (queue.counts.learning, queue.counts.due) == (1, 0)
    assert [item.phase for item in queue.items] == ["learning"]


def test_decks_narrow_the_queue(learner: Learner) -> None:
    learner.desk.sync(a_library(a_card("a-1", "a"), a_card("b-1", "b"), a_card("c-1", "c")))
    assert learner.ids(decks=["b", "c"]) == ["b-1", "c-1"]
    assert learner.ids(decks=[]) == []
    learn(learner, 3)
    learner.wait(days=100)
    assert learner.ids(decks=["a"]) == ["a-1"]
    assert learner.queue(decks=["a"]).counts.due == 1


def test_a_queue_writes_nothing(learner: Learner, store: Store) -> None:
    learner.desk.sync(plain_library(3))
    with store.read() as connection:
        before = connection.exec_driver_sql("PRAGMA data_version").scalar_one()
        learner.queue()
        assert connection.exec_driver_sql("PRAGMA data_version").scalar_one() == before


def test_what_comes_when_is_told_for_a_week_within_the_limits(learner: Learner, store: Store) -> None:
    settings.save(store, {"new_per_day": 4, "reviews_per_day": 3, "learning_steps": "10m 1d"})
    learner.desk.sync(plain_library(10))
    learn(learner, 3, rating=4)
    learner.answer(learner.first(), 3)  # in learning, due tomorrow
    days = learner.desk.forecast(learner.now, "UTC", days=30)
    assert [day.day for day in days[:3]] == ["2026-11-30", "2026-12-01", "2026-12-02"]
    assert [day.new for day in days[:4]] == [0, 4, 2, 0]
    assert [day.learning for day in days[:3]] == [0, 1, 0]
    assert sum(day.due for day in days) == 3
    learner.now = datetime(2027, 3, 1, 8, tzinfo=UTC)
    settings.save(store, {"reviews_per_day": 2, "new_per_day": 0})
    assert [day.due for day in learner.desk.forecast(learner.now, "UTC", days=3)] == [2, 1, 0]


def test_a_clock_set_back_is_noticed_and_gives_no_day_twice(learner: Learner) -> None:
    learner.desk.sync(plain_library(30))
    learn(learner, 18)
    last = to_ms(learner.now) - 10_000
    learner.now = MORNING - timedelta(days=400)
    queue = learner.queue()
    assert (queue.clock_warning, queue.last_answer_ms) == ("clock_set_back", last)
    assert (queue.study_day, queue.counts.new) == ("2026-11-30", 2)
    item = queue.items[0]
    confirmed = learner.answer(item, 4)
    assert confirmed.due_ms == last + item.outcomes[3].minutes * 60_000
    review = learner.desk.history(item.card_id)[0]
    assert (review.reviewed_at_ms, review.study_day) == (last, "2026-11-30")
    learner.answer(learner.first(), 4)
    assert learner.queue().counts.new == 0


def test_a_clock_corrected_by_seconds_is_no_alarm(learner: Learner) -> None:
    learner.desk.sync(plain_library(3))
    learner.answer(learner.first(), 4)
    learner.wait(seconds=-30)
    assert learner.queue().clock_warning is None
    learner.answer(learner.first(), 4)


def test_answers_at_a_clock_far_ahead_can_be_taken_back(learner: Learner) -> None:
    learner.desk.sync(plain_library(3))
    learner.now = MORNING + timedelta(days=3000)
    learner.answer(learner.first(), 4)
    learner.now = MORNING
    assert learner.queue().clock_warning == "clock_set_back"
    learner.undo()
    queue = learner.queue()
    assert (queue.clock_warning, queue.study_day) == (None, "2026-11-30")


@pytest.mark.parametrize(
    ("start", "there"),
    [
        ("Pacific/Kiritimati", "Pacific/Pago_Pago"),  # 25 hours west: a day back on the calendar
        ("Pacific/Pago_Pago", "Pacific/Kiritimati"),  # 25 hours east: a day forward
    ],
)
def test_travelling_across_the_date_line_keeps_days_and_limits(
    learner: Learner, store: Store, start: str, there: str
) -> None:
    settings.save(store, {"new_per_day": 2})
    learner.desk.sync(plain_library(10))
    learner.zone = start
    learn(learner, 2)
    at_home = learner.queue().study_day
    learner.zone = there
    queue = learner.queue()
    assert queue.clock_warning is None
    local = study_day(to_ms(learner.now), there, 4)
    assert queue.study_day == max(at_home, local)
    assert queue.counts.new == (2 if local > at_home else 0)
    reviews = [learner.desk.history(card)[0] for card in ("deck-000", "deck-001")]
    assert {(review.study_day, review.zone) for review in reviews} == {(at_home, start)}
    learner.wait(hours=50)
    assert learner.queue().study_day == study_day(to_ms(learner.now), there, 4)


@pytest.mark.parametrize("hour", [0, 12])
def test_the_rollover_hour_can_be_moved(learner: Learner, store: Store, hour: int) -> None:
    settings.save(store, {"rollover_hour": hour})
    learner.desk.sync(plain_library(1))
    learner.now = MORNING.replace(hour=11, minute=59)
    assert learner.queue().study_day == ("2026-11-30" if hour == 0 else "2026-11-29")
