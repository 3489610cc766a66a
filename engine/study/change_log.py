"""The log of what was done to cards besides answering them. Rows are added, never changed.

A change is made to any number of cards at once and taken back as a whole; its nonce names it. Instants of
changes and answers never coincide on one machine: which of two came last is always known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Select, exists, select

from engine.store.change_tables import card_change_undos, card_changes

Kind = Literal[
    "bury", "unbury", "suspend", "unsuspend", "mark", "unmark", "tag", "untag", "reset", "leech", "reschedule"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What can be done to a card. `leech`: suspended because it was forgotten too often, with the answer that did
it; it is taken back with that answer. `reschedule`: put on another day (`engine.study.placed`)."""

OF_SCHEDULE: tuple[Kind, ...] = ("reset", "reschedule")
"""Changes of a card's schedule: its state follows from them and its answers, and its version rises."""

_AT_ONCE = 400
"""Values in one query: every database takes as many."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one card. value: the tag of `tag` and `untag`, the answer's nonce of `leech`, where
    `reschedule` puts the card."""

    nonce: str
    card_id: str
    kind: Kind
    value: str | None
    at_ms: int
    study_day: str
    zone: str
    undone: bool = False


def counts() -> ColumnElement[bool]:
    """The condition on `card_changes` that the change was not taken back."""
    return ~exists().where(card_change_undos.c.change_nonce == card_changes.c.nonce)


_LAST = (
    select(card_changes)
    .where(counts())
    .order_by(card_changes.c.at_ms.desc(), card_changes.c.id.desc())
    .limit(1)
)
_LAST_BY_PERSON = _LAST.where(card_changes.c.kind != "leech")


def last_that_counts(connection: Connection, *, by_person: bool = False) -> Change | None:
    """The change made last that was not taken back, by one of its cards.

    by_person: one that came with an answer, as a leech's, is passed over.
    """
    row = connection.execute(_LAST_BY_PERSON if by_person else _LAST).mappings().first()
    return None if row is None else _change(dict(row))


def of_nonce(connection: Connection, nonce: str) -> tuple[Change, ...]:
    """A change by its nonce, card by card; empty where there is none."""
    query = _with_undone().where(card_changes.c.nonce == nonce).order_by(card_changes.c.id)
    return tuple(_change(dict(row)) for row in connection.execute(query).mappings())


def of_cards(connection: Connection, card_ids: Collection[str] | None) -> Iterator[Change]:
    """Every change of the cards (None: of all), those taken back among them, in the order they were made."""
    query = _with_undone().order_by(card_changes.c.at_ms, card_changes.c.id)
    if card_ids is None:
        for row in connection.execute(query).mappings():
            yield _change(dict(row))
        return
    for chunk in chunks(sorted(card_ids)):
        for row in connection.execute(query.where(card_changes.c.card_id.in_(chunk))).mappings():
            yield _change(dict(row))


def of_schedule(connection: Connection, card_ids: Collection[str] | None) -> dict[str, list[Change]]:
    """The changes of the schedule of the cards (None: of all) by card, those taken back among them, in their
    order.
    """
    found: dict[str, list[Change]] = {}
    query = (
        _with_undone()
        .where(card_changes.c.kind.in_(OF_SCHEDULE))
        .order_by(card_changes.c.at_ms, card_changes.c.id)
    )
    several: list[list[str] | None] = [None] if card_ids is None else list(chunks(sorted(card_ids)))
    for chunk in several:
        some = query if chunk is None else query.where(card_changes.c.card_id.in_(chunk))
        for row in connection.execute(some).mappings():
            found.setdefault(row["card_id"], []).append(_change(dict(row)))
    return found


def chunks(items: Sequence[str]) -> Iterator[list[str]]:
    """The items in lists short enough for one query."""
    for start in range(0, len(items), _AT_ONCE):
        yield list(items[start : start + _AT_ONCE])


def _with_undone() -> Select[Any]:
    return select(card_changes, card_change_undos.c.id.is_not(None).label("undone")).outerjoin(
        card_change_undos, card_change_undos.c.change_nonce == card_changes.c.nonce
    )


def _change(row: dict[str, Any]) -> Change:
    names = ("nonce", "card_id", "kind", "value", "at_ms", "study_day", "zone")
    return Change(**{name: row[name] for name in names}, undone=bool(row.get("undone", False)))
