"""More cards today than the settings say, or fewer, for one study day only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from engine.store import Store
from engine.store.tables import settings as table
from engine.study.faults import StudyError
from engine.study.settings import load_in
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner

KEY = "today.more"
MOST = 9999


class TodayRefused(StudyError):
    """A number that can't be kept."""


@dataclass(frozen=True, slots=True)
class More:
    """Cards on top of the limits of a study day; below 0, so many fewer."""

    new: int = 0
    reviews: int = 0


def on(connection: Connection, day: str) -> More:
    """What was asked for on top on a study day."""
    kept = connection.execute(select(table.c.value).where(table.c.key == KEY)).scalar_one_or_none()
    if not isinstance(kept, dict) or kept.get("day") != day:
        return More()
    return More(new=int(kept["new"]), reviews=int(kept["reviews"]))


def load(store: Store, *, now: datetime, zone: str) -> More:
    """What was asked for on top on the learner's day of `now`. Raises UnknownZone."""
    with store.read() as connection:
        return on(connection, _day(connection, now, zone))


def save(store: Store, more: More, *, now: datetime, zone: str) -> More:
    """Keeps what comes on top today; with the next study day it is forgotten.

    Raises TodayRefused where a number is below -9999 or above 9999, UnknownZone, StoreError.
    """
    for number in (more.new, more.reviews):
        if not -MOST <= number <= MOST:
            raise TodayRefused(f"{number} cards more today: it must be a whole number from {-MOST} to {MOST}")
    with store.begin() as connection:
        row = {"day": _day(connection, now, zone), "new": more.new, "reviews": more.reviews}
        connection.execute(delete(table).where(table.c.key == KEY))
        connection.execute(insert(table), {"key": KEY, "value": row})
    return more


def _day(connection: Connection, now: datetime, zone: str) -> str:
    return now_for_learner(connection, to_ms(now), zone, load_in(connection).rollover_hour).day
