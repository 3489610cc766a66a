"""What goes between us and the process that runs Anki: notes, their cards and their review log, as JSON.

Days are counted from today (the learner's study day), so that neither side need know the other's calendar.
"""

from __future__ import annotations

import msgspec

NEW, LEARNING, REVIEW, RELEARNING = 0, 1, 2, 3
"""Anki's types of cards. Its review log has 0 learning, 1 review, 2 relearning, and others for no answer."""

LOG_LEARNING, LOG_REVIEW, LOG_RELEARNING, LOG_CRAM = 0, 1, 2, 3

SUSPENDED, BURIED, BURIED_BY_SCHEDULER = -1, -2, -3
"""Anki's queues of cards that don't come."""


class LogRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of Anki's review log. `interval` and `last_interval`: days, or below zero seconds."""

    at_ms: int
    rating: int
    interval: int
    last_interval: int
    factor: int
    took_ms: int
    kind: int


class AnkiCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card of a note. due_days: for those due on a day; due_ms: for those due at an instant.

    interval_days: of review cards. retention: the desired one that an outgoing card is scheduled with.
    changed_s: when an incoming one was changed last, in seconds since 1970. front, back: its HTML as Anki
    draws it.
    """

    ordinal: int = 0
    kind: int = NEW
    queue: int = NEW
    due_days: int | None = None
    due_ms: int | None = None
    position: int = 0
    interval_days: int = 0
    reps: int = 0
    lapses: int = 0
    steps_left: int = 0
    stability: float | None = None
    difficulty: float | None = None
    last_review_ms: int | None = None
    retention: float = 0.9
    log: tuple[LogRow, ...] = ()
    changed_s: int = 0
    front: str = ""
    back: str = ""


class AnkiNote(msgspec.Struct, frozen=True, kw_only=True):
    """A note in a deck (`A::B` lies within `A`)."""

    guid: str
    deck: str
    fields: tuple[str, ...]
    field_names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cards: tuple[AnkiCard, ...] = ()


class AnkiPicture(msgspec.Struct, frozen=True):
    """A file of Anki's media folder, by its name there."""

    name: str
    content: bytes


class AnkiPackage(msgspec.Struct, frozen=True, kw_only=True):
    """The notes of a package with the pictures they show; of one that goes out also FSRS's decay and the note
    type.
    """

    notes: tuple[AnkiNote, ...] = ()
    decay: float = 0.1542
    style: str = ""
    note_type: str = ""
    front: str = ""
    back: str = ""
    pictures: tuple[AnkiPicture, ...] = ()
    anki: str = ""
    """The version of Anki that read it."""
