"""Changing values within a deck's text: comments, order, quotes and blank lines stay where they are.

`put` makes the text hold another value at a place and touches the characters of what differs, nothing else.
It reads its own result before it hands it over: a text that would hold anything else is never returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from engine.study import deck_emit as emit
from engine.study.deck_node import Loc
from engine.study.deck_spans import Entry, Spot, spots


class _Edit(NamedTuple):
    """text[start:end] becomes `text`."""

    start: int
    end: int
    text: str


class _Anew(Exception):
    """This value can't be changed in part: the one that holds it is written anew."""


def put(text: str, loc: Loc, value: emit.Value) -> str:
    """The deck's text with `value` at `loc`, which must exist. Raises KeyError where it doesn't.

    A field of `value` that the file lacks comes after the one before it in `value`; a field that `value`
    lacks is taken out. Texts count as equal whatever blank lines end them and whatever spaces stand on these.
    """
    root = spots(text)
    spot = root.at(loc)
    try:
        edits = list(_changes(spot, value, text))
    except _Anew:
        edits = [_whole(spot, value, text, str(loc[-1]) if loc and isinstance(loc[-1], str) else "")]
    changed = text
    for edit in sorted(edits, reverse=True):
        changed = changed[: edit.start] + edit.text + changed[edit.end :]
    wanted = root.plain()
    _set(wanted, loc, value)
    if _trimmed(spots(changed).plain()) != _trimmed(wanted):
        raise AssertionError(f"the text around {loc} would not hold what it should")
    return changed


def append(text: str, loc: Loc, value: emit.Value) -> str:
    """The deck's text with one more item at the end of the list at `loc`, a blank line before it."""
    listed = spots(text).at(loc)
    if listed.sort is not list or listed.flow or not listed.items:
        return put(text, loc, [*listed.plain(), value])
    field = str(loc[-1])
    at = _line_end(text, listed.end)
    written = emit.item(value, listed.column, field=field)
    before = "\n" if field == "cards" else ""
    return f"{text[:at]}\n{before}{' ' * listed.column}{written}{text[at:] or chr(10)}"


def _changes(spot: Spot, value: emit.Value, text: str, field: str = "") -> Iterator[_Edit]:
    if _trimmed(spot.plain()) == _trimmed(value):
        return
    if spot.flow or _sort(value) is not spot.sort or not value:
        yield _whole(spot, value, text, field)
    elif isinstance(value, str):
        yield _Edit(spot.start, spot.end, emit.scalar(value, _field_column(spot, text), spot.style))
    elif isinstance(value, Mapping):
        yield from _group(spot, value, text)
    else:
        yield from _list(spot, value, text, field)


def _group(spot: Spot, value: Mapping[str, Any], text: str) -> Iterator[_Edit]:
    there = {entry.name: entry for entry in spot.entries}
    for entry in spot.entries:
        if entry.name in value:
            yield from _changes(entry.value, value[entry.name], text, entry.name)
        elif text[: entry.start].rpartition("\n")[2].strip():
            raise _Anew  # it stands on the line of the dash
        else:
            yield _Edit(_line_start(text, entry.start), _line_end(text, entry.value.end) + 1, "")
    before: Entry | None = None
    added: dict[int, str] = {}
    for name, each in value.items():
        if name in there:
            before = there[name]
            continue
        at = _line_end(text, before.value.end) if before is not None else -1
        if at < 0:
            raise _Anew  # a new first field
        line = "\n" + " " * spot.column + emit.entry(name, each, spot.column)
        added[at] = added.get(at, "") + line
    for at, lines in added.items():
        yield _Edit(at, at, lines)


def _list(spot: Spot, value: Sequence[Any], text: str, field: str) -> Iterator[_Edit]:
    """Items that stay as they are keep their text; the others are changed, put in or taken out."""
    old = [_key(item.plain()) for item in spot.items]
    new = [_key(each) for each in value]
    for tag, low, high, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        items, values = spot.items[low:high], value[first:last]
        for item, each in zip(items, values, strict=False):
            try:
                yield from list(_changes(item, each, text, field))
            except _Anew:
                yield _Edit(item.dash, item.end, emit.item(each, spot.column, field=field))
        for item in items[len(values) :]:
            yield _Edit(_line_start(text, item.dash), _line_end(text, item.end) + 1, "")
        rest = values[len(items) :]
        if rest:
            lines = [" " * spot.column + emit.item(each, spot.column, field=field) for each in rest]
            after = spot.items[high - 1] if high else None
            if after is None:
                at = _line_start(text, spot.items[0].dash)
                yield _Edit(at, at, "".join(line + "\n" for line in lines))
            else:
                at = _line_end(text, after.end)
                yield _Edit(at, at, "".join("\n" + line for line in lines))


def _whole(spot: Spot, value: emit.Value, text: str, field: str) -> _Edit:
    """The value written anew in its place: on one line where it was on one."""
    if spot.flow and (isinstance(value, str) or "\n" not in emit.flow(value)):
        return _Edit(spot.start, spot.end, emit.flow(value))
    if spot.dash >= 0:
        column = spot.dash - _line_start(text, spot.dash)
        return _Edit(spot.dash, spot.end, emit.item(value, column, field=field))
    head = text[: spot.start].rstrip()
    if not head.endswith(":"):
        if not isinstance(value, Mapping):
            raise ValueError("a deck file is a group of fields")
        return _Edit(spot.start, spot.end, emit.fields(value, spot.column))
    return _Edit(len(head), spot.end, emit.block(value, _field_column(spot, text), field=field))


def _field_column(spot: Spot, text: str) -> int:
    """The column of the field (or the dash) that a value stands behind: what its block is indented from."""
    if spot.dash >= 0:
        return spot.dash - _line_start(text, spot.dash)
    line = text[_line_start(text, len(text[: spot.start].rstrip()) - 1) :].split("\n", 1)[0]
    return len(line) - len(line.lstrip(" -"))


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Where the line ends on which `at` lies, a comment behind the value with it."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _sort(value: emit.Value) -> type[Any]:
    if isinstance(value, str):
        return str
    return dict if isinstance(value, Mapping) else list


def _trimmed(value: Any) -> Any:
    """The value as the deck's shape reads it: blank lines around a text are not part of it."""
    if isinstance(value, str):
        return emit.as_kept(value).rstrip()
    if isinstance(value, Mapping):
        return {name: _trimmed(each) for name, each in value.items()}
    return [_trimmed(each) for each in value]


def _key(value: Any) -> str:
    return repr(_trimmed(value))


def _set(root: Any, loc: Loc, value: emit.Value) -> None:
    if not loc:
        root.clear()
        root.update(value)
        return
    for step in loc[:-1]:
        root = root[step]
    root[loc[-1]] = value
