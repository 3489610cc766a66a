"""Statistics count what the log says, on the study days it says."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS

from engine.store import Store
from engine.study import standing as standings
from engine.study import statistics
from engine.study.card_changes import change
from engine.study.desk import Desk
from engine.study.log_columns import read_log
from engine.study.scope import Scope
from engine.study.statistics import DayDone, Recall
from tests.study.a_learner import Learner, a_card, a_library, plain_library
from tests.study.generated import generated, put


def a_day(day: str, answers: int = 1) -> DayDone:
    return DayDone(day, answers, 0, 0, 0, 0, 1.0)


def test_a_day_counts_its_answers_by_what_the_card_was(desk: Desk, store: Store) -> None:
    desk.sync(plain_library(2))
    learner = Learner(desk)
    learner.answer(learner.first(), 3)
    learner.wait(minutes=11)
    while learner.queue().items:
        learner.answer(learner.first(), 3)
        learner.wait(minutes=11)
    learner.wait(days=40)
    for rating in (1, 3):
        learner.answer(learner.first(), rating)
    first, second = statistics.days_done(read_log(store, None))
    assert (first.new, first.learning, first.young, first.mature) == (2, 2, 0, 0)
    assert (second.young, second.again) == (2, 1)
    assert second.minutes == pytest.approx(2 * 4 / 60)
    assert first.answers == 4


@pytest.mark.parametrize(
    ("days", "today", "now", "longest"),
    [
        ((), "2026-03-10", 0, 0),
        (("2026-03-08", "2026-03-09", "2026-03-10"), "2026-03-10", 3, 3),
        (("2026-03-08", "2026-03-09"), "2026-03-10", 2, 2),
        (("2026-03-07", "2026-03-08"), "2026-03-10", 0, 2),
        (("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-03"), "2026-03-03", 1, 3),
    ],
)
def test_a_streak_ends_today_or_yesterday(days: tuple[str, ...], today: str, now: int, longest: int) -> None:
    found = statistics.streak([a_day(day) for day in days], today)
    assert (found.now, found.longest, found.days) == (now, longest, len(days))


def test_a_streak_is_not_rewritten_by_travel_or_daylight_saving(desk: Desk, store: Store) -> None:
    desk.sync(plain_library(12))
    learner = Learner(desk, now=datetime(2026, 3, 27, 10, 0, tzinfo=UTC), zone="Europe/Berlin")
    for zone in ("Europe/Berlin", "Europe/Berlin", "Asia/Tokyo", "Asia/Tokyo", "America/Los_Angeles"):
        learner.zone = zone
        learner.answer(learner.first(), 4)
        learner.wait(hours=24)
    days = statistics.days_done(read_log(store, None))
    found = statistics.streak(days, days[-1].day)
    assert found.now == found.longest == len(days)
    assert sum(day.answers for day in days) == 5


def test_true_retention_counts_the_first_review_of_a_card_on_a_day(desk: Desk, store: Store) -> None:
    desk.sync(plain_library(1))
    learner = Learner(desk)
    learner.answer(learner.first(), 4)
    learner.wait(days=30)
    learner.answer(learner.first(), 1)  # forgotten, then learnt again on the same day
    learner.wait(minutes=11)
    learner.answer(learner.first(), 3)
    learner.wait(days=30)
    learner.answer(learner.first(), 3)
    found = statistics.true_retention(read_log(store, None))
    assert found.both == Recall(reviews=2, remembered=1)
    assert statistics.true_retention(read_log(store, None), since="2027-01-15").both == Recall(1, 1)
    assert Recall(0, 0).share is None


def test_retention_and_calibration_of_a_memory_that_is_as_fsrs_says(store: Store) -> None:
    put(store, generated(3000, DEFAULT_PARAMETERS, seed=3))
    log = read_log(store, None)
    found = statistics.calibration(log)
    assert found is not None
    assert found.error < 0.03
    assert found.reviews == sum(each.reviews for each in found.bins)
    predicted = sum(each.predicted * each.reviews for each in found.bins) / found.reviews
    retention = statistics.true_retention(log).both
    assert retention.share == pytest.approx(predicted, abs=0.02)
    assert retention.reviews == found.reviews
    assert retention.margin < 0.02


def test_a_calibration_needs_enough_reviews() -> None:
    chances, outcomes = np.full(99, 0.9), np.ones(99, bool)
    assert statistics.compared(chances, outcomes) is None
    found = statistics.compared(np.full(200, 0.9), np.arange(200) % 10 > 0)
    assert found is not None
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found.log_loss == pytest.approx(0.3251, abs=1e-4)


def test_decks_and_topics_have_their_own_share(store: Store) -> None:
    put(store, generated(600))
    log = read_log(store, None)
    half = {card for card in log.cards if card < "card-00020"}
    rest = set(log.cards) - half
    found = statistics.by_part(log, {"half": sorted(half), "rest": sorted(rest), "none": ["other"]})
    assert {part.name for part in found} == {"half", "rest"}
    assert sum(part.answers for part in found) == 600
    both = statistics.true_retention(log).both
    assert sum(part.retention.both.reviews for part in found) == both.reviews
    assert sum(part.retention.both.remembered for part in found) == both.remembered


def test_the_standing_of_all_cards_and_of_a_deck(desk: Desk, store: Store) -> None:
    desk.sync(a_library(*(a_card(f"{deck}-{n}", deck) for deck in ("one", "two") for n in range(4))))
    learner = Learner(desk)
    for _ in range(5):
        learner.answer(learner.first(), 4)
    today = learner.queue().study_day
    with store.read() as connection:
        every = standings.standing(connection, today)
        one = standings.standing(connection, today, ["one"])
    assert standings.counts(every) == standings.Counts(new=3, learning=0, young=5, mature=0)
    assert len(one) + one.new == 4
    assert one.card_ids == tuple(card for card in every.card_ids if card.startswith("one-"))
    overdue, due = standings.due_ahead(every, 60)
    assert (overdue, due[0], sum(due)) == (0, 0, 5)
    assert sum(standings.stabilities(every)) == sum(standings.difficulties(every)) == 5
    change(store, ["one-0", "two-3"], "suspend", now=learner.now, zone="UTC", nonce="s")
    with store.read() as connection:
        for deck in ("one", "two"):  # a suspended card counts as nothing, nor as new
            kept = standings.standing(connection, today, Scope(decks=frozenset({deck})))
            assert len(kept) + kept.new == 3
    learner.wait(days=90)
    with store.read() as connection:
        later = standings.standing(connection, learner.queue().study_day)
    assert standings.due_ahead(later, 60) == (4, (0,) * 60)
    assert (later.since == 90).all()
