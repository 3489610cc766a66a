"""YAML events to a tree of `Node`s, with the faults that YAML itself would pass over in silence."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from engine.study.deck_bytes import escaped_junk
from engine.study.deck_node import Loc, Node, Problem

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser; PyYAML's own where the wheel came without it."""

MAX_DEPTH = 20
"""A label of a claim's measurement, the deepest value of a deck, stands 8 deep."""
MAX_EVENTS = 600_000
"""A card with claims has about 100: 6,000 cards fit."""


@dataclass(slots=True)
class Tree:
    """`root` is None for an empty file, and where YAML gave up with `error` at `error_loc`."""

    root: Node | None
    problems: list[Problem]
    error: yaml.MarkedYAMLError | None
    error_loc: Loc = ()


class _Frame:
    """An open mapping or list. In a mapping `key` is None while a key is expected."""

    __slots__ = ("key", "key_line", "node", "skip")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.key: str | None = None
        self.key_line = 0
        self.skip = False


class _Builder:
    def __init__(self) -> None:
        self.root: Node | None = None
        self.stack: list[_Frame] = []
        self.problems: list[Problem] = []
        self.events = 0

    def loc(self) -> Loc:
        steps: list[str | int] = []
        for frame in self.stack:
            if isinstance(frame.node.value, list):
                steps.append(len(frame.node.value))
            elif frame.key is not None:
                steps.append(frame.key)
        return tuple(steps)

    def fault(self, line: int, message: str) -> None:
        self.problems.append(Problem(line, self.loc(), message))

    def add(self, node: Node) -> None:
        """Hang a finished value where it belongs; in a mapping it is a key first."""
        if not self.stack:
            self.root = node
            return
        frame = self.stack[-1]
        value = frame.node.value
        if isinstance(value, list):
            value.append(node)
        elif isinstance(value, dict):
            if frame.key is None:
                self._key(frame, value, node)
            else:
                if not frame.skip:
                    node.line = frame.key_line
                    value[frame.key] = node
                frame.key = None

    def _key(self, frame: _Frame, value: dict[str, Node], node: Node) -> None:
        frame.key_line = node.line
        frame.skip = False
        if not isinstance(node.value, str) or node.broken:
            if not node.broken:
                self.fault(node.line, "a field's name must be plain text: write `name: value`")
            frame.key, frame.skip = "?", True
            return
        frame.key = node.value
        if node.value == "<<":
            self.fault(node.line, "merge keys (<<) are not read here: write the fields out")
            frame.skip = True
        elif node.value in value:
            self.fault(
                node.line,
                f"stands here a second time (first on line {value[node.value].line}): keep one of them",
            )
            frame.skip = True

    def scalar(self, event: yaml.ScalarEvent) -> None:
        line = _line(event)
        text: str = event.value
        self.refuse_extras(event, line)
        # only an escape can make such a character: the text itself has been looked through
        junk = escaped_junk(text) if event.style == '"' else None
        if junk is not None:
            self.fault(line, junk)
        self.add(Node(text, line, broken=junk is not None))

    def refuse_extras(self, event: yaml.NodeEvent, line: int) -> None:
        """Anchors and tags: a deck is plain text that reads the same to everyone."""
        if event.anchor is not None:
            self.fault(
                line, f"anchors (&{event.anchor}) are not read here: write the text out where it belongs"
            )
        tag: str | None = getattr(event, "tag", None)
        if tag is not None:
            short = tag.replace("tag:yaml.org,2002:", "!!")
            self.fault(line, f"YAML tags ({short}) are not read here: every value is text, take the tag out")

    def open(self, event: yaml.CollectionStartEvent) -> bool:
        line = _line(event)
        self.refuse_extras(event, line)
        if len(self.stack) >= MAX_DEPTH:
            self.fault(line, f"is nested more than {MAX_DEPTH} deep: no field of a deck is; check brackets")
            return False
        empty: list[Node] | dict[str, Node] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self.stack.append(_Frame(Node(empty, line)))
        return True


def _line(event: yaml.Event) -> int:
    """The line on which an event begins, from 1. A parser's events always carry their marks."""
    return 0 if event.start_mark is None else event.start_mark.line + 1


def parse(text: str) -> Tree:
    """Build the tree of the first document in `text`; never raises for what `text` holds."""
    builder = _Builder()
    loader = Loader(text)
    try:
        _feed(builder, loader)
    except yaml.MarkedYAMLError as error:
        return Tree(None, builder.problems, error, builder.loc())
    except (ValueError, OverflowError):
        # PyYAML's own parser (not libyaml's) trips over an escape beyond Unicode
        mark = loader.get_mark()
        escape = yaml.MarkedYAMLError(problem="found invalid escape", problem_mark=mark)
        return Tree(None, builder.problems, escape, builder.loc())
    finally:
        loader.dispose()
    return Tree(builder.root, builder.problems, None)


def _feed(builder: _Builder, loader: yaml.SafeLoader) -> None:
    documents = 0
    while True:
        event: yaml.Event | None = loader.get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.ScalarEvent):
            builder.scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            if not builder.open(event):
                return
        elif isinstance(event, yaml.CollectionEndEvent):
            builder.add(builder.stack.pop().node)
        elif isinstance(event, yaml.AliasEvent):
            line = _line(event)
            builder.fault(line, f"aliases (*{event.anchor}) are not read here: write the text out")
            builder.add(Node("", line, broken=True))
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                line = _line(event)
                message = "a second document (---) begins here: put each deck into a file of its own"
                builder.problems.append(Problem(line, (), message))
                return
        elif event is None or isinstance(event, yaml.StreamEndEvent):
            return
        builder.events += 1
        if builder.events > MAX_EVENTS:
            builder.fault(_line(event), "the deck holds too many values: split it into several decks")
            return
