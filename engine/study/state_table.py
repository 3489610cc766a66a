"""The table of card states: derived from the log, read by the queue."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from engine.store.tables import card_states, cards, reviews, undos
from engine.study import change_log
from engine.study.card_state import NEW, CardState
from engine.study.fuzz import place
from engine.study.placed import steps_of
from engine.study.replay import replayed
from engine.study.review_log import from_row
from engine.study.schedule import SchedulerParams
from engine.study.settings import scheduler_of

# made once: what SQLAlchemy does to make a statement takes longer than what SQLite does to answer it
_OF_CARD = select(card_states).where(card_states.c.card_id == bindparam("card"))
_REPLACE = update(card_states).where(card_states.c.card_id == bindparam("card"))
_ADD = insert(card_states)
_STARTED = (
    update(cards)
    .where(cards.c.id == bindparam("card"), cards.c.started != bindparam("begun"))
    .values(started=bindparam("begun"))
)


def read(connection: Connection, card_id: str) -> tuple[CardState, int]:
    """A card's state and version; a card that was never answered is new, version 0."""
    row = connection.execute(_OF_CARD, {"card": card_id}).mappings().first()
    return (NEW, 0) if row is None else (CardState.from_json(dict(row)), int(row["version"]))


def read_all(connection: Connection) -> dict[str, CardState]:
    """The state of every card that was ever answered, by card id."""
    rows = connection.execute(select(card_states)).mappings()
    return {row["card_id"]: CardState.from_json(dict(row)) for row in rows}


def read_some(connection: Connection, card_ids: Collection[str]) -> dict[str, CardState]:
    """The states of some cards, of those that were ever answered, by card id."""
    found: dict[str, CardState] = {}
    for chunk in change_log.chunks(sorted(card_ids)):
        query = select(card_states).where(card_states.c.card_id.in_(chunk))
        for row in connection.execute(query).mappings():
            found[row["card_id"]] = CardState.from_json(dict(row))
    return found


def write(
    connection: Connection, card_id: str, state: CardState, version: int, *, before: CardState | None = None
) -> None:
    """Puts a card's state in place of the one before, and says in `cards` whether it was started.

    before: the state that stands there, where it is known.
    """
    row = {**state.to_json(), "version": version, "shuffle": shuffle(card_id, state.reps)}
    if connection.execute(_REPLACE, {"card": card_id, **row}).rowcount == 0:
        connection.execute(_ADD, {"card_id": card_id, **row})
    started = state.phase != "new"
    if before is None or started != (before.phase != "new"):
        connection.execute(_STARTED, {"card": card_id, "begun": started})


def shuffle(card_id: str, reps: int) -> int:
    """The card's place among cards due on one day: as good as random, and the same in every process."""
    return int(place(f"{card_id}\0order", reps) * (1 << 31))


def recompute(connection: Connection, card_id: str | None = None) -> int:
    """Replaces the states (of one card, or of all) by what the log alone says. Returns how many there are.

    The version is the number of answers and changes of the schedule and of what took them back: above that
    of every answer in the log.
    """
    query = select(reviews, undos.c.id.is_not(None).label("undone")).outerjoin(
        undos, undos.c.review_id == reviews.c.id
    )
    old = delete(card_states)
    started = update(cards)
    if card_id is not None:
        query = query.where(reviews.c.card_id == card_id)
        old = old.where(card_states.c.card_id == card_id)
        started = started.where(cards.c.id == card_id)
    schedulers: dict[str, SchedulerParams] = {}

    def scheduler(fingerprint: str) -> SchedulerParams:
        if fingerprint not in schedulers:
            # each answer's scheduler is kept with it; a log from before they were had only the default
            schedulers[fingerprint] = scheduler_of(connection, fingerprint) or SchedulerParams()
        return schedulers[fingerprint]

    rows = connection.execute(query.order_by(reviews.c.card_id)).mappings()
    changed = change_log.of_schedule(connection, None if card_id is None else [card_id])
    found: dict[str, tuple[CardState, int]] = {}
    for of, group in groupby(map(from_row, rows), key=lambda review: review.card_id):
        answers = tuple(group)
        made = changed.pop(of, [])
        undone = sum(answer.undone for answer in answers) + sum(change.undone for change in made)
        version = len(answers) + len(made) + undone
        state = replayed(answers, scheduler, steps_of(made))
        found[of] = (state, version)
    for of, made in changed.items():  # without ever having been answered
        found[of] = (NEW, len(made) + sum(each.undone for each in made))
    connection.execute(old)
    connection.execute(started.values(started=False))
    for of, (state, version) in found.items():
        write(connection, of, state, version)
    return len(found)
