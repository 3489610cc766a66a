"""Cards that the app makes of the learner's own files: a gap, a kernel, a snapshot that they met.

They go into the own deck `my-files`. Pictures lie beside it in `pictures/`, named by their content.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.study.card import Kind, Language, Library
from engine.study.deck_edit import NewDeck, add_card
from engine.study.faults import StudyError
from engine.study.pictures import FOLDER, LARGEST

DECK = "my-files"
LONGEST_LINE = 300
"""Characters of a title or a figure: a deck allows 400."""
_writing = threading.Lock()


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing as SVG, with what it shows in words."""

    svg: str
    alt: str


@dataclass(frozen=True, slots=True)
class NewCard:
    """A card to be written. Texts are Markdown; `section` says where in which file it was met.

    `picture` stands at the end of the prompt, `answer_picture` at the end of the first point.
    """

    title: str
    language: Language
    prompt: str
    answer: tuple[tuple[str, str], ...]
    section: str
    kind: Kind = "question"
    topics: tuple[str, ...] = ()
    key_figures: tuple[str, ...] = ()
    pitfall: str | None = None
    picture: Picture | None = None
    answer_picture: Picture | None = None
    thing: str = ""
    """What tells it apart from others of its section, such as a kernel's whole name; else its title does."""


@dataclass(frozen=True, slots=True)
class Written:
    """The card's id; `already`: the same card stood there before, and nothing was written."""

    id: str
    already: bool


def write_card(
    own: Path,
    card: NewCard,
    library: Library,
    *,
    deck_title: str,
    document: str,
    lab_names: Collection[str] | None,
) -> Written:
    """Adds the card to the deck of own files in `own`, which is made where there is none.

    `library`: the decks as they are now. Raises StudyError where the deck has a fault, the card would give it
    one, or something can't be written; the deck is as it was then.
    """
    card_id = _id_of(card)
    with _writing:
        if card_id in library.by_id:
            return Written(card_id, True)
        pictures = [each for each in (card.picture, card.answer_picture) if each is not None]
        if any(len(each.svg.encode()) > LARGEST for each in pictures):
            raise StudyError("The picture is larger than 1 MiB and was not kept; nothing was written.")
        for picture in pictures:
            _keep(own / FOLDER, picture)
        deck = NewDeck(DECK, deck_title, card.language, document)
        add_card(_values(card, card_id), deck, own=own, library=library, lab_names=lab_names)
    return Written(card_id, False)


def _values(card: NewCard, card_id: str) -> dict[str, Any]:
    """The card's fields as a deck file has them."""
    answer = [
        {"heading": _line(heading), "text": _with(text, None if place else card.answer_picture)}
        for place, (heading, text) in enumerate(card.answer)
    ]
    values: dict[str, Any] = {
        "id": card_id,
        "kind": card.kind,
        "title": _line(card.title),
        "language": card.language,
        "topics": list(card.topics),
        "prompt": _with(card.prompt, card.picture),
        "answer": answer,
        "key_figures": [_line(figure) for figure in card.key_figures],
        "pitfall": _text(card.pitfall or ""),
        "source": {"section": _line(card.section)},
    }
    return {name: value for name, value in values.items() if value}


def _with(text: str, picture: Picture | None) -> str:
    """The text with the picture below it."""
    cleaned = _text(text)
    if picture is None:
        return cleaned
    alt = re.sub(r"[\[\]\\`]", "", _line(picture.alt))
    return f"{cleaned}\n\n![{alt}]({FOLDER}/{_file_name(picture)})"


def _id_of(card: NewCard) -> str:
    """The same thing met twice is the same card."""
    return f"{DECK}-{_hash(repr((card.thing or card.title, card.section, card.language)))}"


def _file_name(picture: Picture) -> str:
    return f"{_hash(picture.svg)}.svg"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _text(text: str) -> str:
    """Without the control characters that a hostile kernel name may hold and a deck refuses."""
    return "".join(sign for sign in text if sign in "\n\u00a0" or sign.isprintable()).strip()


def _line(text: str) -> str:
    line = " ".join(_text(text).split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _keep(folder: Path, picture: Picture) -> None:
    """Written beside and renamed; named by its content, so one that is there is the same."""
    file = folder / _file_name(picture)
    if file.exists():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=".writing-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                out.write(picture.svg)
            os.replace(beside, file)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StudyError(
            f"{file}: the picture can't be written ({error.strerror or error}): make room or allow it"
        ) from error
