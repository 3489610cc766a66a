"""Writing decks: a card's text changed in its file, a card added, a project's deck copied to one's own first.

Only files in the learner's folder of decks are ever written. A deck that came with the app is copied there
under its own name at the first change; from then on the copy is read in its place (`library.load_library`),
and removing the copy brings the original back. Everything is checked before it is written, a file is replaced
whole or not at all, and the text before a change is kept (`deck_versions`).
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.study import deck_emit, deck_patch, deck_versions
from engine.study.card import Card, Fault, Language, Library
from engine.study.deck_bytes import decode, read_bytes
from engine.study.deck_spans import Spot, spots
from engine.study.faults import StudyError
from engine.study.parsed_deck import ParsedDeck
from engine.study.search import fold

_LONGEST_ID = 60
"""Characters that a title gives to an id."""

_writing = threading.Lock()
"""Held from looking at a file until it is replaced: of two tabs that save at once, one is told."""


class DeckRefused(StudyError):
    """The deck would have these faults, so nothing was written."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(map(str, faults)))


class DeckMoved(StudyError):
    """The file isn't what it was when it was opened, or can't be read or written. Nothing was written."""


@dataclass(frozen=True, slots=True)
class DeckText:
    """A deck's file as it was opened for changing.

    path: where it is saved, in the learner's folder. origin: the project's file where that is a copy yet to
    be made, else None. text: with "\\n" line ends, whatever the file has. digest: of the bytes it was read
    from. crlf: the file's lines end as on Windows, and are written so.
    """

    path: Path
    text: str
    digest: str
    origin: Path | None = None
    crlf: bool = False


@dataclass(frozen=True, slots=True)
class NewDeck:
    """A deck of the learner's own that is made when its first card is written."""

    id: str
    title: str
    language: Language
    document: str = ""


def open_deck(file: Path, own: Path, *, copies: bool = True) -> DeckText:
    """The deck in `file` for changing. `own`: the learner's folder of decks. Raises DeckMoved.

    copies: refuse a deck of the project whose copy is there already; False: only its text is wanted.
    """
    raw = _bytes_of(file)
    text = decode(raw).text
    if text is None:
        raise DeckMoved(f"{file}: isn't UTF-8 text: save it as UTF-8")
    mine = file.resolve().is_relative_to(own.resolve())
    path = file if mine else own / file.name
    if copies and not mine and os.path.lexists(path):
        raise DeckMoved(
            f"{path}: is your own copy of {file.name} and has faults, so it isn't in use: "
            "mend it or move it away, then edit again"
        )
    crlf = b"\r\n" in raw and raw.count(b"\r\n") == raw.count(b"\n")
    return DeckText(path, text, _digest(raw), None if mine else file, crlf)


def card_text(deck: str, card_id: str) -> str:
    """The YAML of one card within a deck's text, without the list's dash and indentation.

    Raises KeyError where the deck has no such card.
    """
    _, spot = _card(deck, card_id)
    pad = " " * spot.column
    lines = (pad + deck[spot.start : _end(deck, spot)]).split("\n")
    # a comment may stand further to the left than the card
    return (
        "\n".join(line.removeprefix(pad) if line.startswith(pad) else line.lstrip() for line in lines) + "\n"
    )


def with_card_text(deck: str, card_id: str, text: str) -> str:
    """The deck's text with the card's YAML (as `card_text` gives it) replaced; nothing else changes.

    Raises KeyError where the deck has no such card. What `text` holds is checked when it is saved.
    """
    if text == card_text(deck, card_id):
        return deck
    _, spot = _card(deck, card_id)
    written = _indented(text, spot.column).lstrip(" ")
    return deck[: spot.start] + written + deck[_end(deck, spot) :]


def with_card(deck: str, card_id: str, values: Mapping[str, Any]) -> str:
    """The deck's text with the card's fields set to `values` (str, list and dict, as the file has them).

    Only what differs is touched: comments, quotes, order and blank lines stay. Raises KeyError.
    """
    index, _ = _card(deck, card_id)
    return deck_patch.put(deck, ("cards", index), values)


def card_values(deck: str, card_id: str) -> dict[str, Any]:
    """The card's fields as plain values. Raises KeyError."""
    values: dict[str, Any] = _card(deck, card_id)[1].plain()
    return values


def with_new_card(deck: str, values: Mapping[str, Any]) -> str:
    """The deck's text with one more card at its end."""
    return deck_patch.append(deck, ("cards",), values)


