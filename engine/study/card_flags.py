"""What the changes of a card amount to: suspended, buried, marked, tagged. Derived from the log."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, select

from engine.store.change_tables import card_flags
from engine.study import change_log
from engine.study.change_log import Change
from engine.study.study_day import add_days


@dataclass(frozen=True, slots=True)
class Flags:
    """buried_until: the study day on which the card comes again; past, it is buried no more.

    leech: it was forgotten as often as the settings call a leech. tags: in alphabetical order.
    """

    suspended: bool = False
    buried_until: str | None = None
    marked: bool = False
    leech: bool = False
    tags: tuple[str, ...] = ()

    def buried(self, day: str) -> bool:
        """Whether it is buried on a study day."""
        return self.buried_until is not None and day < self.buried_until


NONE = Flags()


def folded(changes: Iterable[Change]) -> Flags:
    """The flags that one card's changes lead to, in their order; those taken back are passed over."""
    flags = NONE
    for change in changes:
        if not change.undone:
            flags = _after(flags, change)
    return flags


def _after(flags: Flags, change: Change) -> Flags:
    match change.kind:
        case "suspend" | "leech":
            return replace(flags, suspended=True)
        case "unsuspend":
            return replace(flags, suspended=False)
        case "bury":
            return replace(flags, buried_until=add_days(change.study_day, 1))
        case "unbury":
            return replace(flags, buried_until=None)
        case "mark":
            return replace(flags, marked=True)
        case "unmark":
            return replace(flags, marked=False)
        case "tag":
            return replace(flags, tags=tuple(sorted({*flags.tags, change.value or ""})))
        case "untag":
            return replace(flags, tags=tuple(tag for tag in flags.tags if tag != change.value))
        case "reset" | "reschedule":
            return flags  # of the schedule (engine.study.state_table), not of the flags


def recompute(connection: Connection, card_ids: Collection[str] | None = None) -> None:
    """Replaces the flags (of some cards, or of all) by what the log says."""
    if card_ids is None:
        connection.execute(delete(card_flags))
        _write(connection, change_log.of_cards(connection, None))
        return
    for chunk in change_log.chunks(sorted(card_ids)):
        connection.execute(delete(card_flags).where(card_flags.c.card_id.in_(chunk)))
        _write(connection, change_log.of_cards(connection, chunk))


def _write(connection: Connection, changes: Iterable[Change]) -> None:
    of_card: dict[str, list[Change]] = {}
    for change in changes:
        of_card.setdefault(change.card_id, []).append(change)
    rows = []
    for card_id, made in of_card.items():
        flags = folded(made)
        if flags != NONE:
            rows.append(
                {
                    "card_id": card_id,
                    "suspended": flags.suspended,
                    "buried_until": flags.buried_until,
                    "marked": flags.marked,
                    "tags": list(flags.tags),
                }
            )
    if rows:
        connection.execute(insert(card_flags), rows)


def read(connection: Connection, card_ids: Collection[str] | None = None) -> dict[str, Flags]:
    """The kept flags by card, of those that have any; `leech` is not in them."""
    query = select(card_flags)
    if card_ids is None:
        return {row["card_id"]: _flags(dict(row)) for row in connection.execute(query).mappings()}
    found: dict[str, Flags] = {}
    for chunk in change_log.chunks(sorted(card_ids)):
        rows = connection.execute(query.where(card_flags.c.card_id.in_(chunk))).mappings()
        found |= {row["card_id"]: _flags(dict(row)) for row in rows}
    return found


def suspended(card_id: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that the card of a column is suspended."""
    return exists().where(card_flags.c.card_id == card_id, card_flags.c.suspended.is_(True))


def buried(card_id: ColumnElement[str], day: str) -> ColumnElement[bool]:
    """The condition that the card of a column is buried on a study day."""
    return exists().where(card_flags.c.card_id == card_id, card_flags.c.buried_until > day)


def _flags(row: dict[str, Any]) -> Flags:
    return Flags(
        suspended=bool(row["suspended"]),
        buried_until=row["buried_until"],
        marked=bool(row["marked"]),
        tags=tuple(row["tags"]),
    )
