"""How an answer is ticked, point by point and figure by figure, and the band that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

PointTick = Literal["covered", "partly", "missed"]
FigureTick = Literal["right", "wrong", "missing"]
Band = Literal["strong", "solid", "patchy", "weak"]
Kind = Literal["point", "figure", "follow_up"]

POINT_TICKS: tuple[PointTick, ...] = ("covered", "partly", "missed")
FIGURE_TICKS: tuple[FigureTick, ...] = ("right", "wrong", "missing")
BANDS: tuple[Band, ...] = ("strong", "solid", "patchy", "weak")

_WORTH = {"covered": 1.0, "right": 1.0, "partly": 0.5, "missed": 0.0, "wrong": 0.0, "missing": 0.0}

POINTS_SHARE = 0.7
"""Of the score, the part that the points make where the card has key figures too."""

STRONG_FROM, SOLID_FROM, PATCHY_FROM = 0.85, 0.6, 0.35

QUICK_SHARE = 0.75
"""A strong answer in at most this share of its time suggests `easy`."""

RATING_OF: dict[Band, int] = {"weak": 1, "patchy": 2, "solid": 3, "strong": 3}


@dataclass(frozen=True, slots=True)
class Mark:
    """One tick. tick: None where nobody has said. by_learner: not the suggestion, which stays off it then.

    found: what of the answer the suggestion rests on.
    """

    tick: str | None = None
    by_learner: bool = False
    found: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The ticks of an answer, in the order of the card's points and key figures."""

    points: tuple[Mark, ...] = ()
    figures: tuple[Mark, ...] = ()
    follow_up: Mark = Mark()

    def to_json(self) -> dict[str, Any]:
        """As the store keeps it."""
        return {
            "points": [_mark_to_json(mark) for mark in self.points],
            "figures": [_mark_to_json(mark) for mark in self.figures],
            "follow_up": _mark_to_json(self.follow_up),
        }

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Marks:
        """From what the store kept."""
        return Marks(
            points=tuple(_mark(each, POINT_TICKS) for each in body.get("points", ())),
            figures=tuple(_mark(each, FIGURE_TICKS) for each in body.get("figures", ())),
            follow_up=_mark(body.get("follow_up", {}), POINT_TICKS),
        )

    def ticked(self, kind: Kind, index: int, tick: str) -> Marks:
        """With one tick of the learner's. Raises ValueError for a tick or an index that there isn't."""
        allowed: tuple[str, ...] = FIGURE_TICKS if kind == "figure" else POINT_TICKS
        if tick not in allowed:
            raise ValueError(f"{tick!r} is none of {', '.join(allowed)}")
        if kind == "follow_up":
            return replace(self, follow_up=replace(self.follow_up, tick=tick, by_learner=True))
        marks = self.points if kind == "point" else self.figures
        if not 0 <= index < len(marks):
            raise ValueError(f"there is no {kind} {index}")
        changed = tuple(
            replace(mark, tick=tick, by_learner=True) if place == index else mark
            for place, mark in enumerate(marks)
        )
        return replace(self, points=changed) if kind == "point" else replace(self, figures=changed)

    def suggested(self, suggestion: Marks) -> Marks:
        """With what is suggested now wherever the learner has not ticked."""
        return Marks(
            points=_merged(self.points, suggestion.points),
            figures=_merged(self.figures, suggestion.figures),
            follow_up=suggestion.follow_up if not self.follow_up.by_learner else self.follow_up,
        )

    @property
    def score(self) -> float | None:
        """0 to 1; None while a point is not ticked; figures without a tick don't count."""
        if not self.points or any(mark.tick is None for mark in self.points):
            return None
        points = _mean(self.points)
        figures = tuple(mark for mark in self.figures if mark.tick is not None)
        return points if not figures else POINTS_SHARE * points + (1 - POINTS_SHARE) * _mean(figures)

    @property
    def band(self) -> Band | None:
        """From strong to weak; a wrong figure keeps an answer from being strong. None without a score."""
        score = self.score
        if score is None:
            return None
        if score >= STRONG_FROM and not any(mark.tick == "wrong" for mark in self.figures):
            return "strong"
        if score >= SOLID_FROM:
            return "solid"
        return "patchy" if score >= PATCHY_FROM else "weak"

    def count(self, kind: Literal["point", "figure"], tick: str) -> int:
        return sum(mark.tick == tick for mark in (self.points if kind == "point" else self.figures))


def suggested_rating(band: Band, *, used_share: float, hints: int) -> int:
    """The rating for spaced repetition: 1 weak, 2 patchy, 3 solid and strong; 4 for a strong and quick one.

    used_share: time used by time allowed. An answer that took hints gets no more than 2.
    """
    if hints:
        return min(RATING_OF[band], 2)
    if band == "strong" and used_share <= QUICK_SHARE:
        return 4
    return RATING_OF[band]


def _mark_to_json(mark: Mark) -> dict[str, Any]:
    return {"tick": mark.tick, "by_learner": mark.by_learner, "found": mark.found}


def _mark(body: Mapping[str, Any], allowed: tuple[str, ...]) -> Mark:
    tick = body.get("tick")
    return Mark(
        tick=tick if tick in allowed else None,
        by_learner=bool(body.get("by_learner", False)),
        found=str(body.get("found", "")),
    )


def _merged(kept: tuple[Mark, ...], suggested: tuple[Mark, ...]) -> tuple[Mark, ...]:
    held = (*kept, *suggested[len(kept) :])[: len(suggested)]
    return tuple(
        mark if mark.by_learner else proposal for mark, proposal in zip(held, suggested, strict=True)
    )


def _mean(marks: tuple[Mark, ...]) -> float:
    return sum(_WORTH.get(mark.tick or "", 0.0) for mark in marks) / len(marks)
