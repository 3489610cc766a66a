"""Which cards come now, in which order, and what is left today.

First learning cards that are due, by the time they are due; then reviews and new cards, evenly mixed over
the day; and when nothing else is left, learning cards due within the next minutes. Reviews come by due day,
shuffled within a day; new cards of high priority first, then in the order of
their decks. Limits are counted from the log. Suspended and buried cards don't come, nor does a card on the
day of its sibling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, or_, select

from engine.store.tables import card_states, cards
from engine.study import card_flags, review_log, siblings, today_limits
from engine.study.card_state import CardState
from engine.study.schedule import SchedulerParams, transitions
from engine.study.schedule_plan import schedulers_of
from engine.study.scope import Narrowed, Scope
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
    """The limits of a study day, with what was asked for on top, less what the log says was done in it."""
    done = review_log.done_on(connection, day)
    new, reviewed = done.get("new", 0), done.get("review", 0)
    more = today_limits.on(connection, day)
    return Left(
        new=max(0, settings.new_per_day + more.new - new),
        reviews=max(0, settings.reviews_per_day + more.reviews - reviewed),
        new_done=new,
        reviews_done=reviewed,
    )


def build(
    connection: Connection,
    now: Now,
    settings: StudySettings,
    *,
    size: int,
    decks: Narrowed,
) -> Queue:
    """The queue at an instant; at most `size` items. `decks` narrows it to some decks."""
    left = left_today(connection, settings, now.day)
    families = siblings.any_families(connection)
    due = due_reviews(now.day, decks, with_states=True, apart=families, buried=False)
    fresh = new_cards(decks, with_states=True, day=now.day, apart=families)
    learning = _learning(connection, now, decks)
    at_once = [row for row in learning if _is_due(row, now)]
    soon_ms = now.ms + settings.learn_ahead_minutes * MINUTE_MS
    ahead = [row for row in learning if not _is_due(row, now) and row["due_ms"] <= soon_ms]
    reviews_left = _count(connection, due, left.reviews)
    new_left = _count(connection, fresh, left.new)
    mixed = _mix(
        _rows(connection, due, min(size, reviews_left)),
        _rows(connection, fresh, min(size, new_left)),
        done=(left.reviews_done, left.new_done),
        totals=(left.reviews_done + reviews_left, left.new_done + new_left),
    )
    chosen = [*at_once, *mixed, *ahead][:size]
    if families:
        later = siblings.once(connection, [row["card_id"] for row in chosen])
        chosen = [row for row in chosen if row["card_id"] not in later]
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


def due_reviews(
    day: str,
    decks: Narrowed,
    *,
    with_states: bool = False,
    apart: bool = False,
    buried: bool = True,
) -> Select[Any]:
    """Cards in review that are due on a study day, in their order.

    apart: without those that wait for a sibling. buried: with those that are buried.
    """
    query = (
        select(*(card_states.c if with_states else [card_states.c.card_id]))
        .where(card_states.c.phase == "review", card_states.c.due_day <= day, in_decks(decks))
        .order_by(card_states.c.due_day, card_states.c.shuffle)
    )
    if apart:
        query = query.where(~siblings.apart(card_states.c.card_id, day, new=False))
    return query if buried else query.where(~card_flags.buried(card_states.c.card_id, day))


def new_cards(
    decks: Narrowed, *, with_states: bool = False, day: str | None = None, apart: bool = False
) -> Select[Any]:
    """Cards that were never answered (or only in answers taken back), in the order of their decks.

    day: without those that are buried on a study day; and, where `apart`, those that wait for a sibling.
    """
    query = select(cards.c.id.label("card_id"))
    if with_states:
        query = select(cards.c.id.label("card_id"), card_states.c.version).outerjoin(
            card_states, card_states.c.card_id == cards.c.id
        )
    query = query.where(
        Scope.of(decks).holds(), cards.c.started.is_(False), ~card_flags.suspended(cards.c.id)
    )
    if day is not None:
        query = query.where(~card_flags.buried(cards.c.id, day))
        if apart:
            query = query.where(~siblings.apart(cards.c.id, day, new=True))
    return query.order_by(cards.c.position)


def in_decks(decks: Narrowed) -> ColumnElement[bool]:
    """The condition on `card_states` that a deck (one of `decks`) holds the card now, not suspended."""
    held = exists().where(cards.c.id == card_states.c.card_id, Scope.of(decks).holds())
    return and_(held, ~card_flags.suspended(card_states.c.card_id))


def next_due_ms(
    connection: Connection, now: Now, settings: StudySettings, left: Left, decks: Narrowed
) -> int | None:
    """The next instant at which a card comes, for a queue that is empty now; None where none ever will."""
    moments: list[int] = []
    tomorrow_ms = day_start_ms(add_days(now.day, 1), now.zone, settings.rollover_hour)
    timed = select(func.min(card_states.c.due_ms)).where(
        card_states.c.phase.in_(LEARNING),
        card_states.c.due_day.is_(None),
        in_decks(decks),
        ~card_flags.buried(card_states.c.card_id, now.day),
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
    # what is left of today waits for tomorrow: it is beyond the limits, buried, or a sibling's day
    held_back: list[Select[Any]] = [
        select(card_states.c.card_id).where(
            card_states.c.phase.in_(LEARNING),
            in_decks(decks),
            card_flags.buried(card_states.c.card_id, now.day),
        )
    ]
    if settings.reviews_per_day:
        held_back.append(due_reviews(now.day, decks))
    if settings.new_per_day:
        held_back.append(new_cards(decks))
    if any(connection.execute(query.limit(1)).first() is not None for query in held_back):
        moments.append(tomorrow_ms)
    return max(now.ms, min(moments)) if moments else None


def _learning(connection: Connection, now: Now, decks: Narrowed) -> list[dict[str, Any]]:
    """Cards in (re)learning that come up before the study day ends, by the time they are due."""
    today = or_(
        and_(card_states.c.due_day.is_(None), card_states.c.due_ms < now.day_ends_ms),
        card_states.c.due_day <= now.day,
    )
    query = (
        select(card_states)
        .where(
            card_states.c.phase.in_(LEARNING),
            today,
            in_decks(decks),
            ~card_flags.buried(card_states.c.card_id, now.day),
        )
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
