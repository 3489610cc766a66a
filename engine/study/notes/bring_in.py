"""From notes to cards of one deck: what is new, what changed, what stays; then all of it, or nothing.

A note is known again by its id, by its title, or, where the title was mended, by its answer: so the same file
brought in twice changes nothing, and a changed one changes its cards, whose history stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.study import deck_edit
from engine.study.card import Fault, Language, Library
from engine.study.deck_bytes import decode, read_bytes
from engine.study.deck_edit import DeckMoved, DeckRefused, DeckText, NewDeck
from engine.study.deck_emit import as_kept
from engine.study.deck_patch import put
from engine.study.deck_spans import spots
from engine.study.notes import markdown, table
from engine.study.notes.note import Note, Notes, NotesFault, guessed_language
from engine.study.search import fold

SUFFIXES = {".md": markdown, ".markdown": markdown, ".tsv": table, ".txt": table}
"""Names of files that hold notes, and what reads them."""


@dataclass(frozen=True, slots=True)
class NotesReport:
    """What bringing the notes in does, or would do. new, changed, same: titles. left_out: in words."""

    deck: str
    path: Path
    makes_deck: bool
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether any card is written."""
        return bool(self.new or self.changed)


@dataclass(frozen=True, slots=True)
class NotesPlan:
    """The report, and the deck's text as it would be. opened: None where the deck is new."""

    report: NotesReport
    text: str
    opened: DeckText | None


def is_notes(path: Path) -> bool:
    """Whether a file's name says that it holds notes."""
    return path.suffix.lower() in SUFFIXES


def read_notes(path: Path) -> Notes:
    """The notes in a file. Raises NotesFault."""
    raw = read_bytes(path)
    if isinstance(raw, str):
        raise NotesFault(str(path), [(1, raw.replace("deck file", "file of notes"))])
    return parse_notes(raw, str(path))


def parse_notes(raw: bytes, file: str) -> Notes:
    """The notes in a file's bytes; its name says how they are written. Raises NotesFault."""
    text = decode(raw.removeprefix(b"\xef\xbb\xbf")).text
    if text is None or "\ufffd" in text:
        raise NotesFault(file, [(1, "isn't UTF-8 text: save it as UTF-8")])
    notes: Notes = SUFFIXES[Path(file).suffix.lower()].read(text, file)
    return notes


def plan_notes(
    notes: Notes,
    file: str,
    *,
    own: Path,
    library: Library,
    lab_names: Collection[str] | None,
    deck: str | None = None,
    language: Language | None = None,
) -> NotesPlan:
    """What the notes become; nothing is written. `deck`: an id, instead of what the file says.

    Raises NotesFault with the lines of the notes that no card can be made of, or DeckMoved.
    """
    deck_id = deck_edit.slug(deck or notes.deck or notes.title or Path(file).stem) or "my-notes"
    there = next((each for each in library.decks if each.id == deck_id), None)
    opened = deck_edit.open_deck(Path(there.path), own) if there is not None else None
    path = opened.path if opened is not None else own / f"{deck_id}.yaml"
    if opened is None and os.path.lexists(path):
        raise DeckMoved(f"{path}: is there already and can't be used as it is: see the page Cards for why")
    cards: list[dict[str, Any]] = spots(opened.text).at(("cards",)).plain() if opened is not None else []
    known = _Known(cards)
    taken = {*library.by_id, *(str(card["id"]) for card in cards)}
    new: list[str] = []
    changed: list[str] = []
    same: list[str] = []
    lines: dict[int, int] = {}
    for note in notes.notes:
        index = known.find(note)
        if index is None:
            card_id = note.id or deck_edit.new_card_id(note.title, deck_id, taken)
            taken.add(card_id)
            cards.append({"id": card_id, "kind": "question", **note.values()})
            index = len(cards) - 1
            new.append(note.title)
        else:
            merged = {**cards[index], **note.values()}
            (same if _told(merged) == _told(cards[index]) else changed).append(note.title)
            cards[index] = merged
        lines[index] = note.line
    if opened is None:
        speaks = language or notes.language or guessed_language(map(str, notes.notes))
        header = NewDeck(deck_id, notes.title or Path(file).stem, speaks, notes.document or "")
        text = deck_edit.deck_of(header, cards)
    else:
        text = put(opened.text, ("cards",), cards) if new or changed else opened.text
    _, faults = deck_edit.faults_of(text, path, library, lab_names=lab_names)
    if faults:
        raise NotesFault(file, [_in_notes(fault, lines) for fault in faults])
    report = NotesReport(
        deck=deck_id,
        path=path,
        makes_deck=opened is None,
        new=tuple(new),
        changed=tuple(changed),
        same=tuple(same),
        left_out=notes.left_out,
    )
    return NotesPlan(report, text, opened)


def write_notes(plan: NotesPlan, library: Library, *, lab_names: Collection[str] | None) -> None:
    """Writes what was planned, all of it or nothing. Raises DeckRefused or DeckMoved."""
    if not plan.report.changes:
        return
    if plan.opened is not None:
        deck_edit.save(plan.opened, plan.text, library, lab_names=lab_names)
        return
    _, faults = deck_edit.faults_of(plan.text, plan.report.path, library, lab_names=lab_names)
    if faults:
        raise DeckRefused(faults)
    deck_edit.make(plan.report.path, plan.text)


class _Known:
    """The cards that are there, to find a note's card in; each is found once."""

    def __init__(self, cards: list[dict[str, Any]]) -> None:
        self.left = set(range(len(cards)))
        self.by_id = {str(card["id"]): index for index, card in enumerate(cards)}
        self.by_title: dict[str, list[int]] = {}
        self.by_answer: dict[str, list[int]] = {}
        for index, card in enumerate(cards):
            self.by_title.setdefault(fold(str(card.get("title", ""))), []).append(index)
            self.by_answer.setdefault(_texts(card.get("answer")), []).append(index)

    def find(self, note: Note) -> int | None:
        if note.id is not None and note.id in self.by_id:
            found = [self.by_id[note.id]]
        else:
            answer = note.values()["answer"]
            found = self.by_title.get(fold(note.title), []) or self.by_answer.get(_texts(answer), [])
        for index in found:
            if index in self.left:
                self.left.discard(index)
                return index
        return None


def _told(value: Any) -> str:
    """A value as far as it says something: blank lines around a text and spaces on them say nothing."""
    if isinstance(value, str):
        return as_kept(value).strip()
    if isinstance(value, dict):
        return repr(sorted((name, _told(each)) for name, each in value.items()))
    return repr([_told(each) for each in value or ()])


def _texts(answer: Any) -> str:
    """What an answer says below its headings: a single point is headed by the card's title."""
    return repr([_told(point.get("text", "")) for point in answer or () if isinstance(point, dict)])


def _in_notes(fault: Fault, lines: dict[int, int]) -> tuple[int, str]:
    """A fault of the deck at the line of the note that it comes from."""
    card = re.match(r"cards\[(\d+)\]\.?(.*)", fault.field)
    line = lines.get(int(card[1]), 1) if card is not None else 1
    field = card[2] if card is not None else fault.field
    return line, f"{field}: {fault.message}" if field else fault.message
