"""How a mock interview is set up: how many questions, of which cards, how long, and how strict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

Mode = Literal["practice", "real"]

RANGES: dict[str, tuple[int, int]] = {
    "questions": (1, 50),
    "seconds": (5, 600),
    "thinking": (0, 300),
    "follow_up_seconds": (5, 300),
    "predict_seconds": (5, 120),
}
"""Lowest and highest value of each number, both allowed; all but `questions` are seconds."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What the learner chose.

    mode: `practice` may pause, shows hints, and reviews each answer at once; `real` has no pause and no
    hints, and reviews all answers at the end. decks, languages, topics: what to draw from; empty means all.
    seconds: for an answer. thinking: seconds before it begins. live: ask for a number that a lab measures.
    due, weak, priority, never_asked: which cards are to come more often.
    """

    mode: Mode = "practice"
    questions: int = 5
    decks: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    seconds: int = 60
    thinking: int = 10
    follow_ups: bool = True
    follow_up_seconds: int = 30
    live: bool = True
    predict_seconds: int = 30
    due: bool = True
    weak: bool = True
    priority: bool = True
    never_asked: bool = True

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in _items(self)}

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Setup:
        """From what the store kept or a form gave. What is missing or not allowed has its default."""
        good = {name: value for name, value in body.items() if name in _NAMES and _is_allowed(name, value)}
        return Setup(**{name: tuple(value) if name in _LISTS else value for name, value in good.items()})  # type: ignore[arg-type]  # each was checked under its name


QUICK = Setup(mode="real", questions=5, seconds=60, thinking=0, follow_ups=False, live=False)
"""Five questions, five minutes."""

_LISTS = ("decks", "languages", "topics")
_NAMES = frozenset(field.name for field in fields(Setup))


def _items(setup: Setup) -> list[tuple[str, Any]]:
    return list(asdict(setup).items())


def _is_allowed(name: str, value: object) -> bool:
    if name in RANGES:
        low, high = RANGES[name]
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    if name in _LISTS:
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if name == "mode":
        return value in ("practice", "real")
    return isinstance(value, bool)
