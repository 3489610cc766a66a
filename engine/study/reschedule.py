"""What would move if every card were put on the day that the schedule of now gives it.

A changed retention or fitted parameters count from a card's next answer on. This says what it would be if
they had counted all along: each card's memory worked out anew from its answers, its day from its deck's
retention. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, select

from engine.store.tables import card_states, cards
from engine.study import memory_model
from engine.study.fit_data import Histories, histories
from engine.study.fuzz import fuzzed, place
from engine.study.log_columns import Log
from engine.study.schedule import EVERY_DAY, SchedulerParams
from engine.study.schedule_plan import SchedulePlan
from engine.study.statistics import day_number


@dataclass(frozen=True, slots=True)
class Moved:
    """A card whose day would change. Days are counted from today; below 0 it is overdue. stability: days."""

    card_id: str
    due: int
    would_be: int
    stability: float
    would_be_stability: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What would move, of the cards in review.

    now, then: cards due on each of the next days, today first with all that is overdue. moved: those that
    would move farthest, farthest first.
    """

    cards: int
    sooner: int
    later: int
    now: tuple[int, ...]
    then: tuple[int, ...]
    moved: tuple[Moved, ...]

    @property
    def due_today(self) -> tuple[int, int]:
        """Cards due today or before: as it is, and as it would be."""
        return self.now[0], self.then[0]


def preview(
    connection: Connection,
    log: Log,
    plan: SchedulePlan,
    base: SchedulerParams,
    today: str,
    *,
    days: int = 30,
    examples: int = 10,
) -> Preview:
    """base: the scheduler of the settings. Cards whose beginning isn't in the log keep their memory."""
    rows = connection.execute(
        select(card_states, cards.c.deck)
        .join(cards, cards.c.id == card_states.c.card_id)
        .where(card_states.c.phase == "review", cards.c.present.is_(True))
        .order_by(card_states.c.card_id)
    ).all()
    anew = _memories(log, plan.parameters)
    here = day_number(today)
    found = []
    for row in rows:
        params = plan.of_deck(base, row.deck)
        stability = anew.get(row.card_id, row.stability)
        last = day_number(row.last_study_day)
        would_be = last + _interval(row.card_id, row.reps - 1, stability, last, params)
        found.append(
            Moved(row.card_id, day_number(row.due_day) - here, would_be - here, row.stability, stability)
        )
    return Preview(
        cards=len(found),
        sooner=sum(each.would_be < each.due for each in found),
        later=sum(each.would_be > each.due for each in found),
        now=_by_day([each.due for each in found], days),
        then=_by_day([each.would_be for each in found], days),
        moved=tuple(
            sorted(
                (each for each in found if each.would_be != each.due),
                key=lambda each: (-abs(each.would_be - each.due), each.card_id),
            )[:examples]
        ),
    )


def _memories(log: Log, parameters: Sequence[float]) -> dict[str, float]:
    """The stability of each card after its last answer, by these parameters."""
    of: Histories = histories(log)
    after = of.memories(parameters)
    last = of.start[1:] - 1
    return {
        log.cards[card]: stability
        for card, stability in zip(of.card[last].tolist(), after.stability[last].tolist(), strict=True)
    }


def _interval(card_id: str, reps: int, stability: float, last: int, params: SchedulerParams) -> int:
    """The days that the answer before gave, or would have: with its fuzz, on its easy days."""
    of = memory_model.interval(
        params.parameters, np.array([stability]), params.desired_retention, params.maximum_days
    )
    at = place(card_id, reps)
    if params.easy_days == EVERY_DAY:
        return fuzzed(int(of[0]), at, most=params.maximum_days)
    weekday = (last + _EPOCH_WEEKDAY) % 7
    return fuzzed(
        int(of[0]),
        at,
        most=params.maximum_days,
        share=lambda days: params.easy_days[(weekday + days) % 7],
    )


_EPOCH_WEEKDAY = 3
"""1970-01-01 was a Thursday; Monday is 0."""


def _by_day(due: Sequence[int], days: int) -> tuple[int, ...]:
    counted = np.bincount(np.maximum(np.array(due, np.int64), 0), minlength=days)
    return tuple(counted[:days].tolist())
