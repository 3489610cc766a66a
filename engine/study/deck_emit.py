"""Plain values (str, list, dict) as the YAML text that decks are written in.

The text is what `deck_tree` reads back: every scalar is text, so only what YAML itself would take for a mark
is put in quotes. `written` forms are those of the committed decks: short lists and what a claim says on one
line, longer text in a block after `|`.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

Value = str | Sequence[Any] | Mapping[str, Any]
"""A value of a deck: text, a list, or a group of fields."""

WIDTH = 110
"""Columns of a line; longer groups of fields get a line each."""

ONE_LINE = frozenset({"topics", "lessons", "source", "says", "measured", "labels", "set", "quantities"})
"""Fields that stand on one line where they fit, as in the committed decks."""

_PLAIN = re.compile(r"[^\W_][^\n]*")
"""Begins with a letter or a digit of any language; what is wrong further on is looked for below."""


def block(value: Value, indent: int, *, field: str = "") -> str:
    """`value` as it stands behind `field:` or `-` of a block: begins with a space or a line break.

    indent: the column of the field's name (or of the dash). No line break at the end.
    """
    if isinstance(value, str):
        return " " + scalar(value, indent)
    if not value:
        return " []" if not isinstance(value, Mapping) else " {}"
    if field in ONE_LINE:
        line = " " + flow(value)
        if "\n" not in line and indent + len(field) + len(line) + 1 <= WIDTH:
            return line
    pad = "\n" + " " * (indent + 2)
    if isinstance(value, Mapping):
        return "".join(pad + entry(name, each, indent + 2) for name, each in value.items())
    return "".join(pad + item(each, indent + 2, field=field) for each in value)


def entry(name: str, value: Value, indent: int) -> str:
    """`name: value`, the name at column `indent`; no line break at the end."""
    return f"{name}:{block(value, indent, field=name)}"


def item(value: Value, indent: int, *, field: str = "") -> str:
    """`- value` of the list `field`, the dash at column `indent`; no line break at the end."""
    if isinstance(value, Mapping) and value:
        if field == "labs":
            line = flow(value)
            if indent + len(line) + 2 <= WIDTH:
                return "- " + line
        return "- " + fields(value, indent + 2)
    return "-" + block(value, indent)


def fields(value: Mapping[str, Any], indent: int) -> str:
    """A group of fields, one below the other at column `indent`; the first line without its indentation."""
    return ("\n" + " " * indent).join(entry(name, each, indent) for name, each in value.items())


def scalar(text: str, indent: int, style: str | None = None) -> str:
    """A text behind a field at column `indent`, in the style it had (`|`, `>`, `"`, `'`, None: plain)."""
    if style == ">" and "\n" not in text.strip("\n"):
        folded = _folded(text.strip("\n"), indent)
        if folded is not None:
            return folded
    if text.strip("\n") and ("\n" in text or style in ("|", ">")) and _fits_a_block(text):
        return _literal(text, indent)
    if style == "'" and "\n" not in text and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if style not in ('"', "'") and _is_plain(text):
        return text
    return quoted(text)


def as_kept(text: str) -> str:
    """The text as a deck file keeps it: no spaces on its blank lines, and none of these around it."""
    return "\n".join(line if line.strip() else "" for line in text.split("\n")).strip("\n")


def flow(value: Value) -> str:
    """The value on one line: `[a, b]`, `{name: value}`."""
    if isinstance(value, str):
        return value if _is_plain(value) and not set(value) & set(",[]{}") else quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {flow(each)}" for name, each in value.items()) + "}"
    return "[" + ", ".join(flow(each) for each in value) + "]"


def quoted(text: str) -> str:
    """The text in double quotes; JSON's escapes are YAML's too."""
    return json.dumps(text, ensure_ascii=False)


def _is_plain(text: str) -> bool:
    """Whether YAML reads the bare text as itself, whatever it would make of its type."""
    if not _PLAIN.fullmatch(text) or text != text.strip():
        return False
    return ": " not in text and " #" not in text and not text.endswith(":") and "\t" not in text


def _fits_a_block(text: str) -> bool:
    """A block can't hold what an escape must make, nor end with blank lines that count."""
    return all(sign == "\n" or sign == "\t" or sign.isprintable() for sign in text)


def _literal(text: str, indent: int) -> str:
    content = as_kept(text)
    # a first line that begins with a space would be taken for the block's own indentation
    mark = "|2" if content[0] in " \t" else "|"
    pad = " " * (indent + 2)
    lines = [pad + line if line else "" for line in content.split("\n")]
    return mark + "\n" + "\n".join(lines)


def _folded(text: str, indent: int) -> str | None:
    """The text wrapped after `>-`; None where it holds spaces that wrapping would change."""
    pad = " " * (indent + 2)
    lines = textwrap.wrap(text, max(40, WIDTH - indent - 2), break_long_words=False, break_on_hyphens=False)
    if " ".join(lines) != text:
        return None
    return ">-\n" + "\n".join(pad + line for line in lines)
