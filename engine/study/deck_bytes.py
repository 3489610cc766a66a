"""From a path to text: what can be wrong with a file before its content is looked at."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.study.deck_node import Problem

MAX_BYTES = 8 * 1024 * 1024
"""A deck of 2,000 long cards has about 4 MB."""


@dataclass(slots=True)
class DeckText:
    """The text of a deck file, with what was wrong with its bytes. `text` is None if it can't be read."""

    text: str | None
    problems: list[Problem] = field(default_factory=list)


def read_bytes(path: Path) -> bytes | str:
    """The bytes of a deck file, or a message that says why they can't be had."""
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            return "is a folder, not a deck file: rename the folder or move it elsewhere"
        if not stat.S_ISREG(found.st_mode):
            return "is a device or a pipe, not a deck file: move it elsewhere"
        if found.st_size > MAX_BYTES:
            return (
                f"has {found.st_size / 1e6:.1f} MB, more than the {MAX_BYTES / 1e6:.1f} MB that a deck may "
                "have: split it into several decks"
            )
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return "does not exist, or is a link to a file that does not exist: remove the link or mend it"
    except PermissionError:
        return "may not be read by you: allow reading (on Linux and macOS: chmod u+r FILE)"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a link that leads back to itself: remove it"
        return f"can't be read ({error.strerror or error}): check the disk and the file's rights"


_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def decode(raw: bytes) -> DeckText:
    """UTF-8 to text with "\\n" line ends. What isn't text is reported and replaced."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return DeckText(
            None, [Problem(1, (), "is written in UTF-16: save it as UTF-8 (without byte order mark)")]
        )
    problems: list[Problem] = []
    if raw.startswith(b"\xef\xbb\xbf"):
        problems.append(Problem(1, (), "begins with a byte order mark (BOM): save it as UTF-8 without BOM"))
        raw = raw[3:]
    problems.extend(_bad_encoding(raw))
    text = raw.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if _NOT_TEXT.search(text):
        problems.extend(_invisible(text))
        text = _NOT_TEXT.sub(" ", text)
    return DeckText(text, problems)


_MAX_LEXICAL = 50


def _bad_encoding(raw: bytes) -> Iterator[Problem]:
    """One problem for each line that holds bytes that are not UTF-8."""
    offset, found = 0, 0
    for number, content in enumerate(raw.splitlines(keepends=True), start=1):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            where = f"byte 0x{content[error.start]:02x} (offset {offset + error.start})"
            yield Problem(number, None, f"{where} is not UTF-8: save the file as UTF-8")
            found += 1
        offset += len(content)
        if found == _MAX_LEXICAL:
            return


def _invisible(text: str) -> Iterator[Problem]:
    """One problem for each line that holds a character nobody sees."""
    found = 0
    for number, content in enumerate(text.split("\n"), start=1):
        match = _NOT_TEXT.search(content)
        if match is not None:
            sign = f"U+{ord(match.group()):04X}"
            yield Problem(number, None, f"holds the invisible character {sign}: take it out")
            found += 1
        if found == _MAX_LEXICAL:
            return


def escaped_junk(text: str) -> str | None:
    """Why the value of a scalar can't be used: an escape made a character that is no text."""
    match = _ESCAPED_JUNK.search(text)
    if match is None:
        return None
    return f"holds the control character U+{ord(match.group()):04X} by an escape: take it out"


_ESCAPED_JUNK = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