def with_new_card_text(deck: str, text: str) -> str:
    """The deck's text with one more card at its end, written as `text` has it (see `card_text`)."""
    cards = spots(deck).at(("cards",))
    if cards.flow:
        # a list in brackets can't hold what is typed line by line
        head = deck[: cards.start].rstrip()
        listed = "".join("\n  " + deck_emit.item(card, 2, field="cards") for card in cards.plain())
        deck = head + listed + deck[cards.end :]
        cards = spots(deck).at(("cards",))
    line_end = deck.find("\n", cards.end)
    at = len(deck) if line_end < 0 else line_end
    return f"{deck[:at]}\n\n{_as_item(text, cards.column)}{deck[at:] or chr(10)}"


def lacking(copy: str, original: str) -> tuple[str, ...]:
    """Ids of the cards that a newer original has and the learner's copy lacks; the texts of sound decks."""
    mine = {card.get("id") for card in spots(copy).at(("cards",)).plain()}
    theirs = [str(card["id"]) for card in spots(original).at(("cards",)).plain()]
    return tuple(card_id for card_id in theirs if card_id not in mine)


def with_lacking(copy: str, original: str) -> str:
    """The copy's text with the cards that it lacks at its end, as they stand in the original."""
    for card_id in lacking(copy, original):
        copy = with_new_card_text(copy, card_text(original, card_id))
    return copy


def without_card(deck: str, card_id: str) -> str:
    """The deck's text without a card; its history stays in the log. Raises KeyError."""
    cards: list[Any] = spots(deck).at(("cards",)).plain()
    return deck_patch.put(deck, ("cards",), [card for card in cards if card.get("id") != card_id])


def deck_of(deck: NewDeck, cards: Sequence[Mapping[str, Any]]) -> str:
    """The text of a new deck with its first cards, a blank line between them."""
    head = {"id": deck.id, "title": deck.title, "language": deck.language}
    if deck.document:
        head["document"] = deck.document
    listed = "\n\n".join("  " + deck_emit.item(values, 2, field="cards") for values in cards)
    return f"{deck_emit.fields({'deck': head}, 0)}\n\ncards:\n{listed}\n"


def deck_of_text(deck: NewDeck, text: str) -> str:
    """The text of a new deck with its first card, written as `text` has it (see `card_text`)."""
    empty = deck_of(deck, [])
    return f"{empty.rstrip()}\n{_as_item(text, 2)}\n"


def make(path: Path, text: str) -> None:
    """Writes a deck that isn't there yet; its text was checked. Raises DeckMoved."""
    with _writing:
        if os.path.lexists(path):
            raise DeckMoved(
                f"{path}: is there already and can't be used as it is: see the page Cards for why"
            )
        _write(path, text.encode("utf-8"))


def faults_of(
    deck: str,
    path: Path,
    library: Library,
    *,
    lab_names: Collection[str] | None,
    keeps: Collection[str] = (),
) -> tuple[ParsedDeck, tuple[Fault, ...]]:
    """The deck that `deck` would be, and what is wrong with it, beside every other deck of `library`.

    keeps: ids of cards that must still be there, since their history hangs on them.
    """
    from engine.study.deck_parse import parse_deck  # PyYAML and pydantic take long to import

    file = str(path)
    parsed = parse_deck(deck.encode("utf-8", "surrogatepass"), file)
    own_id = parsed.deck_id.name if parsed.deck_id is not None else None
    found = list(parsed.faults)
    for mention in parsed.card_ids:
        other = library.by_id.get(mention.name)
        if other is not None and other.deck != own_id and other.file != file:
            where = f"{other.file}:{other.line}"
            message = f'"{mention.name}" is already the id of the card at {where}: give this one another id'
            found.append(Fault(file, mention.line, mention.field, message))
    named = {mention.name for mention in parsed.card_ids}
    for card_id in keeps:
        # where the text can't be read, what is wrong with it is enough to say
        if card_id not in named and not parsed.faults:
            message = f'"{card_id}" is gone: the card\'s history hangs on its id, so write it as it was'
            line = parsed.card_ids[0].line if parsed.card_ids else 1
            found.append(Fault(file, line, "cards.id", message))
    if lab_names is not None:
        found += [
            Fault(file, mention.line, mention.field, f'there is no lab "{mention.name}"')
            for mention in parsed.labs
            if mention.name not in lab_names
        ]
    return parsed, tuple(sorted(found, key=lambda fault: fault.line))


