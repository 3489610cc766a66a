"""A review log of a learner whose memory follows known FSRS parameters, as rows of the log.

The memory is `fsrs`'s own scheduler with the known parameters; the days are planned by one with the defaults.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import fsrs
from fsrs.scheduler import DEFAULT_PARAMETERS
from sqlalchemy import insert

from engine.store import Store
from engine.store.tables import reviews
from engine.study.card_state import CardState
from engine.study.schedule import SchedulerParams

START = datetime(2025, 1, 6, tzinfo=UTC)
FIRST = (0.25, 0.1, 0.5, 0.15)
REMEMBERED = (0.2, 0.65, 0.15)

OTHER = (
    *(0.9, 1.8, 4.5, 16.0, 6.9, 0.6, 2.2, 0.02, 1.45, 0.3),
    *(1.3, 1.9, 0.08, 0.32, 2.1, 0.5, 2.4, 0.6, 0.15, 0.1, 0.28),
)
"""Parameters of a memory that the defaults foretell a little worse."""


FORGETFUL = (
    *(0.05, 0.2, 0.5, 2.0, 6.4, 0.8, 2.5, 0.01, 1.1, 0.2),
    *(0.8, 1.4, 0.06, 0.25, 1.6, 0.6, 1.9, 0.3, 0.1, 0.07, 0.4),
)
"""Parameters of a memory so far from the defaults that few reviews show it."""


@cache
def generated(
    number: int, parameters: tuple[float, ...] = FORGETFUL, *, seed: int = 1, new_a_day: int = 8
) -> Sequence[dict[str, Any]]:
    """The first `number` answers of such a learner, in order."""
    dice = random.Random(seed)
    memory = fsrs.Scheduler(parameters=parameters, enable_fuzzing=False)
    planned = fsrs.Scheduler(parameters=DEFAULT_PARAMETERS, enable_fuzzing=False)
    cards: list[tuple[fsrs.Card, fsrs.Card]] = []
    waiting: list[tuple[int, int]] = []
    rows: list[dict[str, Any]] = []
    day = 0
    while len(rows) < number:
        for _ in range(new_a_day):
            heapq.heappush(waiting, (day, len(cards)))
            cards.append((fsrs.Card(card_id=1), fsrs.Card(card_id=1)))
        second = 0
        while waiting and waiting[0][0] <= day:
            _, place = heapq.heappop(waiting)
            due = day
            while due <= day:  # all the steps of one day
                second += 1
                due = _answer(rows, place, cards, (memory, planned), day, second, dice)
            heapq.heappush(waiting, (due + dice.choice((0, 0, 0, 1, 3)), place))
        day += 1
    return rows[:number]


def put(store: Store, rows: Sequence[dict[str, Any]]) -> None:
    """Writes the rows into the log."""
    with store.begin() as connection:
        connection.execute(insert(reviews), list(rows))


def _answer(
    rows: list[dict[str, Any]],
    place: int,
    cards: list[tuple[fsrs.Card, fsrs.Card]],
    schedulers: tuple[fsrs.Scheduler, fsrs.Scheduler],
    day: int,
    second: int,
    dice: random.Random,
) -> int:
    """Answers a card once; the day it is due next."""
    known, plan = cards[place]
    midnight = START + timedelta(days=day)
    new = known.last_review is None
    if new:
        rating = dice.choices((1, 2, 3, 4), FIRST)[0]
    else:
        chance = schedulers[0].get_card_retrievability(known, midnight)
        remembered = dice.random() < chance
        rating = dice.choices((2, 3, 4), REMEMBERED)[0] if remembered else 1
    before = _state(plan, new=new)
    known, _ = schedulers[0].review_card(known, fsrs.Rating(rating), midnight)
    plan, _ = schedulers[1].review_card(plan, fsrs.Rating(rating), midnight)
    cards[place] = known, plan
    at_ms = round((midnight + timedelta(hours=9, seconds=second)).timestamp() * 1000)
    study_day = midnight.date().isoformat()
    version = int(before.reps)
    rows.append(
        {
            "nonce": f"generated-{len(rows)}",
            "card_id": f"card-{place:05}",
            "version": len(rows),
            "kind": before.phase,
            "rating": rating,
            "reviewed_at_ms": at_ms,
            "study_day": study_day,
            "zone": "UTC",
            "answer_ms": 4000 + 500 * (version % 7),
            "shown_at_ms": at_ms - 4000,
            "shown_day": study_day,
            "scheduler": SchedulerParams().fingerprint,
            "shown": [1, 6, 10, 1440],
            "state_before": before.to_json(),
            "state_after": _state(plan, new=False).to_json(),
        }
    )
    return (plan.due - START).days


def _state(card: fsrs.Card, *, new: bool) -> CardState:
    """The state as the log keeps it."""
    if new or card.last_review is None:
        return CardState()
    names = {
        fsrs.State.Learning: "learning",
        fsrs.State.Review: "review",
        fsrs.State.Relearning: "relearning",
    }
    interval = card.due - card.last_review
    return CardState(
        phase=names[card.state],  # type: ignore[arg-type]
        step=card.step,
        stability=card.stability,
        difficulty=card.difficulty,
        due_ms=round(card.due.timestamp() * 1000),
        due_day=card.due.date().isoformat() if interval.days else None,
        interval_minutes=round(interval / timedelta(minutes=1)),
        last_review_ms=round(card.last_review.timestamp() * 1000),
        last_study_day=card.last_review.date().isoformat(),
        reps=1,
    )
