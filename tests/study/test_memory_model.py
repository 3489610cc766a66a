"""FSRS over arrays is FSRS: each step is that of the `fsrs` package."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import fsrs
import numpy as np
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS

from engine.study import memory_model
from engine.study.memory_model import Memory
from tests.study.generated import OTHER

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("parameters", [DEFAULT_PARAMETERS, OTHER])
def test_each_step_of_many_histories_is_that_of_fsrs(parameters: tuple[float, ...]) -> None:
    dice = random.Random(7)
    scheduler = fsrs.Scheduler(parameters=parameters, enable_fuzzing=False)
    histories = [
        [
            (dice.choice((1, 2, 3, 4)), 0 if step == 0 else dice.choice((0, 0, 1, 2, 7, 40, 400)))
            for step in range(9)
        ]
        for _ in range(300)
    ]
    cards = [fsrs.Card(card_id=1) for _ in histories]
    days = [0] * len(histories)
    memory = Memory(np.empty(0), np.empty(0))
    for step in range(9):
        rating = np.array([history[step][0] for history in histories])
        elapsed = np.array([history[step][1] for history in histories])
        if step == 0:
            memory = memory_model.first(parameters, rating)
        else:
            chance = memory_model.recall(parameters, memory, elapsed)
            memory = memory_model.after(parameters, memory, elapsed, rating)
        for place, history in enumerate(histories):
            days[place] += history[step][1]
            now = START + timedelta(days=days[place])
            if step:
                wanted = scheduler.get_card_retrievability(cards[place], now)
                assert chance[place] == pytest.approx(wanted, rel=1e-9)
            cards[place], _ = scheduler.review_card(cards[place], fsrs.Rating(history[step][0]), now)
            assert memory.stability[place] == pytest.approx(cards[place].stability, rel=1e-9)
            assert memory.difficulty[place] == pytest.approx(cards[place].difficulty, rel=1e-9)


@pytest.mark.parametrize("retention", [0.7, 0.9, 0.97])
def test_the_interval_is_that_of_fsrs(retention: float) -> None:
    scheduler = fsrs.Scheduler(desired_retention=retention, enable_fuzzing=False, maximum_interval=1000)
    stabilities = np.array([0.001, 0.4, 1.0, 3.3, 17.2, 250.0, 9000.0])
    found = memory_model.interval(DEFAULT_PARAMETERS, stabilities, retention, 1000)
    assert found.tolist() == [scheduler._next_interval(stability=each) for each in stabilities.tolist()]