def save(
    opened: DeckText,
    text: str,
    library: Library,
    *,
    lab_names: Collection[str] | None,
    keeps: Collection[str] = (),
) -> DeckText:
    """Writes the deck's new text; what it was is kept beside it. Returns the deck as it is now.

    Raises DeckRefused where it has faults, DeckMoved where the file was changed since it was opened (or can't
    be written); nothing was written then.
    """
    _, faults = faults_of(text, opened.path, library, lab_names=lab_names, keeps=keeps)
    if faults:
        raise DeckRefused(faults)
    content = (text.replace("\n", "\r\n") if opened.crlf else text).encode("utf-8")
    with _writing:
        raw = _bytes_of(opened.origin or opened.path)
        if _digest(raw) != opened.digest or (opened.origin is not None and os.path.lexists(opened.path)):
            raise DeckMoved(
                f"{opened.path}: was changed by another program since you opened it: copy your text, "
                "open the card again and put it in"
            )
        if content != raw or opened.origin is not None:
            if opened.origin is None:
                _keep(opened.path, raw)
            _write(opened.path, content)
    return replace(opened, text=text, digest=_digest(content), origin=None)


def add_card(
    values: Mapping[str, Any],
    deck: NewDeck,
    *,
    own: Path,
    library: Library,
    lab_names: Collection[str] | None,
) -> tuple[Path, str]:
    """Writes a card into one of the learner's own decks, which is made where there is none of that id.

    values: the card's fields as in a deck file; a missing `id` is made from the title (`new_card_id`).
    Returns the deck's file and the card's id. Raises DeckRefused or DeckMoved, and nothing was written then.
    """
    card = dict(values)
    if "id" not in card:
        card = {"id": new_card_id(str(card.get("title", "")), deck.id, library.by_id), **card}
    there = next((each for each in library.decks if each.id == deck.id), None)
    if there is not None:
        opened = open_deck(Path(there.path), own)
        save(opened, with_new_card(opened.text, card), library, lab_names=lab_names)
        return opened.path, str(card["id"])
    path = own / f"{deck.id}.yaml"
    text = deck_of(deck, [card])
    _, faults = faults_of(text, path, library, lab_names=lab_names)
    if faults:
        raise DeckRefused(faults)
    make(path, text)
    return path, str(card["id"])


def new_card_id(title: str, deck_id: str, taken: Collection[str]) -> str:
    """An id that no card has: the deck's id and the title in plain letters, numbered where that is taken."""
    name = slug(title)[:_LONGEST_ID].strip("-")
    if not name:  # a title in Chinese has no letter that an id may have
        name = hashlib.blake2b(title.encode("utf-8", "replace"), digest_size=4).hexdigest()
    base = f"{deck_id[: 99 - _LONGEST_ID - 5].strip('-')}-{name}"
    number, found = 1, base
    while found in taken:
        number += 1
        found = f"{base}-{number}"
    return found


def slug(text: str) -> str:
    """Lowercase letters, digits and single hyphens; "" where the text has no letter that an id may have."""
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")


def is_own(card: Card, own: Path) -> bool:
    """Whether the card stands in one of the learner's own decks, so that changing it copies nothing."""
    return Path(card.file).resolve().is_relative_to(own.resolve())


def _as_item(text: str, column: int) -> str:
    """A card's YAML as an item of a list whose dashes stand at `column`."""
    return " " * column + "- " + _indented(text, column + 2).lstrip(" ")


def _indented(text: str, column: int) -> str:
    lines = text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")
    pad = " " * column
    return "\n".join(pad + line if line.strip() else "" for line in lines)


def _end(deck: str, spot: Spot) -> int:
    """Where a card ends: a comment behind its last value is its own."""
    rest = deck[spot.end :].split("\n", 1)[0]
    return spot.end + len(rest) if rest.lstrip().startswith("#") else spot.end


def _card(deck: str, card_id: str) -> tuple[int, Spot]:
    for index, spot in enumerate(spots(deck).at(("cards",)).items):
        if any(entry.name == "id" and entry.value.value == card_id for entry in spot.entries):
            return index, spot
    raise KeyError(card_id)


def _bytes_of(file: Path) -> bytes:
    raw = read_bytes(file)
    if isinstance(raw, str):
        raise DeckMoved(f"{file}: {raw}")
    return raw


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _keep(path: Path, content: bytes) -> None:
    """The text before the change. Raises DeckMoved: without it nothing is changed."""
    try:
        deck_versions.keep(path, content)
    except OSError as error:
        raise DeckMoved(
            f"{path}: its text can't be kept before the change ({error.strerror or error}): "
            "make room or allow it"
        ) from error


def _write(path: Path, content: bytes) -> None:
    """The whole file or none of it, on disk before it counts. Raises DeckMoved."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DeckMoved(
            f"{path}: can't be written ({error.strerror or error}): make room or allow it"
        ) from error
