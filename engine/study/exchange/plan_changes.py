"""What of a file's changes of cards, and of its answers outside the schedule, is new here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from engine.store.change_tables import card_change_undos, card_changes, practice_answers
from engine.study.change_log import OF_SCHEDULE
from engine.study.exchange.few import chunks
from engine.study.exchange.parsed import Parsed
from engine.study.exchange.records import ChangeRecord, ChangeUndoRecord, PracticeRecord


@dataclass(frozen=True, slots=True)
class ChangesPlan:
    """What is to be written, and what follows from it.

    flagged: cards whose flags are worked out anew. scheduled: cards whose state is, with how many steps their
    version rises by changes of their schedule and by what took them back.
    """

    changes: tuple[ChangeRecord, ...] = ()
    undos: tuple[ChangeUndoRecord, ...] = ()
    practice: tuple[PracticeRecord, ...] = ()
    flagged: frozenset[str] = frozenset()
    scheduled: Counter[str] | None = None

    @property
    def steps(self) -> Counter[str]:
        """`scheduled`, empty where there are none."""
        return Counter() if self.scheduled is None else self.scheduled


def plan_changes(connection: Connection, parsed: Parsed) -> ChangesPlan:
    """The changes that aren't here yet. Raises ExchangeFault where the file contradicts what is here."""
    changes = _new_changes(connection, parsed)
    undos = _new_undos(connection, parsed)
    by_nonce: dict[str, list[tuple[str, str]]] = {}
    for made in parsed.export.card_changes:
        by_nonce.setdefault(made.nonce, []).append((made.card_id, made.kind))
    touched: list[tuple[str, str]] = [(made.card_id, made.kind) for made in changes]
    touched += [each for undo in undos for each in by_nonce[undo.change_nonce]]
    return ChangesPlan(
        changes=changes,
        undos=undos,
        practice=_new_practice(connection, parsed),
        flagged=frozenset(card for card, _ in touched),
        scheduled=Counter(card for card, kind in touched if kind in OF_SCHEDULE),
    )


def _new_changes(connection: Connection, parsed: Parsed) -> tuple[ChangeRecord, ...]:
    names = ChangeRecord.__struct_fields__
    here: dict[tuple[str, str], ChangeRecord] = {}
    for chunk in chunks(_once(made.nonce for made in parsed.export.card_changes)):
        query = select(card_changes).where(card_changes.c.nonce.in_(chunk))
        for row in connection.execute(query).mappings():
            record = ChangeRecord(**{name: row[name] for name in names})
            here[record.nonce, record.card_id] = record
    for index, made in enumerate(parsed.export.card_changes):
        if here.get((made.nonce, made.card_id), made) != made:
            raise parsed.fault(
                "card_changes",
                index,
                "nonce",
                f"the change {made.nonce} is here already with other values: export the file anew",
            )
    return tuple(made for made in parsed.export.card_changes if (made.nonce, made.card_id) not in here)


def _new_undos(connection: Connection, parsed: Parsed) -> tuple[ChangeUndoRecord, ...]:
    """A change taken back here and there stays taken back by what did it here."""
    named: dict[str, str] = {}
    undone: set[str] = set()
    for chunk in chunks(_once(undo.nonce for undo in parsed.export.card_change_undos)):
        query = select(card_change_undos).where(card_change_undos.c.nonce.in_(chunk))
        named |= {row.nonce: row.change_nonce for row in connection.execute(query)}
    for chunk in chunks(_once(undo.change_nonce for undo in parsed.export.card_change_undos)):
        back = select(card_change_undos.c.change_nonce).where(card_change_undos.c.change_nonce.in_(chunk))
        undone |= set(connection.execute(back).scalars())
    for index, undo in enumerate(parsed.export.card_change_undos):
        if named.get(undo.nonce, undo.change_nonce) != undo.change_nonce:
            raise parsed.fault(
                "card_change_undos",
                index,
                "nonce",
                f"{undo.nonce} took back another change here: export the file anew",
            )
    return tuple(undo for undo in parsed.export.card_change_undos if undo.change_nonce not in undone)


def _new_practice(connection: Connection, parsed: Parsed) -> tuple[PracticeRecord, ...]:
    here: set[str] = set()
    back: set[str] = set()
    given = parsed.export.practice_answers
    for chunk in chunks(_once(answer.nonce for answer in given)):
        known = select(practice_answers.c.nonce).where(practice_answers.c.nonce.in_(chunk))
        here |= set(connection.execute(known).scalars())
    for chunk in chunks(_once(answer.takes_back for answer in given if answer.takes_back is not None)):
        taken = select(practice_answers.c.takes_back).where(practice_answers.c.takes_back.in_(chunk))
        back |= {nonce for nonce in connection.execute(taken).scalars() if nonce is not None}
    return tuple(answer for answer in given if answer.nonce not in here and answer.takes_back not in back)


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
