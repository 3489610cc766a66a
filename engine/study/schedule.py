"""What each of the four ratings leads to: FSRS-6 (`fsrs` 6.3.2), on study days.

FSRS counts elapsed time in floors of 24 hours. We hand it midnights named after study days, so that its days
are the learner's: 0 within one study day, 1 overnight, whatever the hours were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

import fsrs
from fsrs.scheduler import DEFAULT_PARAMETERS

from engine.study.card_state import CardState, Phase
from engine.study.fuzz import SHORTEST, fuzzed, place, round_half_up
from engine.study.study_day import DAY_MINUTES, MINUTE_MS, add_days

RATINGS = (1, 2, 3, 4)
"""again, hard, good, easy"""

LONGEST_DAYS = 36500

EVERY_DAY = (100,) * 7
"""No easy days: every weekday takes its full share."""


@dataclass(frozen=True, slots=True)
class SchedulerParams:
    """All that a schedule depends on besides the card's state. Steps are in minutes.

    easy_days: the percent of its usual cards that a day takes, Monday to Sunday.
    """

    desired_retention: float = 0.9
    learning_steps: tuple[int, ...] = (1, 10)
    relearning_steps: tuple[int, ...] = (10,)
    maximum_days: int = LONGEST_DAYS
    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    easy_days: tuple[int, ...] = EVERY_DAY

    @property
    def fingerprint(self) -> str:
        """Equal for equal parameters, in every process."""
        return _fingerprint(self)

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        body: dict[str, Any] = {
            "fsrs": 6,
            "desired_retention": self.desired_retention,
            "learning_steps": list(self.learning_steps),
            "relearning_steps": list(self.relearning_steps),
            "maximum_days": self.maximum_days,
            "parameters": list(self.parameters),
        }
        if self.easy_days != EVERY_DAY:  # without them a scheduler keeps the fingerprint it always had
            body["easy_days"] = list(self.easy_days)
        return body

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> SchedulerParams:
        """The parameters that `to_json` wrote."""
        return SchedulerParams(
            desired_retention=float(body["desired_retention"]),
            learning_steps=tuple(body["learning_steps"]),
            relearning_steps=tuple(body["relearning_steps"]),
            maximum_days=int(body["maximum_days"]),
            parameters=tuple(body["parameters"]),
            easy_days=tuple(body.get("easy_days", EVERY_DAY)),
        )


@dataclass(frozen=True, slots=True)
class Transition:
    """What a rating leads to. `minutes` is the interval; `days` is set where it is whole study days."""

    rating: int
    minutes: int
    days: int | None
    phase: Phase
    step: int | None
    stability: float | None
    difficulty: float | None


@lru_cache(maxsize=8192)  # a queue is asked for after each answer, and most of its cards are the same
def transitions(
    card_id: str, state: CardState, shown_day: str, params: SchedulerParams
) -> tuple[Transition, Transition, Transition, Transition]:
    """What again, hard, good and easy lead to for a card shown on the study day `shown_day`.

    A pure function: the same arguments give the same outcomes in every process.
    """
    shortest = 0
    found = []
    for rating in RATINGS:
        transition = _transition(card_id, state, rating, shown_day, params)
        if transition.minutes < shortest:  # a better rating never comes back sooner
            minutes = shortest if transition.days is None else -(-shortest // DAY_MINUTES) * DAY_MINUTES
            transition = replace(transition, minutes=minutes, days=_whole_days(minutes))
        shortest = transition.minutes
        found.append(transition)
    again, hard, good, easy = found
    return again, hard, good, easy


def after(state: CardState, transition: Transition, *, reviewed_at_ms: int, study_day: str) -> CardState:
    """The state of a card whose transition was chosen at an instant of a study day."""
    return CardState(
        phase=transition.phase,
        step=transition.step,
        stability=transition.stability,
        difficulty=transition.difficulty,
        due_ms=reviewed_at_ms + transition.minutes * MINUTE_MS,
        due_day=None if transition.days is None else add_days(study_day, transition.days),
        interval_minutes=transition.minutes,
        last_review_ms=reviewed_at_ms,
        last_study_day=study_day,
        reps=state.reps + 1,
        lapses=state.lapses + (state.phase == "review" and transition.rating == 1),
    )


def retrievability(state: CardState, day: str, params: SchedulerParams) -> float:
    """The probability, by FSRS, that the card is recalled on the study day `day`; 0 for a new card."""
    return _scheduler(params).get_card_retrievability(_card(state, day), _midnight(day))


_PHASE_OF: dict[fsrs.State, Phase] = {
    fsrs.State.Learning: "learning",
    fsrs.State.Review: "review",
    fsrs.State.Relearning: "relearning",
}
_STATE_OF: dict[Phase, fsrs.State] = {
    "new": fsrs.State.Learning,
    "learning": fsrs.State.Learning,
    "review": fsrs.State.Review,
    "relearning": fsrs.State.Relearning,
}


def _transition(
    card_id: str, state: CardState, rating: int, shown_day: str, params: SchedulerParams
) -> Transition:
    now = _midnight(max(shown_day, state.last_study_day or shown_day))
    card, _ = _scheduler(params).review_card(_card(state, shown_day), fsrs.Rating(rating), now)
    interval = card.due - now
    minutes = max(1, round_half_up(interval / timedelta(minutes=1)))
    if card.state is fsrs.State.Review:
        days = _spread(card_id, state, rating, interval.days, shown_day, params)
        minutes = days * DAY_MINUTES
    return Transition(
        rating=rating,
        minutes=minutes,
        days=_whole_days(minutes),
        phase=_PHASE_OF[card.state],
        step=card.step,
        stability=card.stability,
        difficulty=card.difficulty,
    )


def _whole_days(minutes: int) -> int | None:
    return minutes // DAY_MINUTES if minutes % DAY_MINUTES == 0 else None


def _spread(
    card_id: str, state: CardState, rating: int, days: int, shown_day: str, params: SchedulerParams
) -> int:
    """The interval after fuzz. An interval that grew is not fuzzed back to the last one or below it."""
    last = (state.interval_minutes or 0) // DAY_MINUTES if state.phase == "review" else 0
    least = last + 1 if rating > 1 and SHORTEST <= last < days else 1
    at = place(card_id, state.reps)
    if params.easy_days == EVERY_DAY:
        return fuzzed(days, at, least=least, most=params.maximum_days)
    weekday = date.fromisoformat(shown_day).weekday()

    def share(of: int) -> int:
        return params.easy_days[(weekday + of) % 7]

    return fuzzed(days, at, least=least, most=params.maximum_days, share=share)


def _card(state: CardState, day: str) -> fsrs.Card:
    return fsrs.Card(
        card_id=1,  # without an id it sleeps a millisecond
        state=_STATE_OF[state.phase],
        step=state.step,
        stability=state.stability,
        difficulty=state.difficulty,
        due=_midnight(day),
        last_review=_midnight(state.last_study_day) if state.last_study_day else None,
    )


def _midnight(day: str) -> datetime:
    of = date.fromisoformat(day)
    return datetime(of.year, of.month, of.day, tzinfo=UTC)


@lru_cache(maxsize=32)
def _scheduler(params: SchedulerParams) -> fsrs.Scheduler:
    return fsrs.Scheduler(
        parameters=params.parameters,
        desired_retention=params.desired_retention,
        learning_steps=[timedelta(minutes=step) for step in params.learning_steps],
        relearning_steps=[timedelta(minutes=step) for step in params.relearning_steps],
        maximum_interval=params.maximum_days,
        enable_fuzzing=False,
    )


@lru_cache(maxsize=32)
def _fingerprint(params: SchedulerParams) -> str:
    return hashlib.sha256(json.dumps(params.to_json(), sort_keys=True).encode()).hexdigest()[:16]
