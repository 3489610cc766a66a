"""A card put on another day without being answered: what the change says, and the state that follows.

The change holds the outcome (day, memory), not how it was worked out: replaying the log needs neither the
parameters nor the answers that it came from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from engine.study.card_state import CardState
from engine.study.change_log import Change
from engine.study.study_day import DAY_MINUTES, MINUTE_MS, days_between

LARGEST_STABILITY = 1e6
"""Days; as an import takes it of an answer."""

_FIELDS = {"after", "difficulty", "due", "stability"}


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a card in review is put. after_ms: the answer that this was worked out from (UTC ms).

    due_day: a study day after that answer's. stability: days. difficulty: 1 to 10.
    """

    after_ms: int
    due_day: str
    stability: float
    difficulty: float

    def value(self) -> str:
        """As the log of changes keeps it: JSON of at most 128 characters."""
        body = {
            "after": self.after_ms,
            "difficulty": self.difficulty,
            "due": self.due_day,
            "stability": self.stability,
        }
        return json.dumps(body, separators=(",", ":"))

    @staticmethod
    def read(value: str | None) -> Placed:
        """From the log of changes, or from a file. Raises ValueError where it can't be."""
        body = json.loads(value or "")
        if not isinstance(body, dict) or body.keys() != _FIELDS:
            raise ValueError(f"a card is placed by {', '.join(sorted(_FIELDS))}")
        after, due, stability, difficulty = (
            body[name] for name in ("after", "due", "stability", "difficulty")
        )
        numbers = all(
            isinstance(each, int | float) and not isinstance(each, bool) for each in (stability, difficulty)
        )
        if not isinstance(after, int) or isinstance(after, bool) or not isinstance(due, str) or not numbers:
            raise ValueError("a card is placed by an instant, a day and two numbers")
        if date.fromisoformat(due).isoformat() != due:
            raise ValueError(f"{due} is no day")
        if not (0 < stability <= LARGEST_STABILITY and 1 <= difficulty <= 10):
            raise ValueError("stability or difficulty can't be")
        return Placed(after, due, float(stability), float(difficulty))

    def of(self, state: CardState) -> CardState:
        """The state of the card placed so; `state` itself where the card has moved on since."""
        if state.phase != "review" or state.last_review_ms != self.after_ms or state.last_study_day is None:
            return state
        days = days_between(state.last_study_day, self.due_day)
        if days < 1:
            return state
        return replace(
            state,
            stability=self.stability,
            difficulty=self.difficulty,
            due_day=self.due_day,
            due_ms=self.after_ms + days * DAY_MINUTES * MINUTE_MS,
            interval_minutes=days * DAY_MINUTES,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """What happened to a card's schedule without an answer. placed: None: it was made new again."""

    at_ms: int
    placed: Placed | None = None


def steps_of(changes: Iterable[Change]) -> list[Step]:
    """The steps that a card's changes of its schedule are, those taken back left out."""
    return [
        Step(change.at_ms, None if change.kind == "reset" else Placed.read(change.value))
        for change in changes
        if not change.undone
    ]
