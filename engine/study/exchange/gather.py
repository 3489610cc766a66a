"""From the store and the folder of decks to an export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, RowMapping, Table, select

from engine.store import Store
from engine.store.change_tables import card_change_undos, card_changes, practice_answers
from engine.store.claim_tables import predictions, record_notes, sightings
from engine.store.notebook_tables import mistakes
from engine.store.schedule_tables import schedule_changes
from engine.store.tables import card_states, reviews, schedulers, undos
from engine.study import settings as study_settings
from engine.study.card_state import FIELDS, CardState
from engine.study.deck_bytes import MAX_BYTES, read_bytes
from engine.study.exchange.pictures import own_pictures
from engine.study.exchange.records import (
    CardRecord,
    ChangeRecord,
    ChangeUndoRecord,
    DeckRecord,
    Export,
    MistakeRecord,
    NoteRecord,
    PracticeRecord,
    PredictionRecord,
    Record,
    ReviewRecord,
    ScheduleChangeRecord,
    SchedulerRecord,
    SightingRecord,
    StateRecord,
    UndoRecord,
)

Kept = TypeVar("Kept", bound=Record)

_PLAIN = tuple(
    name
    for name in ReviewRecord.__struct_fields__
    if name not in ("shown", "state_before", "state_after", "undo")
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """An export, and the deck files that can't go into it, each with the reason."""

    export: Export
    left_out: tuple[str, ...]


def gather(store: Store, decks: Path, now: datetime) -> Gathered:
    """All that the learner's data holds at one moment. `decks`: the folder of the learner's own decks."""
    with store.read() as connection:
        values = Export(
            exported_at=now.isoformat(timespec="seconds"),
            settings=asdict(study_settings.load_in(connection)),
            schedulers=tuple(_schedulers(connection)),
            reviews=tuple(_reviews(connection)),
            cards=tuple(_cards(connection)),
            predictions=tuple(_rows(connection, predictions, PredictionRecord)),
            sightings=tuple(_rows(connection, sightings, SightingRecord)),
            record_notes=tuple(_rows(connection, record_notes, NoteRecord)),
            mistakes=tuple(_rows(connection, mistakes, MistakeRecord)),
            card_changes=tuple(_rows(connection, card_changes, ChangeRecord)),
            card_change_undos=tuple(_rows(connection, card_change_undos, ChangeUndoRecord)),
            practice_answers=tuple(_rows(connection, practice_answers, PracticeRecord)),
            schedule_changes=tuple(_rows(connection, schedule_changes, ScheduleChangeRecord)),
        )
    found, left_out = own_decks(decks)
    return Gathered(msgspec.structs.replace(values, decks=found, pictures=own_pictures(decks)), left_out)


def own_decks(folder: Path) -> tuple[tuple[DeckRecord, ...], tuple[str, ...]]:
    """The learner's own decks in order of name; and what can't be read as text, in words."""
    found, left_out = [], []
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in paths:
        if path.name.startswith(".") or path.suffix.lower() not in (".yaml", ".yml"):
            continue
        raw = read_bytes(path)
        if isinstance(raw, str):
            left_out.append(f"{path}: {raw}")
            continue
        if len(raw) > MAX_BYTES:
            left_out.append(f"{path}: grew while it was read: try again")
            continue
        try:
            found.append(DeckRecord(file=path.name, text=raw.decode("utf-8")))
        except UnicodeDecodeError:
            left_out.append(f"{path}: isn't UTF-8 text: save it as UTF-8")
    return tuple(found), tuple(left_out)


def state_of(body: Any) -> StateRecord:
    """A state as the log or the table keeps it; what an older version didn't write is as it was then."""
    return StateRecord(**CardState.from_json(body).to_json())


def review_of(row: RowMapping) -> ReviewRecord:
    """A row of `reviews` with the columns `undo_nonce` and `undone_at_ms` of what took it back."""
    again, hard, good, easy = row["shown"]
    return ReviewRecord(
        **{name: row[name] for name in _PLAIN},
        shown=(again, hard, good, easy),
        state_before=state_of(row["state_before"]),
        state_after=state_of(row["state_after"]),
        undo=None
        if row["undo_nonce"] is None
        else UndoRecord(nonce=row["undo_nonce"], undone_at_ms=row["undone_at_ms"]),
    )


def _reviews(connection: Connection) -> Iterator[ReviewRecord]:
    query = (
        select(reviews, undos.c.nonce.label("undo_nonce"), undos.c.undone_at_ms)
        .outerjoin(undos, undos.c.review_id == reviews.c.id)
        .order_by(reviews.c.id)
    )
    for row in connection.execute(query).mappings():
        yield review_of(row)


def _schedulers(connection: Connection) -> Iterator[SchedulerRecord]:
    for row in connection.execute(select(schedulers).order_by(schedulers.c.fingerprint)):
        yield SchedulerRecord(fingerprint=row.fingerprint, params=row.params)


def _cards(connection: Connection) -> Iterator[CardRecord]:
    for row in connection.execute(select(card_states).order_by(card_states.c.card_id)).mappings():
        state = {name: row[name] for name in FIELDS}
        yield CardRecord(card_id=row["card_id"], version=row["version"], state=StateRecord(**state))


def _rows(connection: Connection, table: Table, of: type[Kept]) -> Iterator[Kept]:
    names = of.__struct_fields__
    for row in connection.execute(select(table).order_by(table.c.id)).mappings():
        yield of(**{name: row[name] for name in names})
