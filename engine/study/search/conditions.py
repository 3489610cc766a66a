"""The conditions of a search that the store answers: states and the log, as conditions on `card_states`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Date, and_, cast, func, literal, or_, select, true
from sqlalchemy.engine import Dialect

from engine.store.tables import card_states, reviews
from engine.study.review_log import counts
from engine.study.schedule import SchedulerParams
from engine.study.search.query import All, Is, Node, Operator, Property, Rated, Some
from engine.study.study_day import DAY_MINUTES, add_days, day_start_ms
from engine.study.today import Now

LEARNING = ("learning", "relearning")
_COMPARE: dict[Operator, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_HALF_A_STEP = {"s": 0.5, "d": 0.05, "r": 0.005}
"""Numbers that nobody types exactly equal one within half of the last place shown."""


class Conditions:
    """Turns what it can of a search into conditions at a moment of the learner's."""

    def __init__(self, now: Now, rollover_hour: int, params: SchedulerParams, dialect: Dialect) -> None:
        self._now = now
        self._rollover_hour = rollover_hour
        self._params = params
        self._dialect = dialect

    def of(self, node: Node) -> ColumnElement[bool] | None:
        """The condition on a row of `card_states`, or None where not all of `node` can be one."""
        match node:
            case Is(state):
                return self._state(state)
            case Property():
                return self._property(node)
            case Rated():
                return self._rated(node)
            case All(parts) | Some(parts) if parts:
                conditions = [self.of(part) for part in parts]
                known = [condition for condition in conditions if condition is not None]
                if len(known) < len(conditions):
                    return None
                return and_(*known) if isinstance(node, All) else or_(*known)
        return None

    def _state(self, state: str) -> ColumnElement[bool] | None:
        # "not in" where most cards are meant: by the index on phases each of them would be looked up alone
        phase = card_states.c.phase
        match state:
            case "learn":
                return phase.in_(LEARNING)
            case "review":
                return phase.not_in(("new", "learning"))
            case "waiting":
                in_days = card_states.c.due_day <= self._now.day
                in_time = and_(card_states.c.due_day.is_(None), card_states.c.due_ms <= self._now.ms)
                return and_(phase != "new", or_(in_days, and_(phase.in_(LEARNING), in_time)))
        return None

    def _property(self, node: Property) -> ColumnElement[bool]:
        started = card_states.c.phase != "new"
        compare = _COMPARE[node.operator]
        match node.name:
            case "ivl":
                minutes = card_states.c.interval_minutes
                in_review = card_states.c.phase.not_in(("new", *LEARNING))
                return and_(in_review, compare(minutes, node.value * DAY_MINUTES))
            case "due":
                return and_(started, self._due(node.operator, int(node.value)))
            case "s":
                return and_(started, _near("s", node.operator, card_states.c.stability, node.value))
            case "d":
                return and_(started, _near("d", node.operator, card_states.c.difficulty, node.value))
            case "r":
                return and_(started, self._recall(node.operator, node.value))
        return and_(started, compare(card_states.c[node.name], node.value))

    def _due(self, of: Operator, days: int) -> ColumnElement[bool]:
        """Due so many study days from today; a card that is due at an instant counts on the day of it."""
        day = add_days(self._now.day, days)
        begins, ends = (
            day_start_ms(add_days(day, after), self._now.zone, self._rollover_hour) for after in (0, 1)
        )
        at = card_states.c.due_ms
        in_time: dict[Operator, ColumnElement[bool]] = {
            "=": and_(at >= begins, at < ends),
            "!=": or_(at < begins, at >= ends),
            "<": at < begins,
            "<=": at < ends,
            ">": at >= ends,
            ">=": at >= begins,
        }
        in_days: ColumnElement[bool] = _COMPARE[of](card_states.c.due_day, day)
        return or_(in_days, and_(card_states.c.due_day.is_(None), in_time[of]))

    def _recall(self, of: Operator, value: float) -> ColumnElement[bool]:
        """Retrievability today. It falls as the days since the last answer grow against the stability, so it
        is compared by that quotient: R = (1 + F·t/S)^decay with F = 0.9^(1/decay) − 1 (FSRS-6).
        """
        if of in ("=", "!="):
            half = _HALF_A_STEP["r"]
            inside = and_(self._recall(">=", value - half), self._recall("<=", value + half))
            return inside if of == "=" else ~inside
        if value <= 0 or value > 1:
            return literal(value <= 0) if of in (">", ">=") else literal(value > 1)
        decay = -self._params.parameters[20]
        factor = 0.9 ** (1 / decay) - 1
        quotient = (value ** (1 / decay) - 1) / factor
        turned: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        compared: ColumnElement[bool] = _COMPARE[turned[of]](
            self._days_since(), card_states.c.stability * quotient
        )
        return compared

    def _days_since(self) -> ColumnElement[Any]:
        """Study days since the last answer."""
        last = card_states.c.last_study_day
        if self._dialect.name == "sqlite":
            return func.julianday(self._now.day) - func.julianday(last)
        return literal(date.fromisoformat(self._now.day)) - cast(last, Date)

    def _rated(self, node: Rated) -> ColumnElement[bool]:
        since = add_days(self._now.day, 1 - node.days)
        answered = select(reviews.c.card_id).where(
            reviews.c.study_day >= since,
            true() if node.rating is None else reviews.c.rating == node.rating,
            reviews.c.kind == "new" if node.first else true(),
            counts(),
        )
        return card_states.c.card_id.in_(answered)


def _near(name: str, of: Operator, column: ColumnElement[Any], value: float) -> ColumnElement[bool]:
    if of in ("=", "!="):
        half = _HALF_A_STEP[name]
        inside = column.between(value - half, value + half)
        return inside if of == "=" else ~inside
    compared: ColumnElement[bool] = _COMPARE[of](column, value)
    return compared
