"""Which cards come now, in which order, and what is left today.

First learning cards that are due, by the time they are due; then reviews and new cards, evenly mixed over
the day; and when nothing else is left, learning cards due within the next minutes. Reviews come by due day,
shuffled within a day; new cards of high priority first, then in the order of
their decks. Limits are counted from the log.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select

from engine.store.tables import card_states, cards
from engine.study import review_log
from engine.study.card_state import CardState
from engine.study.schedule import SchedulerParams, transitions
from engine.study.schedule_plan import schedulers_of
from engine.study.settings import StudySettings
from engine.study.study_day import MINUTE_MS, add_days, day_start_ms
from engine.study.today import Now

LEARNING = ("learning", "relearning")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a button leads to: the interval in minutes (whole days are multiples of 1440)."""

    rating: int
    minutes: int
    due_ms: int


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A card to show. `version`, `shown_at_ms`, `shown_day` and `scheduler` go back with the answer."""

    card_id: str
    version: int
    phase: Literal["new", "learning", "review"]
    outcomes: tuple[Outcome, Outcome, Outcome, Outcome]
    shown_at_ms: int
    shown_day: str
    scheduler: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Cards left today: new and due within their limits, learning until the day ends."""

    new: int
    learning: int
    due: int


@dataclass(frozen=True, slots=True)
class Queue:
    """The cards that come next. `next_due_ms` says when the next ones come where there are none now.

    clock_warning: `clock_set_back` where the clock stands before the last answer (`last_answer_ms`); the
    time of that answer then counts as now.
    """

    items: tuple[QueueItem, ...]
    counts: Counts
    next_due_ms: int | None
    clock_warning: str | None
    study_day: str
    last_answer_ms: int | None


@dataclass(frozen=True, slots=True)
class Left:
    """What of today's limits is left, and how much was done."""

    new: int
    reviews: int
    new_done: int
    reviews_done: int


def left_today(connection: Connection, settings: StudySettings, day: str) -> Left:
    """The limits of a study day less what the log says was done in it."""
    done = review_log.done_on(connection, day)
    new, reviewed = done.get("new", 0), done.get("review", 0)
    return Left(
        new=max(0, settings.new_per_day - new),
        reviews=max(0, settings.reviews_per_day - reviewed),
        new_done=new,
        reviews_done=reviewed,
    )


def build(
    connection: Connection,
    now: Now,
    settings: StudySettings,
    *,
    size: int,
    decks: Collection[str] | None,
) -> Queue:
    """The queue at an instant; at most `size` items. `decks` narrows it to some decks."""
    left = left_today(connection, settings, now.day)
    learning = _learning(connection, now, decks)
    at_once = [row for row in learning if _is_due(row, now)]
    soon_ms = now.ms + settings.learn_ahead_minutes * MINUTE_MS
    ahead = [row for row in learning if not _is_due(row, now) and row["due_ms"] <= soon_ms]
    reviews_left = _count(connection, due_reviews(now.day, decks), left.reviews)
    new_left = _count(connection, new_cards(decks), left.new)
    mixed = _mix(
        _rows(connection, due_reviews(now.day, decks, with_states=True), min(size, reviews_left)),
        _rows(connection, new_cards(decks, with_states=True), min(size, new_left)),
        done=(left.reviews_done, left.new_done),
        totals=(left.reviews_done + reviews_left, left.new_done + new_left),
    )
    chosen = [*at_once, *mixed, *ahead][:size]
    params = schedulers_of(connection, settings.scheduler, [row["card_id"] for row in chosen])
    return Queue(
        items=tuple(_item(row, now, params[row["card_id"]]) for row in chosen),
        counts=Counts(new=new_left, learning=len(learning), due=reviews_left),
        next_due_ms=None if chosen else next_due_ms(connection, now, settings, left, decks),
        clock_warning="clock_set_back" if now.set_back else None,
        study_day=now.day,
        last_answer_ms=now.last_answer_ms,
    )


def item_of(connection: Connection, card_id: str, now: Now, settings: StudySettings) -> QueueItem:
    """One card as the queue would show it, whether or not it comes now."""
    query = select(card_states).where(card_states.c.card_id == card_id)
    row = connection.execute(query).mappings().first()
    params = schedulers_of(connection, settings.scheduler, [card_id])[card_id]
    return _item({"card_id": card_id} if row is None else dict(row), now, params)


def due_reviews(day: str, decks: Collection[str] | None, *, with_states: bool = False) -> Select[Any]:
    """Cards in review that are due on a study day, in their order."""
    return (
        select(*(card_states.c if with_states else [card_states.c.card_id]))
        .where(card_states.c.phase == "review", card_states.c.due_day <= day, in_decks(decks))
        .order_by(card_states.c.due_day, card_states.c.shuffle)
    )


