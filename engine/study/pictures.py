"""Pictures that cards show: files in `pictures/` beside their deck, `![…](pictures/NAME)` in a text.

Only those files are ever shown or carried: a plain name, of a kind that a browser draws without running
anything in it, no larger than what can travel with a card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.study.card import Card

FOLDER = "pictures"
LARGEST = 1024 * 1024
"""Bytes: a picture travels with its card."""

TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
"""Media types by the end of a name. An SVG in an `img` runs no script and loads nothing."""

_NAME = rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,150}}\.(?:{'|'.join(TYPES)})"
NAME = re.compile(_NAME)
"""What a picture may be called: a name that every system takes."""

ADDRESS = re.compile(rf"{FOLDER}/({_NAME})")
"""What a card's text calls it."""

_IN_TEXT = re.compile(rf"!\[[^\]]*\]\({FOLDER}/({_NAME})\)")
_SVG = re.compile(rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE\s+svg[^>]*>\s*)*<svg[\s>]", re.DOTALL)


def type_of(name: str) -> str:
    """The media type of a picture with a name that `NAME` takes."""
    return TYPES[name.rpartition(".")[2]]


def kind_of(content: bytes) -> str | None:
    """What a picture is by its bytes, as the end of its name; None where cards can't show it."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return "svg" if _SVG.match(content[:4096].removeprefix(b"\xef\xbb\xbf")) else None


def read(folder: Path, name: str) -> bytes | None:
    """A picture beside the deck in `folder`; None: there is none, it is too large, or can't be read."""
    if not NAME.fullmatch(name):
        return None
    file = folder / FOLDER / name
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            return None
        return file.read_bytes()
    except OSError:
        return None  # unreadable: its words stand there


def names_in(texts: Iterable[str]) -> Iterator[str]:
    """The names of the pictures that texts show, in their order."""
    for text in texts:
        yield from _IN_TEXT.findall(text)


def names_of(card: Card) -> tuple[str, ...]:
    """The names of the pictures that a card shows, each once."""
    texts = [card.prompt, *(point.text for point in card.answer), card.pitfall or "", *card.key_figures]
    texts += [text for follow in card.follow_ups for text in (follow.prompt, follow.answer)]
    return tuple(dict.fromkeys(names_in(texts)))
