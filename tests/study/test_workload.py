"""What a retention costs and what a backlog does, by simulation of one's own cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.store import Store
from engine.study.log_columns import read_log
from engine.study.schedule import SchedulerParams
from engine.study.workload import Cards, Habits, Work, backlog, cost_of_retention, habits, outlook
from tests.study.generated import FIRST, REMEMBERED, generated, put

WORK = Work(params=SchedulerParams(), days=90, reviews_per_day=10_000, new_per_day=0)


def cards(number: int, new: int = 0, seed: int = 5) -> Cards:
    """Cards of some months, a third of them due within ten days."""
    dice = np.random.default_rng(seed)
    since = dice.integers(0, 20, number)
    return Cards(
        stability=dice.uniform(2, 60, number),
        difficulty=dice.uniform(3, 8, number),
        due=dice.integers(-5, 30, number),
        since=since,
        new=new,
    )


def test_a_higher_retention_costs_more_reviews_and_keeps_more_cards() -> None:
    found = cost_of_retention(cards(500), WORK, (0.7, 0.8, 0.9, 0.95))
    costs = [each.reviews_a_day for each in found.values()]
    known = [each.known for each in found.values()]
    assert costs == sorted(costs)
    assert costs[-1] > 2 * costs[0]
    assert known == sorted(known)
    assert known[-1] <= 500


def test_the_share_remembered_is_about_what_was_asked_for() -> None:
    found = cost_of_retention(cards(800), replace(WORK, days=200), (0.8, 0.9))
    for retention, each in found.items():
        late = slice(100, 200)
        share = 1 - sum(each.forgotten[late]) / sum(each.reviews[late])
        assert share == pytest.approx(retention, abs=0.03)


def test_what_a_retention_costs_counts_the_learners_own_steps() -> None:
    new = cards(300, new=100)
    work = replace(WORK, new_per_day=10, params=SchedulerParams(learning_steps=(), relearning_steps=()))
    found = cost_of_retention(new, work, (0.9,))[0.9]
    assert sum(found.answers) == pytest.approx(sum(found.reviews) + 100)


def test_the_minutes_of_a_backlog_are_those_of_its_cards_not_of_new_ones() -> None:
    without = backlog(cards(500), WORK)
    beside_new = backlog(cards(500, new=900), replace(WORK, new_per_day=30))
    assert beside_new.cards == without.cards
    assert beside_new.minutes == pytest.approx(without.minutes, rel=0.1)
    assert without.minutes >= without.cards * WORK.habits.seconds / 60


def test_a_large_collection_learns_as_many_new_cards_a_day_as_are_set() -> None:
    """Only a part of it is simulated: few new cards a day were rounded to none, or to twice as many."""
    params = SchedulerParams(learning_steps=(), relearning_steps=())
    for new_per_day in (1, 2, 3, 20):
        work = replace(WORK, params=params, new_per_day=new_per_day, days=50)
        found = outlook(cards(30_000, new=30_000), work)
        assert sum(found.answers) - sum(found.reviews) == pytest.approx(50 * new_per_day, abs=3)


def test_the_same_cards_give_the_same_figures() -> None:
    assert outlook(cards(300), WORK) == outlook(cards(300), WORK)


@pytest.mark.parametrize("number", [7, 300, 45_000])
def test_small_and_large_collections_are_scaled_alike(number: int) -> None:
    found = outlook(cards(number), WORK)
    assert 0.01 * number < found.reviews_a_day < 0.12 * number
    assert 0.8 * number < found.known <= number


def test_the_limits_hold() -> None:
    found = outlook(cards(4000, new=200), replace(WORK, reviews_per_day=60, new_per_day=5))
    assert max(found.reviews) <= 60
    assert found.waiting[0] > 0
    assert found.answers[0] > found.reviews[0]


def test_days_off_make_a_backlog_that_costs_time_and_memory() -> None:
    work = replace(WORK, reviews_per_day=60)
    now, later = backlog(cards(1500), work), backlog(cards(1500), replace(work, pause=14))
    assert later.cards > 2 * now.cards
    assert later.minutes > now.minutes
    assert later.forgotten > now.forgotten >= 0
    assert sum(later.outlook.reviews[:14]) == 0
    assert now.clear_after is not None
    assert later.clear_after is not None
    assert later.clear_after > 14
    assert later.outlook.waiting[later.clear_after] < 0.5 < later.outlook.waiting[later.clear_after - 1]


def test_a_backlog_that_never_clears_is_said_to() -> None:
    assert backlog(cards(3000), replace(WORK, reviews_per_day=5)).clear_after is None


def test_nothing_to_review_costs_nothing() -> None:
    none = cards(0)
    assert outlook(none, WORK).reviews_a_day == 0
    assert backlog(none, WORK).cards == 0
    assert outlook(cards(0, new=30), replace(WORK, new_per_day=3)).reviews_a_day > 0


def test_how_the_learner_grades_is_taken_from_the_log(store: Store) -> None:
    assert habits(read_log(store, None)) == Habits()
    put(store, generated(3000))
    found = habits(read_log(store, None))
    assert found.measured
    assert found.first == pytest.approx(FIRST, abs=0.06)
    assert found.remembered == pytest.approx(REMEMBERED, abs=0.06)
    assert found.seconds == pytest.approx(4, abs=2)
