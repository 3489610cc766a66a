"""Where a card stands in the learner's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Phase = Literal["new", "learning", "review", "relearning"]


@dataclass(frozen=True, slots=True)
class CardState:
    """The schedule of one card.

    step: index of the (re)learning step, None in review. stability: days until recall falls to 90 %.
    difficulty: 1 to 10. due_day: the study day it is due, where the interval is in whole days; otherwise it
    is due at the instant `due_ms`. interval_minutes: the interval given last. reps: reviews that count.
    lapses: times it was forgotten in review.
    """

    phase: Phase = "new"
    step: int | None = None
    stability: float | None = None
    difficulty: float | None = None
    due_ms: int | None = None
    due_day: str | None = None
    interval_minutes: int | None = None
    last_review_ms: int | None = None
    last_study_day: str | None = None
    reps: int = 0
    lapses: int = 0

    def to_json(self) -> dict[str, Any]:
        """As the log keeps it."""
        return {name: getattr(self, name) for name in FIELDS}  # all plain values: nothing to copy

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> CardState:
        """From a row of `card_states` or a JSON of the log; further keys are passed over."""
        return CardState(**{name: body[name] for name in FIELDS if name in body})


FIELDS = tuple(CardState.__dataclass_fields__)
NEW = CardState()
