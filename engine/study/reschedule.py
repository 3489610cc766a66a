"""What would move if every card were put on the day that the schedule of now gives it.

A changed retention or fitted parameters count from a card's next answer on. This says what it would be if
they had counted all along: each card's memory worked out anew from its answers, its day from its deck's
retention. Nothing is written here; `engine.study.rescheduling` applies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, select

from engine.store.tables import card_states, cards
from engine.study import memory_model
from engine.study.card_state import CardState
from engine.study.fuzz import fuzzed, place
from engine.study.log_columns import Log
from engine.study.memories import memories
from engine.study.placed import Placed
from engine.study.schedule import EVERY_DAY, SchedulerParams
from engine.study.schedule_plan import SchedulePlan
from engine.study.statistics import day_number
from engine.study.study_day import add_days

SAME = 1e-3
"""Memories that differ by less than this share are the same: their figures were rounded on the way."""


@dataclass(frozen=True, slots=True)
class Move:
    """A card in review: its state, its version, and where it would be put."""

    card_id: str
    state: CardState
    version: int
    placed: Placed

    @property
    def is_one(self) -> bool:
        """Whether it would change anything: the day, or the memory that the next interval comes from."""
        before = self.state.stability or 0.0
        moved = self.placed.due_day != self.state.due_day
        return moved or abs(self.placed.stability - before) > SAME * before


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
    would move farthest, farthest first. changed: cards that applying it changes, those of them included
    that stay on their day.
    """

    cards: int
    sooner: int
    later: int
    now: tuple[int, ...]
    then: tuple[int, ...]
    moved: tuple[Moved, ...]
    changed: int

    @property
    def due_today(self) -> tuple[int, int]:
        """Cards due today or before: as it is, and as it would be."""
        return self.now[0], self.then[0]


def moves(connection: Connection, log: Log, plan: SchedulePlan, base: SchedulerParams) -> list[Move]:
    """Every card in review with where it would be put. base: the scheduler of the settings.

    Cards whose memory the log doesn't explain (they came from elsewhere) keep it.
    """
    rows = connection.execute(
        select(card_states, cards.c.deck)
        .join(cards, cards.c.id == card_states.c.card_id)
        .where(
            card_states.c.phase == "review",
            card_states.c.due_day.is_not(None),
            cards.c.present.is_(True),
        )
        .order_by(card_states.c.card_id)
    ).mappings()
    states = [(row["card_id"], row["deck"], row["version"], CardState.from_json(dict(row))) for row in rows]
    anew = memories(
        connection, log, plan.parameters, {card: state.stability or 0.0 for card, _, _, state in states}
    )
    schedulers = {deck: plan.of_deck(base, deck) for deck in {deck for _, deck, _, _ in states}}
    return [
        Move(card, state, version, _placed(card, state, anew.get(card), schedulers[deck]))
        for card, deck, version, state in states
    ]


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
    """What applying it would do. today: the learner's study day. base: the scheduler of the settings."""
    here = day_number(today)
    found = moves(connection, log, plan, base)
    told = [
        Moved(
            each.card_id,
            day_number(each.state.due_day or today) - here,
            day_number(each.placed.due_day) - here,
            each.state.stability or 0.0,
            each.placed.stability,
        )
        for each in found
    ]
    return Preview(
        cards=len(told),
        sooner=sum(each.would_be < each.due for each in told),
        later=sum(each.would_be > each.due for each in told),
        now=_by_day([each.due for each in told], days),
        then=_by_day([each.would_be for each in told], days),
        moved=tuple(
            sorted(
                (each for each in told if each.would_be != each.due),
                key=lambda each: (-abs(each.would_be - each.due), each.card_id),
            )[:examples]
        ),
        changed=sum(each.is_one for each in found),
    )


def _placed(
    card_id: str, state: CardState, memory: tuple[float, float] | None, params: SchedulerParams
) -> Placed:
    stability, difficulty = (state.stability or 0.0, state.difficulty or 1.0) if memory is None else memory
    last = state.last_study_day or ""
    days = _interval(card_id, state.reps - 1, stability, day_number(last), params)
    return Placed(state.last_review_ms or 0, add_days(last, days), stability, difficulty)


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
