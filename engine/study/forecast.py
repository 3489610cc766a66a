"""What comes on which of the next days."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from engine.store.tables import card_states
from engine.study.queue import LEARNING, in_decks, left_today, new_cards
from engine.study.scope import Narrowed
from engine.study.settings import StudySettings
from engine.study.study_day import add_days, day_start_ms
from engine.study.today import Now


@dataclass(frozen=True, slots=True)
class DayAhead:
    """What a study day will bring, within the limits; what one day cannot hold passes to the next.

    Reviews that will follow from answers not yet given are not in it.
    """

    day: str
    new: int
    learning: int
    due: int


def forecast(
    connection: Connection,
    now: Now,
    settings: StudySettings,
    *,
    days: int,
    decks: Narrowed = None,
) -> tuple[DayAhead, ...]:
    """The next `days` study days, the first of them today with what is left of it."""
    last = add_days(now.day, days - 1)
    left = left_today(connection, settings, now.day)
    by_day = (
        select(card_states.c.phase, card_states.c.due_day, func.count())
        .where(card_states.c.phase != "new", card_states.c.due_day <= last, in_decks(decks))
        .group_by(card_states.c.phase, card_states.c.due_day)
    )
    due: dict[str, int] = {}
    learning: dict[str, int] = {}
    for phase, day, number in connection.execute(by_day):
        of = due if phase == "review" else learning
        of[max(day, now.day)] = of.get(max(day, now.day), 0) + number
    new = _up_to(connection, decks, left.new + settings.new_per_day * (days - 1))
    found: list[DayAhead] = []
    waiting = 0
    for ahead in range(days):
        day = add_days(now.day, ahead)
        waiting += due.get(day, 0)
        reviews = min(waiting, left.reviews if ahead == 0 else settings.reviews_per_day)
        fresh = min(new, left.new if ahead == 0 else settings.new_per_day)
        waiting, new = waiting - reviews, new - fresh
        in_time = _timed(connection, now, settings, day, decks)
        found.append(DayAhead(day=day, new=fresh, learning=learning.get(day, 0) + in_time, due=reviews))
    return tuple(found)


def _up_to(connection: Connection, decks: Narrowed, most: int) -> int:
    query = select(func.count()).select_from(new_cards(decks).limit(most).subquery())
    return int(connection.execute(query).scalar_one())


def _timed(connection: Connection, now: Now, settings: StudySettings, day: str, decks: Narrowed) -> int:
    """Learning cards that are due at an instant within a study day (today's include the overdue)."""
    start = 0 if day == now.day else day_start_ms(day, now.zone, settings.rollover_hour)
    end = (
        now.day_ends_ms
        if day == now.day
        else day_start_ms(add_days(day, 1), now.zone, settings.rollover_hour)
    )
    query = select(func.count()).where(
        card_states.c.phase.in_(LEARNING),
        card_states.c.due_day.is_(None),
        card_states.c.due_ms >= start,
        card_states.c.due_ms < end,
        in_decks(decks),
    )
    return int(connection.execute(query).scalar_one())
