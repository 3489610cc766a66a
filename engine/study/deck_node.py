"""A deck file as a tree of plain text that knows its lines. Nothing here knows what a deck is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Loc = tuple[str | int, ...]
"""Where a value stands: keys and list indexes from the root, e.g. ("cards", 3, "answer", 0)."""


class Node:
    """A value of the file. `line` (from 1) is where its key or its list item begins.

    `broken` marks a value that a fault has been reported for already: what is in it says nothing.
    """

    __slots__ = ("broken", "line", "value")

    def __init__(self, value: str | list[Node] | dict[str, Node], line: int, *, broken: bool = False) -> None:
        self.value = value
        self.line = line
        self.broken = broken

    def plain(self) -> Any:
        """The value without its lines: str, list and dict."""
        value = self.value
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return [item.plain() for item in value]
        return {key: item.plain() for key, item in value.items()}

    def child(self, step: str | int) -> Node | None:
        value = self.value
        if isinstance(value, dict) and isinstance(step, str):
            return value.get(step)
        if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            return value[step]
        return None


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault before it has a file: `loc` is None where only the line is known."""

    line: int
    loc: Loc | None
    message: str


def field_path(loc: Loc) -> str:
    """`("cards", 3, "answer", 0, "text")` as `cards[3].answer[0].text`; the root is `file`."""
    path = ""
    for step in loc:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path or WHOLE_FILE


WHOLE_FILE = "file"
"""The field named where a fault concerns the file as a whole."""


def locate(root: Node | None, line: int) -> Loc:
    """The innermost value that stands on `line`: the last one that begins at or before it.

    Where several values begin on that very line, it is the value that holds them.
    """
    loc: list[str | int] = []
    node = root
    while node is not None and not isinstance(node.value, str):
        steps: Iterable[tuple[str | int, Node]] = (
            node.value.items() if isinstance(node.value, dict) else enumerate(node.value)
        )
        before = [(step, item) for step, item in steps if item.line <= line]
        if not before or (len(before) > 1 and before[-2][1].line == line):
            break
        loc.append(before[-1][0])
        node = before[-1][1]
    return tuple(loc)
