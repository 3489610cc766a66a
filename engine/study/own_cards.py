"""Cards that the app writes into the learner's own deck: a gap, a kernel, a snapshot that they met.

They go to the end of `my-files.yaml` in the folder of own decks, as text, so that what a person changed in
that file stays as it stands. Pictures lie beside it in `pictures/`, named by their content. Nothing is
written that the deck reader would not take.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from engine.study.card import Kind, Language
from engine.study.deck_bytes import read_bytes
from engine.study.faults import StudyError

FILE = "my-files.yaml"
DECK = "my-files"
PICTURES = "pictures"
LARGEST_PICTURE = 1024 * 1024
_SIGNS_A_LINE = 300
_writing = threading.Lock()


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing as SVG, with what it shows in words."""

    svg: str
    alt: str


@dataclass(frozen=True, slots=True)
class NewCard:
    """A card to be written. Texts are Markdown; `section` says where in which file it was met.

    `picture` goes to the end of the prompt, `answer_picture` to the end of the first point.
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
    answer_picture: Picture | None = field(default=None)


@dataclass(frozen=True, slots=True)
class Written:
    """The card's id; `already`: the same card stood there before, and nothing was written."""

    id: str
    already: bool
    file: Path


def add_card(folder: Path, card: NewCard, *, deck_title: str, document: str) -> Written:
    """Adds the card to the own deck in `folder`, which is made where it isn't there.

    Raises StudyError where the deck has a fault, can't be written, or the card would make it faulty.
    """
    file = folder / FILE
    card_id = _id_of(card)
    with _writing:
        text = _text_of(file)
        if f"\n  - id: {card_id}\n" in text:
            return Written(card_id, True, file)
        head = text.rstrip() + "\n" if text.strip() else _head(deck_title, document, card.language)
        whole = head + _entry(card, card_id, _pictures(card))
        _check(whole, file)
        try:
            (folder / PICTURES).mkdir(parents=True, exist_ok=True)
            for name, picture in _pictures(card).items():
                _replace(folder / PICTURES / name, picture.svg)
            _replace(file, whole)
        except OSError as error:
            raise StudyError(
                f"{file}: the card can't be written ({error.strerror or error}): check the disk and the "
                "rights of the folder"
            ) from error
    return Written(card_id, False, file)


def _text_of(file: Path) -> str:
    if not file.exists():
        return ""
    raw = read_bytes(file)
    if isinstance(raw, str):
        raise StudyError(f"{file}: {raw}")
    return raw.decode("utf-8", "replace")


def _check(text: str, file: Path) -> None:
    """Holds the new text against the deck reader. Raises StudyError with its first fault."""
    # PyYAML and pydantic: most starts of the app do without
    from engine.study.deck_parse import parse_deck

    parsed = parse_deck(text.encode("utf-8"), str(file))
    if parsed.faults:
        raise StudyError(f"{parsed.faults[0]}. Mend it first; nothing was written.")


def _head(title: str, document: str, language: Language) -> str:
    return (
        "# Cards made of your own traces, snapshots and reports. Change them as you like; keep the ids.\n"
        "deck:\n"
        f"  id: {DECK}\n"
        f"  title: {_quoted(title)}\n"
        f"  language: {language}\n"
        f"  document: {_quoted(document)}\n"
        "cards:\n"
    )


def _entry(card: NewCard, card_id: str, pictures: dict[str, Picture]) -> str:
    """The card as YAML: short texts in double quotes, long ones as blocks."""
    names = {id(picture): name for name, picture in pictures.items()}

    def with_picture(text: str, picture: Picture | None) -> str:
        if picture is None:
            return text
        return f"{text}\n\n![{_alt(picture.alt)}]({PICTURES}/{names[id(picture)]})"

    lines = [
        f"  - id: {card_id}",
        f"    kind: {card.kind}",
        f"    title: {_quoted(card.title)}",
        f"    language: {card.language}",
    ]
    if card.topics:
        lines.append(f"    topics: [{', '.join(card.topics)}]")
    lines += [f"    prompt: {_block(with_picture(card.prompt, card.picture), 6)}", "    answer:"]
    for place, (heading, text) in enumerate(card.answer):
        shown = with_picture(text, card.answer_picture) if place == 0 else text
        lines += [f"      - heading: {_quoted(heading)}", f"        text: {_block(shown, 10)}"]
    if card.key_figures:
        lines += ["    key_figures:", *(f"      - {_quoted(figure)}" for figure in card.key_figures)]
    if card.pitfall:
        lines.append(f"    pitfall: {_block(card.pitfall, 6)}")
    lines.append(f"    source: {{section: {_quoted(card.section)}}}")
    return "\n".join(lines) + "\n"


def _pictures(card: NewCard) -> dict[str, Picture]:
    """The card's pictures by file name. Raises StudyError for one that is too large."""
    found: dict[str, Picture] = {}
    for picture in (card.picture, card.answer_picture):
        if picture is None:
            continue
        if len(picture.svg.encode()) > LARGEST_PICTURE:
            raise StudyError("The picture is larger than 1 MiB and was not kept; nothing was written.")
        found[f"{_hash(picture.svg)}.svg"] = picture
    return found


def _id_of(card: NewCard) -> str:
    """The same thing met twice is the same card."""
    return f"{DECK}-{_hash(repr((card.title, card.section, card.language)))}"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _plain(text: str) -> str:
    """Without the control characters that a hostile kernel name may hold and YAML refuses."""
    return "".join(sign for sign in text if sign == "\n" or sign.isprintable())


def _quoted(text: str) -> str:
    """One line in double quotes: JSON's are YAML's."""
    line = " ".join(_plain(text).split())
    short = line if len(line) <= _SIGNS_A_LINE else line[: _SIGNS_A_LINE - 1] + "…"
    return json.dumps(short, ensure_ascii=False)


def _block(text: str, indent: int) -> str:
    """A text as a literal block, or in quotes where it is one short line."""
    cleaned = _plain(text).strip()
    if "\n" not in cleaned and len(cleaned) < 80:
        return json.dumps(cleaned, ensure_ascii=False)
    pad = " " * indent
    return "|\n" + "\n".join(f"{pad}{line.rstrip()}".rstrip() for line in cleaned.split("\n"))


def _alt(text: str) -> str:
    return re.sub(r"[\[\]\\`]", "", " ".join(_plain(text).split()))


def _replace(file: Path, text: str) -> None:
    """Written beside and renamed: a crash leaves the old file or the new one."""
    handle, beside = tempfile.mkstemp(prefix=".writing-", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, file)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise
