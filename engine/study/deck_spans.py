"""Where in a deck's text each value stands, to the character: for changing one and leaving the rest.

`Spot` is a value of the file with the range of text that is its own; comments and blank lines around it
belong to nobody. The text must be that of a deck without faults, with "\\n" as line end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from engine.study.deck_node import Loc
from engine.study.deck_tree import Loader


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of a group: its name, where the name begins and ends, and its value."""

    name: str
    start: int
    colon: int
    value: Spot


@dataclass(frozen=True, slots=True)
class Spot:
    """A value: text[start:end], without what follows it on blank lines and in comments.

    style: of a text, as YAML names it (`|`, `>`, `"`, `'`; None: plain). flow: a list or group on one line,
    in brackets. column: of the first character. dash: of a list's item, where its `-` stands.
    """

    start: int
    end: int
    column: int
    value: str | tuple[Spot, ...] | tuple[Entry, ...]
    sort: type[str] | type[list[Any]] | type[dict[str, Any]]
    style: str | None = None
    flow: bool = False
    dash: int = -1

    def plain(self) -> Any:
        """The value as str, list and dict."""
        if isinstance(self.value, str):
            return self.value
        if self.sort is list:
            return [each.plain() for each in self.items]
        return {entry.name: entry.value.plain() for entry in self.entries}

    @property
    def items(self) -> tuple[Spot, ...]:
        """The items of a list."""
        return tuple(each for each in self.value if isinstance(each, Spot)) if self.sort is list else ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The fields of a group."""
        return tuple(each for each in self.value if isinstance(each, Entry)) if self.sort is dict else ()

    def at(self, loc: Loc) -> Spot:
        """The value at a place below this one. Raises KeyError where there is none."""
        spot = self
        for step in loc:
            if isinstance(step, int):
                spot = dict(enumerate(spot.items))[step]
            else:
                spot = {entry.name: entry.value for entry in spot.entries}[step]
        return spot


def spots(text: str) -> Spot:
    """The text's values with their ranges. Raises yaml.YAMLError for what is no YAML, ValueError if empty."""
    node = yaml.compose(text, Loader=Loader)
    if node is None:
        raise ValueError("an empty text has no values")
    return _spot(node, text)


def _spot(node: yaml.Node, text: str, dash: int = -1) -> Spot:
    start, column = _index(node.start_mark), _column(node.start_mark)
    if isinstance(node, yaml.ScalarNode):
        end = _index(node.end_mark)
        if node.style in ("|", ">"):
            end = start + len(text[start:end].rstrip())
        return Spot(start, end, column, node.value, str, style=node.style, dash=dash)
    if isinstance(node, yaml.SequenceNode):
        items = tuple(_item(each, text, column, flow=bool(node.flow_style)) for each in node.value)
        return _collection(node, items, list, items[-1].end if items else -1, dash)
    if not isinstance(node, yaml.MappingNode):
        raise TypeError(f"a node of YAML is a scalar, a sequence or a mapping, not {node!r}")
    entries = tuple(
        Entry(key.value, _index(key.start_mark), text.index(":", _index(key.end_mark)), _spot(value, text))
        for key, value in node.value
    )
    return _collection(node, entries, dict, entries[-1].value.end if entries else -1, dash)


def _item(node: yaml.Node, text: str, column: int, *, flow: bool) -> Spot:
    """An item of a list; of a block, the dash is the nearest one before it at the list's column."""
    if flow:
        return _spot(node, text)
    at = _index(node.start_mark)
    while True:
        begin = text.rfind("\n", 0, at) + 1
        if text[begin + column : begin + column + 1] == "-" and not text[begin : begin + column].strip(" -"):
            return _spot(node, text, dash=begin + column)
        at = begin - 1


def _collection(
    node: yaml.CollectionNode,
    value: tuple[Spot, ...] | tuple[Entry, ...],
    sort: type[list[Any]] | type[dict[str, Any]],
    last: int,
    dash: int,
) -> Spot:
    flow = bool(node.flow_style)
    end = _index(node.end_mark) if flow or last < 0 else last
    return Spot(_index(node.start_mark), end, _column(node.start_mark), value, sort, flow=flow, dash=dash)


def _index(mark: yaml.Mark | None) -> int:
    if mark is None:  # PyYAML's types allow it; a composed node always has its marks
        raise ValueError("a value without its place")
    return int(mark.index)


def _column(mark: yaml.Mark | None) -> int:
    if mark is None:
        raise ValueError("a value without its place")
    return int(mark.column)
