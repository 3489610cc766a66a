"""pydantic's errors in words for someone who writes cards, at the line and field of the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import ErrorDetails

from engine.study.deck_node import Loc, Node, Problem
from engine.study.deck_schema import PATTERNS, SHAPES


def problems(errors: Iterable[ErrorDetails], root: Node) -> Iterator[Problem]:
    """One problem for each error that does not lie in a value already reported as broken."""
    listed = list(errors)
    meant = _meant(listed)
    for error in listed:
        raw: Loc = tuple(error["loc"])
        in_key = bool(raw) and raw[-1] == "[key]"
        loc = raw[:-1] if in_key else raw
        spot = _spot(root, loc)
        if spot is None:
            continue
        node, found = spot
        if error["type"] == "missing":
            if loc not in meant:
                yield Problem(node.line, loc, _missing(loc))
        else:
            yield Problem(node.line, found, _message(error, found, in_key=in_key))


def _meant(errors: Iterable[ErrorDetails]) -> set[Loc]:
    """The fields that unknown ones were probably meant to be: they are not reported as missing too."""
    return {
        (*error["loc"][:-1], close)
        for error in errors
        if error["type"] == "extra_forbidden" and (close := _close_field(tuple(error["loc"])))
    }


def _close_field(loc: Loc) -> str | None:
    shape = SHAPES.get(_place(loc[:-1]))
    return closest(str(loc[-1]), shape.model_fields) if shape is not None else None


def _spot(root: Node, loc: Loc) -> tuple[Node, Loc] | None:
    """The innermost value on the way to `loc` and its place; None where a broken value lies on the way."""
    node, depth = root, 0
    while not node.broken:
        following = node.child(loc[depth]) if depth < len(loc) else None
        if following is None:
            return node, loc[:depth]
        node, depth = following, depth + 1
    return None


def _place(loc: Loc) -> tuple[str, ...]:
    return tuple(step for step in loc if isinstance(step, str))


def _missing(loc: Loc) -> str:
    shape = SHAPES.get(_place(loc[:-1]))
    name = str(loc[-1])
    info = shape.model_fields.get(name) if shape is not None else None
    what = f" ({info.description})" if info is not None and info.description else ""
    return f"is missing: add `{name}:`{what}"


def _message(error: ErrorDetails, loc: Loc, *, in_key: bool) -> str:
    kind = error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    given = error["input"]
    if kind == "extra_forbidden":
        return _unknown_field(loc)
    if kind == "literal_error":
        return _not_a_choice(context, given)
    if kind in ("string_type", "string_sub_type"):
        return f"must be text, but {_sort(given)} stands here: put the text in quotes or after `|`"
    if kind == "list_type":
        return f"must be a list, but {_sort(given)} stands here: begin each item on its own line with '- '"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return f"must have fields (`name: value`), but {_sort(given)} stands here"
    if kind in ("string_too_short", "too_short"):
        return "is empty: write something here, or leave the field out if it isn't required"
    if kind in ("string_too_long", "too_long"):
        return f"is longer than the {context.get('max_length')} that fit here: shorten it"
    if kind == "string_pattern_mismatch":
        return _wrong_pattern(str(context.get("pattern")), given, in_key=in_key)
    return error["msg"]


def _unknown_field(loc: Loc) -> str:
    shape = SHAPES.get(_place(loc[:-1]))
    names = list(shape.model_fields) if shape is not None else []
    name = str(loc[-1])
    if name.isdigit():
        return "is not a field here: a comma separates fields, so write 4.5 for a number, not 4,5"
    close = closest(name, names)
    if close:
        return f"is not a field here: did you mean `{close}`?"
    return f"is not a field here: the fields are {', '.join(names)}"


def _not_a_choice(context: dict[str, Any], given: object) -> str:
    choices = str(context.get("expected", "")).replace("'", "")
    if not isinstance(given, str):
        return f"must be {choices}, but {_sort(given)} stands here"
    close = closest(given, choices.replace(" or ", ", ").split(", "))
    hint = f"; did you mean {close}?" if close else ""
    return f"must be {choices}, not {_quoted(given)}{hint}"


def _wrong_pattern(pattern: str, given: object, *, in_key: bool) -> str:
    meaning = PATTERNS.get(pattern)
    what = "its name " if in_key else ""
    if meaning:
        return f"{what}must be {meaning}; {_quoted(given)} is not"
    return (
        "may hold names, numbers, + - * / ** ( ) and commas only, since it is a formula; "
        f"{_quoted(given)} holds something else"
    )


def _sort(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a group of fields"
    if isinstance(value, str) and not value.strip():
        return "nothing"
    return f"the text {_quoted(value)}"


def _quoted(value: object) -> str:
    text = " ".join(str(value).split())
    return f'"{text[:57]}…"' if len(text) > 60 else f'"{text}"'


def closest(word: str, names: Iterable[str]) -> str | None:
    """The name that `word` was probably meant to be."""
    found = difflib.get_close_matches(word.lower(), list(names), n=1, cutoff=0.6)
    return found[0] if found else None
