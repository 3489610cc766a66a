"""Reading on after a mistake in YAML: each card's mistake is reported, in words for someone who writes cards.

A YAML parser gives up at its first mistake. A deck's cards stand one below the other, so the card with the
mistake is put aside and the rest is read again, until all is read or the mistake lies outside the cards.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

import yaml

from engine.study.deck_node import Loc, Node, Problem
from engine.study.deck_tree import parse

MAX_MISTAKES = 20
"""The whole deck is read once more for each; a deck with more is mended in two goes."""


MAX_CHARACTERS = 16_000_000
"""Read in all the rounds together: a huge broken deck must not hold the app up for minutes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`root` is None where nothing can be checked further: the file is empty or broken outside its cards."""

    root: Node | None
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class _Aside:
    """A card put aside: its lines, and its mistake."""

    lines: list[str]
    mistake: Problem


def read(text: str) -> Reading:
    """The tree of a deck's text and every mistake in its YAML; a card with a mistake is marked broken."""
    lines = text.split("\n")
    aside: dict[int, _Aside] = {}
    rounds = min(2 * MAX_MISTAKES, max(2, MAX_CHARACTERS // (len(text) + 1)))
    for _ in range(rounds):
        tree = parse("\n".join(lines) if aside else text)
        mistakes = [card.mistake for card in aside.values()]
        if tree.error is None:
            if tree.root is not None:
                _mark_broken(tree.root, aside.keys())
            return Reading(tree.root, mistakes + tree.problems)
        line, message = explain(tree.error, lines)
        chunk = _card_at(lines, line)
        if chunk is None or chunk.first in aside:
            return Reading(None, [*mistakes, Problem(line, tree.error_loc, message), *tree.problems])
        for first in [first for first in aside if first > chunk.first]:
            # an open quote made the cards after it look broken: they get another chance
            later = aside.pop(first)
            lines[first - 1 : first - 1 + len(later.lines)] = later.lines
        own = lines[chunk.first - 1 : chunk.last]
        field = _field(tree.error_loc, chunk.index, lines[line - 1])
        aside[chunk.first] = _Aside(own, Problem(line, field, message))
        lines[chunk.first - 1 : chunk.last] = [chunk.indent + "- ~", *[""] * (len(own) - 1)]
        if len(aside) == MAX_MISTAKES:
            break
    return Reading(None, [card.mistake for card in aside.values()])


def _field(reached: Loc, card: int, content: str) -> Loc:
    """The field to name: how far the parser got within the card, and then the key on the line."""
    loc = reached if reached[:2] == ("cards", card) else ("cards", card)
    key = _KEY.match(content)
    if key is not None and key.group(2) in loc[2:]:
        return loc[: loc.index(key.group(2), 2) + 1]
    if key is None or (isinstance(loc[-1], str) and "\t" not in key.group(1)):
        return loc
    return (*(loc[:-1] if isinstance(loc[-1], str) else loc), key.group(2))


def _mark_broken(root: Node, aside: Container[int]) -> None:
    cards = root.child("cards")
    if cards is not None and isinstance(cards.value, list):
        for card in cards.value:
            card.broken = card.broken or card.line in aside


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The lines of one card: from `first` to `last`, both included, counted from 1."""

    index: int
    first: int
    last: int
    indent: str


_TOP = re.compile(r"(deck|cards):")
_KEY = re.compile(r"(\s*(?:- )?)([a-z_]+):(?= |$)")
_ITEM = re.compile(r"( *)-(?= |$)")


def _card_at(lines: list[str], line: int) -> _Chunk | None:
    """The card whose lines hold `line`, seen by indentation alone."""
    indent: str | None = None
    inside = False
    starts: list[int] = []
    end = len(lines)
    for number, content in enumerate(lines, start=1):
        if _TOP.match(content):
            if starts:
                end = number - 1
                break
            inside = content.startswith("cards:")
        elif inside and (match := _ITEM.match(content)) and indent in (None, match.group(1)):
            indent = match.group(1)
            starts.append(number)
    if indent is None:
        return None
    for index, first in enumerate(starts):
        last = starts[index + 1] - 1 if index + 1 < len(starts) else end
        if first <= line <= last:
            return _Chunk(index, first, last, indent)
    return None


def explain(error: yaml.MarkedYAMLError, lines: list[str]) -> tuple[int, str]:
    """The line (from 1) to look at and what to do there."""
    problem = str(error.problem or "")
    context = str(error.context or "")
    mark = error.problem_mark or error.context_mark
    at = mark.line if mark is not None else 0
    column = mark.column if mark is not None else 0
    begun = error.context_mark.line if error.context_mark is not None else at
    content = lines[at] if at < len(lines) else ""
    if "\t" in content[: column + 1] and not content[: column + 1].strip():
        return at + 1, "is indented with a tab: indent with spaces"
    if "quoted scalar" in context and "end of stream" in problem:
        return begun + 1, "opens a quote that is never closed: add the closing quote (\" or ')"
    if "escape" in problem:
        return at + 1, (
            "holds a backslash that double quotes don't allow: use single quotes, or a block after `|`"
        )
    if "flow sequence" in context or "flow mapping" in context:
        bracket, close = ("[", "]") if "sequence" in context else ("{", "}")
        return begun + 1, (
            f"opens {bracket} without a matching {close}, or holds text that needs quotes in between: "
            f"add the {close} or the quotes"
        )
    if "flow level" in context or "nesting" in problem:
        return at + 1, "opens too many brackets: no field of a deck is nested so deep"
    if "mapping values are not allowed" in problem:
        return at + 1, (
            "does not fit here: put text that holds ': ' in quotes, or mend the indentation, "
            "or write a space after the ':' on the line above"
        )
    if "cannot start any token" in problem:
        sign = content[column : column + 1]
        return at + 1, f"begins with {sign}, which YAML keeps for itself: put the text in quotes"
    if "expected ':'" in problem:
        return begun + 1, "has no ': ' after the field's name: write `name: value`"
    if "block scalar" in context:
        return at + 1, "has text after | or >: begin the text on the next line, indented"
    return at + 1, _misplaced(problem, context)


def _misplaced(problem: str, context: str) -> str:
    if "sequence entries" in problem:
        return "has a list item behind a field's name: begin the item on the next line with '- '"
    if "'-' indicator" in problem or "block collection" in context:
        return "stands between the items of a list: begin it with '- ', or mend the indentation"
    if "directive" in context:
        return "begins with %, which YAML keeps for itself: put the text in quotes"
    if "document start" in problem:
        return "is indented less than the lines above: mend the indentation"
    if "block mapping" in context:
        return (
            "does not fit here: mend the indentation, or put text that holds quotes inside a block after `|`"
        )
    return f"is not valid YAML ({problem or context}): compare it with the lines around it"
