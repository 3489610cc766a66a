"""The records of an export, schema 1, as they stand in its JSON (and, one a row, in its CSV).

Instants are UTC milliseconds, days ISO dates. The types here are what a file's records are checked against
one by one; what must hold between them is in `check`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from engine.study.exchange.faults import ExchangeFault

SCHEMA = 1

Instant = Annotated[int, Meta(ge=0, lt=1 << 53)]
Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Nonce = Annotated[str, Meta(min_length=1, max_length=64)]
CardId = Annotated[str, Meta(min_length=1, max_length=128)]
Name = Annotated[str, Meta(min_length=1, max_length=128)]
Subject = Annotated[str, Meta(min_length=1, max_length=300)]
Count = Annotated[int, Meta(ge=0, lt=1 << 31)]
Minutes = Annotated[int, Meta(ge=1, lt=1 << 31)]
Phase = Literal["new", "learning", "review", "relearning"]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every record is: no field more than it has, none less."""


class StateRecord(Record, frozen=True):
    """Where a card stands (`engine.study.card_state.CardState`)."""

    phase: Phase
    step: Count | None
    stability: Annotated[float, Meta(gt=0, le=1e6)] | None
    difficulty: Annotated[float, Meta(ge=1, le=10)] | None
    due_ms: Instant | None
    due_day: Day | None
    interval_minutes: Count | None
    last_review_ms: Instant | None
    last_study_day: Day | None
    reps: Count
    lapses: Count


class UndoRecord(Record, frozen=True):
    """That an answer was taken back."""

    nonce: Nonce
    undone_at_ms: Instant


class ReviewRecord(Record, frozen=True):
    """One answer of the log (`engine.study.review_log.Review`); `undo` is set where it was taken back."""

    nonce: Nonce
    card_id: CardId
    version: Count
    kind: Phase
    rating: Annotated[int, Meta(ge=1, le=4)]
    reviewed_at_ms: Instant
    study_day: Day
    zone: Annotated[str, Meta(min_length=1, max_length=64)]
    answer_ms: Count
    shown_at_ms: Instant
    shown_day: Day
    scheduler: Annotated[str, Meta(min_length=1, max_length=32)]
    shown: tuple[Minutes, Minutes, Minutes, Minutes]
    state_before: StateRecord
    state_after: StateRecord
    undo: UndoRecord | None = None


class SchedulerRecord(Record, frozen=True):
    """What FSRS was set to while `fingerprint` was in use."""

    fingerprint: Annotated[str, Meta(min_length=1, max_length=32)]
    params: dict[str, Any]


class CardRecord(Record, frozen=True):
    """A card's state as the log gives it: for readers of the file; an import makes it anew from the log."""

    card_id: CardId
    version: Count
    state: StateRecord


class PredictionRecord(Record, frozen=True):
    """A prediction of one of a card's numbers (table `predictions`)."""

    nonce: Nonce
    made_at_ms: Instant
    study_day: Day
    card_id: CardId
    claim_id: CardId
    text: str
    value: float
    low: float
    high: float
    unit: Annotated[str, Meta(max_length=64)]
    gpu: Name


class SightingRecord(Record, frozen=True):
    """That a number was seen on a study day (table `sightings`): no prediction counts after it."""

    subject: Subject
    study_day: Day
    seen_at_ms: Instant


class NoteRecord(Record, frozen=True):
    """A note in the record (table `record_notes`)."""

    gpu: Name
    item: Subject
    text: Annotated[str, Meta(max_length=100_000)]
    written_at_ms: Instant


class MistakeRecord(Record, frozen=True):
    """A row of the mistake notebook (table `mistakes`)."""

    nonce: Nonce
    card_id: CardId
    kind: Literal["note", "again", "reword", "settle", "reopen"]
    about: Annotated[str, Meta(max_length=64)]
    text: Annotated[str, Meta(max_length=2_000)]
    at_ms: Instant
    study_day: Day


class ChangeRecord(Record, frozen=True):
    """A change of one card (table `card_changes`); those made together have one nonce."""

    nonce: Nonce
    card_id: CardId
    kind: Literal[
        "bury",
        "unbury",
        "suspend",
        "unsuspend",
        "mark",
        "unmark",
        "tag",
        "untag",
        "reset",
        "leech",
        "reschedule",
    ]
    value: Annotated[str, Meta(min_length=1, max_length=128)] | None
    at_ms: Instant
    study_day: Day
    zone: Annotated[str, Meta(min_length=1, max_length=64)]


class ChangeUndoRecord(Record, frozen=True):
    """That a change was taken back, for all its cards."""

    nonce: Nonce
    change_nonce: Nonce
    undone_at_ms: Instant


class ScheduleChangeRecord(Record, frozen=True):
    """A change of the schedule (table `schedule_changes`)."""

    nonce: Nonce
    kind: Literal["parameters", "retention", "easy_days"]
    deck: Annotated[str, Meta(max_length=128)]
    value: dict[str, Any]
    made_at_ms: Instant
    study_day: Day
    zone: Annotated[str, Meta(min_length=1, max_length=64)]


class PracticeRecord(Record, frozen=True):
    """An answer outside the schedule (table `practice_answers`); rating 0 takes one back."""

    nonce: Nonce
    session: Nonce
    card_id: CardId
    rating: Annotated[int, Meta(ge=0, le=4)]
    takes_back: Nonce | None
    at_ms: Instant
    study_day: Day
    zone: Annotated[str, Meta(min_length=1, max_length=64)]
    answer_ms: Count


class DeckRecord(Record, frozen=True):
    """A deck of the learner's own: the file's name in the folder of decks, and its text."""

    file: Annotated[str, Meta(min_length=1, max_length=200)]
    text: str


class PictureRecord(Record, frozen=True):
    """A picture of own cards: the file's name in the folder of pictures, and its bytes (base64)."""

    file: Annotated[str, Meta(min_length=5, max_length=160)]
    content: bytes


class Export(Record, frozen=True):
    """Everything that goes out, and comes in."""

    benchcards: Literal["export"] = "export"
    schema: int = SCHEMA
    exported_at: str = ""
    settings: dict[str, int | float | str] = {}
    schedulers: tuple[SchedulerRecord, ...] = ()
    reviews: tuple[ReviewRecord, ...] = ()
    cards: tuple[CardRecord, ...] = ()
    predictions: tuple[PredictionRecord, ...] = ()
    sightings: tuple[SightingRecord, ...] = ()
    record_notes: tuple[NoteRecord, ...] = ()
    mistakes: tuple[MistakeRecord, ...] = ()
    card_changes: tuple[ChangeRecord, ...] = ()
    card_change_undos: tuple[ChangeUndoRecord, ...] = ()
    practice_answers: tuple[PracticeRecord, ...] = ()
    schedule_changes: tuple[ScheduleChangeRecord, ...] = ()
    decks: tuple[DeckRecord, ...] = ()
    pictures: tuple[PictureRecord, ...] = ()


def wrong_schema(where: str, schema: object) -> ExchangeFault:
    """The fault of a file in a schema that isn't known here."""
    return ExchangeFault(
        where,
        "schema",
        f"is {schema!r}, and this version reads {SCHEMA}: bring both machines to one version of Benchcards",
    )
