"""Changing cards without answering them: bury, suspend, mark, tag, reset; and taking that back.

    change(store, ["a", "b"], "suspend", now=now, zone=zone, nonce="…")
    undo_change(store, "…", nonce="…", now=now)
    flags(store)["a"].suspended

Each call is one transaction. A nonce sent again changes nothing more. `bury` lasts till the next study day;
`reset` makes a card new again and keeps its history; the rest lasts till its opposite.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, insert, select

from engine.store import Store
from engine.store.change_tables import card_change_undos, card_changes
from engine.store.tables import card_states, cards
from engine.study import card_flags, change_log, state_table
from engine.study.card_flags import Flags
from engine.study.change_log import Kind
from engine.study.refused import LONGEST_NONCE, Refused
from engine.study.settings import load_in
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner

__all__ = ["KINDS", "ChangeUndone", "Changed", "Flags", "change", "flags", "undo_change"]

KINDS: tuple[Kind, ...] = tuple(kind for kind in change_log.KINDS if kind not in ("leech", "reschedule"))
"""What a person can do to cards; `engine.study.rescheduling` puts them on other days."""

LONGEST_TAG = 64
_RECOMPUTED_ALONE = 200
"""Cards up to which each one's state is made anew alone; above it all are, in one pass over the log."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The change is on disk. `already`: it was before this call (a repeated nonce)."""

    nonce: str
    kind: Kind
    card_ids: tuple[str, ...]
    value: str | None = None
    at_ms: int = 0
    already: bool = False


@dataclass(frozen=True, slots=True)
class ChangeUndone:
    """The change that was taken back. `already`: it was before this call."""

    nonce: str
    kind: Kind
    card_ids: tuple[str, ...]
    value: str | None = None
    at_ms: int = 0
    already: bool = False


def change(
    store: Store,
    card_ids: Collection[str],
    kind: Kind,
    *,
    value: str | None = None,
    now: datetime,
    zone: str,
    nonce: str,
) -> Changed | Refused:
    """Changes cards. value: the tag, one word of up to 64 characters, for `tag` and `untag` only.

    Refused with `bad_nonce`, `bad_kind`, `bad_tag`, `no_cards`, `unknown_card` {card_id} (neither in a deck
    nor in the log), `nonce_reused`; nothing was changed then. Raises UnknownZone, StoreError.
    """
    with store.begin() as connection:
        return change_in(connection, card_ids, kind, value=value, now_ms=to_ms(now), zone=zone, nonce=nonce)


def change_in(
    connection: Connection,
    card_ids: Collection[str],
    kind: Kind,
    *,
    value: str | None,
    now_ms: int,
    zone: str,
    nonce: str,
) -> Changed | Refused:
    """`change` within a writing transaction, at a clock's instant in UTC milliseconds."""
    wanted = tuple(dict.fromkeys(card_ids))
    refused = _malformed(wanted, kind, value, nonce)
    if refused is not None:
        return refused
    known = change_log.of_nonce(connection, nonce)
    if known:
        first = known[0]
        changed = tuple(each.card_id for each in known)
        if (first.kind, first.value, set(changed)) != (kind, value, set(wanted)):
            return Refused("nonce_reused", {"card_id": first.card_id})
        return Changed(nonce, kind, changed, value, first.at_ms, already=True)
    stranger = _stranger(connection, wanted)
    if stranger is not None:
        return Refused("unknown_card", {"card_id": stranger})
    at_ms = write(connection, wanted, kind, value=value, now_ms=now_ms, zone=zone, nonce=nonce)
    return Changed(nonce, kind, wanted, value, at_ms)


def write(
    connection: Connection,
    card_ids: tuple[str, ...],
    kind: Kind,
    *,
    value: str | None,
    now_ms: int,
    zone: str,
    nonce: str,
) -> int:
    """Adds a checked change to the log and derives what follows from it. Returns its instant (UTC ms)."""
    now = now_for_learner(connection, now_ms, zone, load_in(connection).rollover_hour)
    at_ms = now.ms if now.last_answer_ms is None else max(now.ms, now.last_answer_ms + 1)
    row = {"nonce": nonce, "kind": kind, "value": value, "at_ms": at_ms, "study_day": now.day, "zone": zone}
    connection.execute(insert(card_changes), [{**row, "card_id": card_id} for card_id in card_ids])
    _derive(connection, card_ids, kind)
    return at_ms


