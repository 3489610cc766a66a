"""What of a card no field of Anki's holds: the card itself, its deck and its answers, packed into a field.

Anki keeps it with the note and gives it back, so that a package that comes back loses nothing. It is base64,
which Anki's editor leaves as it is.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import msgspec

from engine.study.card import Card, Deck, Language
from engine.study.exchange.records import (
    ChangeRecord,
    ChangeUndoRecord,
    MistakeRecord,
    Record,
    ReviewRecord,
    SchedulerRecord,
)
from engine.study.placed import Placed

SCHEMA = 1
FIELD = "Benchcards"
FIELDS = ("Front", "Back", FIELD)
GUID = "benchcards:"
"""A note's GUID is this and the card's id: the same in every package, so that Anki knows the note again."""

_MOST_BYTES = 64 * 1024 * 1024


class Header(Record, frozen=True):
    """A deck without its cards."""

    id: str
    title: str
    language: Language
    description: str = ""


class Cargo(Record, frozen=True, omit_defaults=True):
    """A card with its deck's header, its answers and changes, and what those were scheduled with.

    pictures: what the card calls each picture, and what Anki does. mistakes: its lines of the notebook.
    logged: the instant of each answer in Anki's log, None for one that was taken back. shown: digest of the
    fields that Anki shows, which tells whether they were edited there.
    """

    schema: int
    card: Card
    deck: Header
    place: int
    reviews: tuple[ReviewRecord, ...]
    logged: tuple[int | None, ...]
    schedulers: tuple[SchedulerRecord, ...]
    changes: tuple[ChangeRecord, ...]
    change_undos: tuple[ChangeUndoRecord, ...]
    shown: str
    pictures: tuple[tuple[str, str], ...] = ()
    mistakes: tuple[MistakeRecord, ...] = ()


def packed(cargo: Cargo) -> str:
    """The field's text."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(cargo), 9)).decode("ascii")


def unpacked(text: str) -> Cargo | None:
    """What a field holds; None where it is no cargo of ours, or was changed."""
    try:
        unpacker = zlib.decompressobj()
        body = unpacker.decompress(base64.b64decode(text.strip(), validate=True), _MOST_BYTES)
        if unpacker.unconsumed_tail:
            return None
        cargo = msgspec.json.decode(body, type=Cargo)
    except (binascii.Error, ValueError, zlib.error, msgspec.MsgspecError, RecursionError):
        return None
    sound = cargo.schema == SCHEMA and len(cargo.logged) == len(cargo.reviews)
    of = {review.card_id for review in cargo.reviews} | {change.card_id for change in cargo.changes}
    of |= {line.card_id for line in cargo.mistakes}
    return cargo if sound and of <= {cargo.card.id} and all(map(_is_sound, cargo.changes)) else None


def _is_sound(change: ChangeRecord) -> bool:
    """Whether a change that puts the card on another day says on which."""
    try:
        return change.kind != "reschedule" or Placed.read(change.value) is not None
    except ValueError:
        return False


def header_of(deck: Deck) -> Header:
    """The deck without its cards."""
    return Header(id=deck.id, title=deck.title, language=deck.language, description=deck.description)
