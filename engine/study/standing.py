"""Where all cards stand now: how strong, how hard, and on which days they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, select

from engine.store.change_tables import card_flags
from engine.store.joined import Column, joined
from engine.store.tables import card_states, cards
from engine.study.numbering import day_numbers
from engine.study.queue import LEARNING, new_cards
from engine.study.scope import Narrowed, Scope
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
    query = select(
        of.card_id,
        func.coalesce(of.stability, 0.0),
        func.coalesce(of.difficulty, 0.0),
        # by day where there is one; an instant comes today or, rarely, on a later day of its own
        func.coalesce(of.due_day, today),
        of.last_study_day,
        case((of.phase.in_(LEARNING), 0), else_=1),
        func.coalesce(of.interval_minutes, 0),
    ).where(of.phase != "new", of.last_study_day.is_not(None))
    found = joined(connection, query) or [Column()] * len(query.selected_columns)
    ids = found[0].texts()
    here = _comes(connection, ids, decks)
    stability, difficulty, in_review, interval = (found[of].numbers()[here] for of in (1, 2, 5, 6))
    due, last = (
        np.fromiter(map(day_numbers.__getitem__, found[of].texts()), np.int64, len(ids))[here]
        for of in (3, 4)
    )
    return Standing(
        card_ids=tuple(compress(ids, here.tolist())),
        stability=stability,
        difficulty=difficulty,
        due=due - day_number(today),
        since=day_number(today) - last,
        in_review=in_review > 0,
        mature=interval >= MATURE_DAYS * DAY_MINUTES,
        new=_new(connection, decks),
    )


def _comes(connection: Connection, card_ids: Sequence[str], decks: Narrowed) -> NDArray[np.bool_]:
    """Which of the cards a deck (one of `decks`) holds now, not suspended.

    Asked of the database card by card, as `queue.in_decks` does for a few, it would take most of the time.
    """
    held = joined(connection, select(cards.c.id).where(Scope.of(decks).holds()))
    suspended = joined(connection, select(card_flags.c.card_id).where(card_flags.c.suspended.is_(True)))
    comes = set(held[0].texts() if held is not None else ())
    comes.difference_update(suspended[0].texts() if suspended is not None else ())
    return np.fromiter(map(comes.__contains__, card_ids), bool, len(card_ids))


def _new(connection: Connection, decks: Narrowed) -> int:
    fresh = select(func.count()).select_from(new_cards(decks).subquery())
    return int(connection.execute(fresh).scalar_one())


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
