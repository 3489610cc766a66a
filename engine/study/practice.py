"""Answering outside the schedule: cramming cards, or looking at those of the next days, ahead of time.

Nothing of it changes when a card is due. Every answer is kept in a log of its own. A sitting has a name (it
stands in the page's address): a reload, another tab or a restart goes on where it was.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, exists, insert, select

from engine.store import Store
from engine.store.change_tables import practice_answers
from engine.store.tables import card_states, cards
from engine.study import card_flags
from engine.study.refused import LONGEST_NONCE, Refused
from engine.study.schedule import RATINGS
from engine.study.scope import Scope
from engine.study.settings import load_in
from engine.study.study_day import add_days, to_ms
from engine.study.today import now_for_learner

Mode = Literal["cram", "ahead"]
MODES: tuple[Mode, ...] = ("cram", "ahead")
MOST_DAYS = 365
BETWEEN = 10
"""Answers after which a card that was not known comes again."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """What is practised. name: up to 64 characters.

    mode: `cram`, all cards of the scope in an order of the sitting's own; `ahead`, those that are due within
    the next `days` study days, in the order they are due. Suspended cards stay out of both.
    """

    name: str
    mode: Mode
    scope: Scope = field(default_factory=Scope)
    days: int = 7


@dataclass(frozen=True, slots=True)
class Practised:
    """An answer that was given, or taken back. `already`: it was before this call."""

    card_id: str
    rating: int
    already: bool = False


@dataclass(frozen=True, slots=True)
class PracticeQueue:
    """What comes next, by card id; cards left, those of them that were not known, and cards done.

    repeated: those of `items` that were not known.
    """

    items: tuple[str, ...]
    repeated: frozenset[str]
    left: int
    again: int
    done: int


def queue(store: Store, sitting: Sitting, *, now: datetime, zone: str, size: int = 12) -> PracticeQueue:
    """The cards that come next in a sitting; writes nothing. Raises UnknownZone."""
    with store.read() as connection:
        settings = load_in(connection)
        day = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour).day
        chosen = _cards(connection, sitting, day)
        answers = list(_answers(connection, sitting.name))
    last: dict[str, tuple[int, int]] = {}
    for number, (_, card_id, rating) in enumerate(answers):
        last[card_id] = (number, rating)
    held = set(chosen)
    done = sum(rating > 1 for card_id, (_, rating) in last.items() if card_id in held)
    fresh = [card_id for card_id in chosen if card_id not in last]
    again = sorted(
        (number, card_id) for card_id, (number, rating) in last.items() if rating == 1 and card_id in held
    )
    waited = [card_id for number, card_id in again if len(answers) - number >= BETWEEN]
    rest = [card_id for number, card_id in again if len(answers) - number < BETWEEN]
    items = [*waited, *fresh, *rest]
    return PracticeQueue(
        items=tuple(items[:size]),
        repeated=frozenset(items[:size]) & {card_id for _, card_id in again},
        left=len(items),
        again=len(again),
        done=done,
    )


def answer(
    store: Store,
    sitting: str,
    card_id: str,
    rating: int,
    *,
    nonce: str,
    now: datetime,
    zone: str,
    answer_ms: int,
) -> Practised | Refused:
    """Keeps an answer of a sitting; a nonce sent again counts once.

    Refused with `bad_nonce`, `bad_rating`, `unknown_card`, `nonce_reused`. Raises UnknownZone, StoreError.
    """
    if not (_is_name(nonce) and _is_name(sitting)):
        return Refused("bad_nonce")
    if rating not in RATINGS:
        return Refused("bad_rating", {"rating": rating})
    with store.begin() as connection:
        known = connection.execute(select(practice_answers).where(practice_answers.c.nonce == nonce)).first()
        if known is not None:
            if (known.session, known.card_id) != (sitting, card_id) or known.takes_back is not None:
                return Refused("nonce_reused", {"card_id": known.card_id})
            return Practised(card_id, known.rating, already=True)
        if connection.execute(select(cards.c.id).where(cards.c.id == card_id)).first() is None:
            return Refused("unknown_card", {"card_id": card_id})
        _add(connection, sitting, card_id, rating, None, nonce, now, zone, max(0, answer_ms))
    return Practised(card_id, rating)


def undo(store: Store, sitting: str, *, nonce: str, now: datetime, zone: str) -> Practised | Refused:
    """Takes the last answer of a sitting back, and called again the one before it.

    Refused with `bad_nonce`, `nonce_reused`, `nothing_to_undo`. Raises UnknownZone, StoreError.
    """
    if not _is_name(nonce):
        return Refused("bad_nonce")
    with store.begin() as connection:
        known = connection.execute(select(practice_answers).where(practice_answers.c.nonce == nonce)).first()
        if known is not None:
            if known.takes_back is None or known.session != sitting:
                return Refused("nonce_reused", {"card_id": known.card_id})
            before = select(practice_answers.c.rating).where(practice_answers.c.nonce == known.takes_back)
            return Practised(known.card_id, connection.execute(before).scalar_one(), already=True)
        given = list(_answers(connection, sitting))
        if not given:
            return Refused("nothing_to_undo")
        of, card_id, rating = given[-1]
        _add(connection, sitting, card_id, 0, of, nonce, now, zone, 0)
    return Practised(card_id, rating)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST_NONCE


def _answers(connection: Connection, sitting: str) -> Iterable[tuple[str, str, int]]:
    """Nonce, card and rating of a sitting's answers that count, in the order given."""
    back = practice_answers.alias("back")
    query = (
        select(practice_answers.c.nonce, practice_answers.c.card_id, practice_answers.c.rating)
        .where(
            practice_answers.c.session == sitting,
            practice_answers.c.rating > 0,
            ~exists().where(back.c.takes_back == practice_answers.c.nonce),
        )
        .order_by(practice_answers.c.id)
    )
    for row in connection.execute(query):
        yield row.nonce, row.card_id, row.rating


def _cards(connection: Connection, sitting: Sitting, day: str) -> Sequence[str]:
    """The sitting's cards in their order."""
    allowed = (sitting.scope.holds(), ~card_flags.suspended(cards.c.id))
    if sitting.mode == "cram":
        found = list(
            connection.execute(select(cards.c.id).where(*allowed).order_by(cards.c.position)).scalars()
        )
        random.Random(sitting.name).shuffle(found)  # noqa: S311  # an order, no secret
        return found
    states = card_states
    query = (
        select(cards.c.id)
        .join(states, states.c.card_id == cards.c.id)
        .where(
            *allowed,
            states.c.phase == "review",
            states.c.due_day > day,
            states.c.due_day <= add_days(day, min(sitting.days, MOST_DAYS)),
        )
        .order_by(states.c.due_day, states.c.shuffle)
    )
    return list(connection.execute(query).scalars())


def _add(
    connection: Connection,
    sitting: str,
    card_id: str,
    rating: int,
    takes_back: str | None,
    nonce: str,
    now: datetime,
    zone: str,
    answer_ms: int,
) -> None:
    moment = now_for_learner(connection, to_ms(now), zone, load_in(connection).rollover_hour)
    row = {
        "nonce": nonce,
        "session": sitting,
        "card_id": card_id,
        "rating": rating,
        "takes_back": takes_back,
        "at_ms": moment.ms,
        "study_day": moment.day,
        "zone": zone,
        "answer_ms": answer_ms,
    }
    connection.execute(insert(practice_answers), row)
