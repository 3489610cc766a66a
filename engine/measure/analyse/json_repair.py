"""Repairs the text of one JSON object as profilers damage it, where what was meant is plain.

What is repaired: backslashes of Windows paths and quotes that weren't escaped, control characters, bytes that
are no UTF-8, `inf` and `nan` in place of a number, a comma too many. The caller decodes the result and drops
it where it still is no JSON: nothing here guesses at missing brackets or values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 1024 * 1024
"""Bytes of the longest object that is repaired."""

_NO_NUMBER = re.compile(r"[-+]?\b(?:infinity|inf|nan)\b(?:\(\w{0,16}\))?", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f]")
_COMMA_TOO_MANY = re.compile(r",(\s*[}\]])")
_ESCAPES = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_BACKSLASH = re.compile(r'\\["\\]?')
_PAIR_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_ENDS_KEY = re.compile(r"\s*:")
_ENDS_VALUE = re.compile(r'\s*(?:[}\]]|$|,\s*(?:[-\d\[{]|true|false|null|"[^"]{0,200}"\s*[:,\]]))')


@dataclass(frozen=True, slots=True)
class Repaired:
    """An object's text after repair. `numbers`: some were inf or nan and are null now; `text`: the rest."""

    content: bytes
    text: bool
    numbers: bool


def repairs(damaged: bytes) -> Iterator[Repaired]:
    """What the object may have meant, the most likely first."""
    if len(damaged) > LONGEST:
        return
    read = damaged.decode("utf-8", "replace")
    for quotes_escaped in (True, False):
        mended = _mended(read, quotes_escaped=quotes_escaped)
        if mended is not None:
            content, numbers = mended
            whole = content.encode("utf-8", "replace")
            only_numbers = _NO_NUMBER.sub("null", read).encode("utf-8", "replace") if numbers else damaged
            yield Repaired(whole, whole != only_numbers, numbers)


def _mended(read: str, *, quotes_escaped: bool) -> tuple[str, bool] | None:
    """The text with its strings and bare words put right, and whether a number was; None without an end.

    `quotes_escaped`: a backslash before a quote escapes it; otherwise it may be the end of a path.
    """
    parts: list[str] = []
    numbers = False
    at = 0
    while True:
        begin = read.find('"', at)
        between, changed = _NO_NUMBER.subn("null", read[at : begin if begin >= 0 else len(read)])
        numbers = numbers or changed > 0
        parts.append(_COMMA_TOO_MANY.sub(r"\1", _CONTROL.sub(_space, between)))
        if begin < 0:
            return "".join(parts), numbers
        # in an array a comma stands before a value too, which no colon follows
        is_key = parts[-1].rstrip()[-1:] in ("{", ",")
        end = _end_of_string(read, begin + 1, is_key=is_key, quotes_escaped=quotes_escaped)
        if end is None:
            return None
        parts.append(f'"{_string(read[begin + 1 : end])}"')
        at = end + 1


def _end_of_string(read: str, at: int, *, is_key: bool, quotes_escaped: bool) -> int | None:
    while (at := read.find('"', at)) >= 0:
        escaped = quotes_escaped and _backslashes_before(read, at) % 2 == 1
        if not escaped and (_ENDS_VALUE.match(read, at + 1) or (is_key and _ENDS_KEY.match(read, at + 1))):
            return at
        at += 1
    return None


def _backslashes_before(read: str, at: int) -> int:
    return at - len(read[max(0, at - 64) : at].rstrip("\\")) - max(0, at - 64)


def _string(content: str) -> str:
    if any(match[0] == "\\" for match in _ESCAPES.finditer(content)):
        # one wrong escape: it is a path, and \n in it a folder's name rather than a new line
        content = _BACKSLASH.sub(lambda m: m[0] if len(m[0]) == 2 else "\\\\", content)
    content = _PAIR_OR_QUOTE.sub(lambda m: '\\"' if m[0] == '"' else m[0], content)
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", content)


def _space(match: re.Match[str]) -> str:
    return match[0] if match[0] in "\t\n\r" else " "
