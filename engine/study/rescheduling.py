"""Putting cards on the days that the schedule of now gives them, and taking that back.

Each card that moves gets a row in the log of changes (`engine.study.placed`), all of them under one nonce;
the answers in the log stay as they are. Taken back, the cards stand as if it had not been done: what was
answered since is scheduled anew from where the card stood.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, bindparam, func, insert, select, update

from engine.store import Store
from engine.store.change_tables import card_change_undos, card_changes
from engine.store.tables import card_states
from engine.study import card_changes as changes
from engine.study import change_log
from engine.study.card_changes import ChangeUndone
from engine.study.log_columns import read_log
from engine.study.refused import LONGEST_NONCE, Refused
from engine.study.reschedule import Move, moves
from engine.study.schedule_plan import plan_in
from engine.study.settings import load_in
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """The cards stand on their new days, on disk. cards: how many changed. `already`: before this call."""

    nonce: str
    cards: int
    already: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """One that was done: when (UTC ms), of how many cards, and whether it was taken back."""

    nonce: str
    at_ms: int
    study_day: str
    cards: int
    undone: bool


def reschedule(
    store: Store, cache: Path | None, *, now: datetime, zone: str, nonce: str
) -> Rescheduled | Refused:
    """Puts every card in review where `engine.study.reschedule.preview` says. cache: as of `read_log`.

    A nonce sent again moves nothing more. Refused with `bad_nonce`, `nonce_reused`, `nothing_moves`. Raises
    UnknownZone, StoreError.
    """
    if not 0 < len(nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    read_log(store, cache)  # the long part of it, before others are kept from writing
    with store.begin() as connection:
        known = change_log.of_nonce(connection, nonce)
        if known:
            if known[0].kind != "reschedule":
                return Refused("nonce_reused", {"card_id": known[0].card_id})
            return Rescheduled(nonce, len(known), already=True)
        settings = load_in(connection)
        log = read_log(store, cache)  # nobody else writes now: it is the log of this transaction
        found = moves(connection, log, plan_in(connection), settings.scheduler)
        moving = [each for each in found if each.is_one]
        if not moving:
            return Refused("nothing_moves")
        moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
        at_ms = moment.ms if moment.last_answer_ms is None else max(moment.ms, moment.last_answer_ms + 1)
        row = {
            "nonce": nonce,
            "kind": "reschedule",
            "at_ms": at_ms,
            "study_day": moment.day,
            "zone": zone,
        }
        connection.execute(
            insert(card_changes),
            [{**row, "card_id": each.card_id, "value": each.placed.value()} for each in moving],
        )
        _write(connection, moving)
    return Rescheduled(nonce, len(moving))


def _write(connection: Connection, moving: list[Move]) -> None:
    """The states that follow, as replaying the log gives them too; the versions rise by one."""
    states = {each.card_id: each.placed.of(each.state) for each in moving}
    names = ("stability", "difficulty", "due_day", "due_ms", "interval_minutes")
    connection.execute(
        update(card_states)
        .where(card_states.c.card_id == bindparam("of"))
        .values(version=card_states.c.version + 1, **{name: bindparam(f"new_{name}") for name in names}),
        [
            {"of": card_id, **{f"new_{name}": getattr(state, name) for name in names}}
            for card_id, state in states.items()
        ],
    )


def take_back(store: Store, made: str, *, nonce: str, now: datetime) -> ChangeUndone | Refused:
    """Takes a rescheduling back by its nonce, as `engine.study.card_changes.undo_change`."""
    return changes.undo_change(store, made, nonce=nonce, now=now)


def history(store: Store, *, most: int = 20) -> tuple[Made, ...]:
    """Those that were done, the newest first."""
    query = (
        select(
            card_changes.c.nonce,
            func.min(card_changes.c.at_ms).label("at_ms"),
            func.min(card_changes.c.study_day).label("study_day"),
            func.count().label("cards"),
            func.count(card_change_undos.c.id).label("undone"),
        )
        .outerjoin(card_change_undos, card_change_undos.c.change_nonce == card_changes.c.nonce)
        .where(card_changes.c.kind == "reschedule")
        .group_by(card_changes.c.nonce)
        .order_by(func.min(card_changes.c.at_ms).desc(), card_changes.c.nonce)
        .limit(most)
    )
    with store.read() as connection:
        return tuple(
            Made(row.nonce, row.at_ms, row.study_day, row.cards, row.undone > 0)
            for row in connection.execute(query)
        )
