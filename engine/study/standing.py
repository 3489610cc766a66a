"""Where all cards stand now: how strong, how hard, and on which days they come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, select

from engine.store.tables import card_states
from engine.study.queue import LEARNING, in_decks, new_cards
from engine.study.scope import Narrowed
from engine.study.statistics import MATURE_DAYS, day_number
from engine.study.study_day import DAY_MINUTES

STABILITY_EDGES = (0, 1, 3, 7, 14, 30, 60, 120, 240, 480)
"""Days at which the bins of stability begin; the last has no end."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The cards that decks hold, one value each in the arrays (of cards that were answered).

    card_ids, stability (days), difficulty (1 to 10), due: days from today on, below 0 for overdue.
    in_review: by phase; a card in learning that is due at an instant counts as due today.
    """

    card_ids: tuple[str, ...]
    stability: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    due: NDArray[np.int64]
    since: NDArray[np.int64]
    """Study days since the last answer."""
    in_review: NDArray[np.bool_]
    mature: NDArray[np.bool_]
    new: int
    """Cards that were never answered."""

    def __len__(self) -> int:
        return len(self.card_ids)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cards are in which state."""

    new: int
    learning: int
    young: int
    mature: int


def standing(connection: Connection, today: str, decks: Narrowed = None) -> Standing:
    """All cards (of `decks`, a scope) as they stand on the study day `today`; suspended ones stay out."""
    of = card_states.c
    # by day where there is one; an instant comes today or, rarely, on a later day of its own
    due_day = case((of.due_day.is_not(None), of.due_day), else_=today)
    query = select(
        of.card_id, of.stability, of.difficulty, due_day, of.last_study_day, of.phase, of.interval_minutes
    ).where(of.phase != "new", in_decks(decks))
    cursor = connection.execute(query).cursor  # the driver's own: no value needs to be made into another
    rows = cursor.fetchall() if cursor is not None else []
    fresh = select(func.count()).select_from(new_cards(decks).subquery())
    new = int(connection.execute(fresh).scalar_one())
    ids, stability, difficulty, due, last, phase, interval = zip(*rows, strict=True) if rows else ((),) * 7
    return Standing(
        card_ids=tuple(ids),
        stability=np.array(stability, np.float64),
        difficulty=np.array(difficulty, np.float64),
        due=_days(due) - day_number(today),
        since=day_number(today) - _days(last),
        in_review=np.array([each not in LEARNING for each in phase], bool),
        mature=np.array([(each or 0) >= MATURE_DAYS * DAY_MINUTES for each in interval], bool),
        new=new,
    )


def counts(of: Standing) -> Counts:
    """How many cards are new, in learning, young and mature."""
    mature = int((of.in_review & of.mature).sum())
    learning = int((~of.in_review).sum())
    return Counts(new=of.new, learning=learning, young=len(of) - learning - mature, mature=mature)


def due_ahead(of: Standing, days: int) -> tuple[int, tuple[int, ...]]:
    """Overdue cards, and the cards due on today and each day after it (`days` of them)."""
    here = of.due[(of.due >= 0) & (of.due < days)]
    return int((of.due < 0).sum()), tuple(np.bincount(here, minlength=days).tolist())


def stabilities(of: Standing) -> tuple[int, ...]:
    """Cards in each bin of STABILITY_EDGES."""
    place = np.digitize(of.stability, STABILITY_EDGES) - 1
    return tuple(np.bincount(place, minlength=len(STABILITY_EDGES)).tolist())


def difficulties(of: Standing) -> tuple[int, ...]:
    """Cards of difficulty 1 to 10, rounded."""
    place = np.clip(np.rint(of.difficulty).astype(np.int64), 1, 10) - 1
    return tuple(np.bincount(place, minlength=10).tolist())


def _days(days: tuple[str, ...]) -> NDArray[np.int64]:
    return np.array(days, "datetime64[D]").astype(np.int64)