def undo_change(store: Store, change_nonce: str, *, nonce: str, now: datetime) -> ChangeUndone | Refused:
    """Takes a change back, whatever came after it: its cards stand as if it had not been made.

    Refused with `bad_nonce`, `unknown_change`. Taken back before, it stays so (`already`).
    """
    with store.begin() as connection:
        return undo_change_in(connection, change_nonce, nonce=nonce, now_ms=to_ms(now))


def undo_change_in(
    connection: Connection, change_nonce: str, *, nonce: str, now_ms: int
) -> ChangeUndone | Refused:
    """`undo_change` within a writing transaction."""
    if not 0 < len(nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    made = change_log.of_nonce(connection, change_nonce)
    if not made:
        return Refused("unknown_change")
    first = made[0]
    card_ids = tuple(each.card_id for each in made)
    undone = ChangeUndone(change_nonce, first.kind, card_ids, first.value, first.at_ms, first.undone)
    if first.undone:
        return undone
    connection.execute(
        insert(card_change_undos),
        {"nonce": nonce, "change_nonce": change_nonce, "undone_at_ms": max(now_ms, first.at_ms)},
    )
    _derive(connection, card_ids, first.kind)
    return undone


def undone_by(connection: Connection, nonce: str) -> ChangeUndone | None:
    """The change that the undo with a nonce took back."""
    query = select(card_change_undos.c.change_nonce).where(card_change_undos.c.nonce == nonce)
    change_nonce = connection.execute(query).scalar_one_or_none()
    if change_nonce is None:
        return None
    made = change_log.of_nonce(connection, change_nonce)
    first = made[0]
    card_ids = tuple(each.card_id for each in made)
    return ChangeUndone(change_nonce, first.kind, card_ids, first.value, first.at_ms, already=True)


def flags(store: Store, card_ids: Collection[str] | None = None) -> Mapping[str, Flags]:
    """The flags of the cards (None: of all) by card, of those that have any; any other has `Flags()`."""
    with store.read() as connection:
        return flags_in(connection, card_ids)


def flags_in(connection: Connection, card_ids: Collection[str] | None = None) -> dict[str, Flags]:
    """`flags` within a transaction."""
    found = card_flags.read(connection, card_ids)
    limit = load_in(connection).leech_lapses
    if limit:
        query = select(card_states.c.card_id).where(card_states.c.lapses >= limit)
        parts = [query]
        if card_ids is not None:
            parts = [query.where(card_states.c.card_id.in_(few)) for few in change_log.chunks([*card_ids])]
        for part in parts:
            for card_id in connection.execute(part).scalars():
                found[card_id] = replace(found.get(card_id, card_flags.NONE), leech=True)
    return found


def _malformed(card_ids: tuple[str, ...], kind: str, value: str | None, nonce: str) -> Refused | None:
    if not 0 < len(nonce) <= LONGEST_NONCE:
        return Refused("bad_nonce")
    if kind not in KINDS:
        return Refused("bad_kind", {"kind": str(kind)})
    if not card_ids:
        return Refused("no_cards")
    tags = kind in ("tag", "untag")
    if tags != (value is not None) or (value is not None and not is_tag(value)):
        return Refused("bad_tag", {"tag": value or ""})
    return None


def is_tag(text: str) -> bool:
    """Whether a text can be a tag: one word of printable characters."""
    return 0 < len(text) <= LONGEST_TAG and text.isprintable() and not any(map(str.isspace, text))


def _stranger(connection: Connection, card_ids: tuple[str, ...]) -> str | None:
    """A card that neither a deck nor the log knows."""
    for chunk in change_log.chunks(card_ids):
        known = set(connection.execute(select(cards.c.id).where(cards.c.id.in_(chunk))).scalars())
        rest = [card_id for card_id in chunk if card_id not in known]
        if rest:
            with_state = select(card_states.c.card_id).where(card_states.c.card_id.in_(rest))
            answered = set(connection.execute(with_state).scalars())
            unknown = next((card_id for card_id in rest if card_id not in answered), None)
            if unknown is not None:
                return unknown
    return None


def _derive(connection: Connection, card_ids: tuple[str, ...], kind: Kind) -> None:
    if kind not in change_log.OF_SCHEDULE:
        card_flags.recompute(connection, card_ids)
    elif len(card_ids) > _RECOMPUTED_ALONE:
        state_table.recompute(connection)
    else:
        for card_id in card_ids:
            state_table.recompute(connection, card_id)