def new_cards(decks: Collection[str] | None, *, with_states: bool = False) -> Select[Any]:
    """Cards that were never answered (or only in answers taken back), in the order of their decks."""
    query = select(cards.c.id.label("card_id"))
    if with_states:
        query = select(cards.c.id.label("card_id"), card_states.c.version).outerjoin(
            card_states, card_states.c.card_id == cards.c.id
        )
    query = query.where(cards.c.present.is_(True), cards.c.started.is_(False))
    if decks is not None:
        query = query.where(cards.c.deck.in_(decks))
    return query.order_by(cards.c.position)


def in_decks(decks: Collection[str] | None) -> ColumnElement[bool]:
    """The condition on `card_states` that a deck (one of `decks`) holds the card now."""
    held = exists().where(cards.c.id == card_states.c.card_id, cards.c.present.is_(True))
    return held if decks is None else held.where(cards.c.deck.in_(decks))


def next_due_ms(
    connection: Connection, now: Now, settings: StudySettings, left: Left, decks: Collection[str] | None
) -> int | None:
    """The next instant at which a card comes, for a queue that is empty now; None where none ever will."""
    moments: list[int] = []
    timed = select(func.min(card_states.c.due_ms)).where(
        card_states.c.phase.in_(LEARNING), card_states.c.due_day.is_(None), in_decks(decks)
    )
    in_time = connection.execute(timed).scalar_one()
    if in_time is not None:
        moments.append(in_time - settings.learn_ahead_minutes * MINUTE_MS)
    for phase in ("learning", "relearning", *(["review"] if settings.reviews_per_day else [])):
        later = select(func.min(card_states.c.due_day)).where(
            card_states.c.phase == phase, card_states.c.due_day > now.day, in_decks(decks)
        )
        day = connection.execute(later).scalar_one()
        if day is not None:
            moments.append(day_start_ms(day, now.zone, settings.rollover_hour))
    held_back = []
    if settings.reviews_per_day and left.reviews == 0:
        held_back.append(due_reviews(now.day, decks))
    if settings.new_per_day and left.new == 0:
        held_back.append(new_cards(decks))
    if any(connection.execute(query.limit(1)).first() is not None for query in held_back):
        moments.append(day_start_ms(add_days(now.day, 1), now.zone, settings.rollover_hour))
    return max(now.ms, min(moments)) if moments else None


def _learning(connection: Connection, now: Now, decks: Collection[str] | None) -> list[dict[str, Any]]:
    """Cards in (re)learning that come up before the study day ends, by the time they are due."""
    today = or_(
        and_(card_states.c.due_day.is_(None), card_states.c.due_ms < now.day_ends_ms),
        card_states.c.due_day <= now.day,
    )
    query = (
        select(card_states)
        .where(card_states.c.phase.in_(LEARNING), today, in_decks(decks))
        .order_by(card_states.c.due_ms, card_states.c.card_id)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _is_due(row: dict[str, Any], now: Now) -> bool:
    return bool(row["due_day"] is not None or row["due_ms"] <= now.ms)


def _count(connection: Connection, query: Select[Any], most: int) -> int:
    """How many rows there are, counted no further than `most`."""
    if most == 0:
        return 0
    return int(
        connection.execute(select(func.count()).select_from(query.limit(most).subquery())).scalar_one()
    )


def _rows(connection: Connection, query: Select[Any], most: int) -> list[dict[str, Any]]:
    if most == 0:
        return []
    return [dict(row) for row in connection.execute(query.limit(most)).mappings()]


def _mix(
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    *,
    done: tuple[int, int],
    totals: tuple[int, int],
) -> list[dict[str, Any]]:
    """Both lists spread evenly over the whole day, what was done in it included.

    The place of a card depends on the day's totals, so the order stays as it is while cards are answered.
    """
    placed = [
        ((done[which] + index + 0.5) / totals[which], which, row)
        for which, rows in enumerate((first, second))
        for index, row in enumerate(rows)
    ]
    return [row for _, _, row in sorted(placed, key=lambda entry: entry[:2])]


def _item(row: dict[str, Any], now: Now, params: SchedulerParams) -> QueueItem:
    state = CardState.from_json(row)
    again, hard, good, easy = (
        Outcome(rating=way.rating, minutes=way.minutes, due_ms=now.ms + way.minutes * MINUTE_MS)
        for way in transitions(row["card_id"], state, now.day, params)
    )
    return QueueItem(
        card_id=row["card_id"],
        version=row.get("version") or 0,
        phase="learning" if state.phase == "relearning" else state.phase,
        outcomes=(again, hard, good, easy),
        shown_at_ms=now.ms,
        shown_day=now.day,
        scheduler=params.fingerprint,
    )
