"""From what a person types to the tree of a search."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.study.search.faults import SearchFault
from engine.study.search.query import (
    ALIASES,
    CHOICES,
    FIELDS,
    KEYS,
    LITERAL,
    NOT_HERE,
    PROPERTIES,
    STATES,
    All,
    Filled,
    Is,
    Named,
    Node,
    Not,
    Operator,
    Property,
    Rated,
    Some,
    Text,
    Untagged,
    fold_keeping_ends,
    pattern,
    wild,
)
from engine.study.search.text import AROUND

LONGEST = 2000
DEEPEST = 30
_KEY = re.compile(r"(?P<key>[a-z]+)[:：](?!:|//|\\)(?P<value>.*)", re.DOTALL | re.IGNORECASE)
"""`aten::linear`, `https://…` and `C:\\…` are words."""
_PROPERTY = re.compile(r"(?P<name>[a-z-]+)\s*(?P<operator><=|>=|!=|=|<|>)\s*(?P<value>.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")
_RATINGS = {"1": 1, "2": 2, "3": 3, "4": 4, "again": 1, "hard": 2, "good": 3, "easy": 4}
_OF_ZERO: dict[str, Callable[[float], bool]] = {
    "=": lambda number: number == 0,
    "!=": lambda number: number != 0,
    "<": lambda number: number > 0,
    "<=": lambda number: number >= 0,
    ">": lambda number: number < 0,
    ">=": lambda number: number <= 0,
}
"""Whether 0 compared with a number by the operator holds."""
_CONTROL = re.compile(r"[\x00-\x08]")
_OPPOSITE: dict[str, Operator] = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_QUOTES = {'"': '"', "“": "”", "”": "”", "＂": "＂"}


@dataclass(frozen=True, slots=True)
class _Token:
    """`(`, `)`, `-`, or a term; `quoted`: a term that stood in quotation marks from its first sign."""

    text: str
    term: bool = False
    quoted: bool = False


def parse(text: str) -> Node:
    """The tree of a search; every card for an empty one. Raises SearchFault."""
    if len(text) > LONGEST:
        message = f"A search has at most {LONGEST:,} signs. Take some of it away."
        raise SearchFault("too_long", message, most=f"{LONGEST}")
    reader = _Reader(_tokens(_CONTROL.sub(" ", text)))
    node = reader.either(0)
    if reader.next is not None:
        raise SearchFault(
            "no_bracket", "There is a ) without its (. Take it away, or put the text in quotation marks."
        )
    return node


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place = 0
    open_brackets = 0
    while place < len(text):
        sign = text[place]
        if sign.isspace():
            place += 1
        elif sign in "(（":
            open_brackets += 1
            found.append(_Token("("))
            place += 1
        elif sign in ")）" and open_brackets:
            open_brackets -= 1
            found.append(_Token(")"))
            place += 1
        elif sign == "-" and place + 1 < len(text) and not text[place + 1].isspace():
            found.append(_Token("-"))
            place += 1
        else:
            term, place = _term(text, place, in_brackets=open_brackets > 0)
            found.append(term)
    if open_brackets:
        raise SearchFault("open_bracket", "A ( has no ). Close it, or put the text in quotation marks.")
    return found


def _term(text: str, place: int, *, in_brackets: bool) -> tuple[_Token, int]:
    """A term from `place` on, and where it ends: at a space or a closing bracket outside quotation marks."""
    quoted = text[place] in _QUOTES
    signs: list[str] = []
    inner = 0
    while place < len(text):
        sign = text[place]
        if sign == "\\" and place + 1 < len(text) and text[place + 1] in '"\\:*()-':
            signs.append(LITERAL.get(text[place + 1], text[place + 1]))
            place += 2
        elif sign in _QUOTES and (not signs or signs[-1] in ":："):
            end = _QUOTES[sign]
            close = place + 1
            while close < len(text) and text[close] != end:
                close += 2 if text[close] == "\\" and close + 1 < len(text) else 1
            if close >= len(text):
                raise SearchFault(
                    "open_quote",
                    'A quotation mark is not closed. Close it, or write \\" for the sign itself.',
                )
            signs.append(text[place + 1 : close].replace('\\"', '"'))
            place = close + 1
            if quoted or signs[:-1]:
                break
        elif sign.isspace() or (sign in ")）" and in_brackets and not inner):
            break
        else:
            inner += (sign == "(") - (sign == ")" and inner > 0)
            signs.append(sign)
            place += 1
    return _Token("".join(signs), term=True, quoted=quoted), place


class _Reader:
    """Reads tokens by the grammar: either := both ("or" both)*; both := (["and"] one)+; one := - one | …"""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def next(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _word(self, word: str) -> bool:
        token = self.next
        return token is not None and token.term and not token.quoted and token.text.lower() == word

    def either(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise SearchFault("too_deep", "The brackets are nested too deeply. Write the search more simply.")
        parts = [self._both(depth)]
        while self._word("or"):
            self._place += 1
            parts.append(self._both(depth, after="or"))
        if len(parts) == 1:
            return parts[0]
        if parts[0] == All(()):
            raise _no_operand("or")
        return Some(tuple(parts))

    def _both(self, depth: int, after: str = "") -> Node:
        parts: list[Node] = []
        while (token := self.next) is not None and not (not token.term and token.text == ")"):
            if self._word("or"):
                break
            if self._word("and"):
                if not parts:
                    raise _no_operand("and")
                after = "and"
                self._place += 1
                continue
            parts.append(self._one(depth))
            after = ""
        if after:
            raise _no_operand(after)
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _one(self, depth: int) -> Node:
        token = self.next
        if token is None or (not token.term and token.text == ")"):
            raise _no_operand("-")
        self._place += 1
        if token.term:
            return _node(token)
        if token.text == "-":
            if depth > DEEPEST:
                raise SearchFault(
                    "too_deep", "The brackets are nested too deeply. Write the search more simply."
                )
            return Not(self._one(depth + 1))
        inside = self.either(depth + 1)
        self._place += 1  # its closing bracket: brackets were counted
        if inside == All(()):
            raise SearchFault(
                "empty_bracket",
                'Nothing stands between ( and ). Take them away, or write "()" for the signs.',
            )
        return inside


def _no_operand(word: str) -> SearchFault:
    return SearchFault(
        "no_operand",
        f'Something must stand on either side of {word}. Write "{word}" in quotation marks for the word.',
        word=word,
    )


def _node(token: _Token) -> Node:
    keyed = _KEY.fullmatch(token.text)
    if keyed is None or (token.quoted and keyed["key"].lower() not in (*KEYS, *ALIASES)):
        return _text(token.text, quoted=token.quoted)
    key = ALIASES.get(keyed["key"].lower(), keyed["key"].lower())
    value = keyed["value"]
    if key in NOT_HERE:
        message = f"{key}: is for what Benchcards' cards don't have. Known are {_listed(KEYS)}."
        raise SearchFault("not_here", message, key=key, known=_listed(KEYS))
    if key and key not in KEYS:
        if "：" in token.text and not token.text.isascii():
            return _text(token.text, quoted=False)
        close = difflib.get_close_matches(key, KEYS, n=1)
        known = close[0] if close else _listed(KEYS)
        raise SearchFault(
            "unknown_key",
            f"There is no {key}: to search by ({known}). For the text itself, put it in quotation marks: "
            f'"{token.text}".',
            key=key,
            known=known,
            text=token.text,
        )
    if key in FIELDS:
        return _field(key, value)
    if key in CHOICES:
        return _choice(key, value.strip().lower())
    if not value.strip():
        raise SearchFault("no_value", f"Something must stand after {key or 'nc'}:", key=key or "nc")
    return _CONDITIONS[key](value)


def _text(text: str, *, quoted: bool, fields: tuple[int, ...] | None = None, word: bool = False) -> Node:
    if not quoted:
        text = text.strip(AROUND) or text
    if not text.strip("*"):
        text = text.replace("*", LITERAL["*"])
    typed = text.replace(LITERAL[":"], ":")
    return Text(pattern(typed, word=word), typed.replace(LITERAL["*"], "*"), fields)


def _field(key: str, value: str) -> Node:
    places = FIELDS[key]
    if not value.strip():
        return Not(Filled(places))
    if not value.strip("*_ "):
        return Filled(places)
    return _text(value, quoted=True, fields=places)


def _deck(value: str) -> Node:
    return Named("deck", value, wild(fold_keeping_ends(value).strip(), whole=True))


def _tag(value: str) -> Node:
    if value.lower() == "none":
        return Untagged()
    name = fold_keeping_ends(value).strip()
    below = re.compile(rf"{wild(name, whole=False).pattern}(::.*)?\Z", re.DOTALL)
    return Named("tag", value, below)


def _known(key: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        message = f"{key}:{value} is not known. There are {_listed(known)}."
        raise SearchFault("unknown_choice", message, key=key, value=value, known=_listed(known))
    return value


def _choice(key: str, value: str) -> Node:
    return Named(key, _known(key, value, CHOICES[key]), wild(value, whole=True))


def _state(value: str) -> Node:
    state = _known("is", value.strip().lower(), STATES)
    if state == "due":
        return All((Is("waiting"), Not(Is("suspended")), Not(Is("buried"))))
    return Is(state)


def _property(value: str) -> Node:
    found = _PROPERTY.fullmatch(value.strip().lower())
    if found is None or found["name"] not in PROPERTIES:
        message = f"prop:{value} can't be read. Write it as prop:ivl>=10; there are {_listed(PROPERTIES)}."
        raise SearchFault("bad_property", message, text=value, known=_listed(PROPERTIES))
    if not _NUMBER.fullmatch(found["value"]):
        message = f"prop:{value} needs a number after {found['operator']}, as in prop:ivl>=10."
        raise SearchFault("bad_number", message, text=value)
    number = float(found["value"].replace(",", "."))
    if found["name"] == "d" and not 1 <= number <= 10:
        raise SearchFault("difficulty_range", "Difficulty goes from 1 to 10, as in prop:d>7.")
    operator: Operator = found["operator"]  # type: ignore[assignment]  # one of the expression's six
    if found["name"] == "due" and number != int(number):
        raise SearchFault("whole_days", "prop:due needs whole days, as in prop:due<=3.")
    if found["name"] in ("reps", "lapses") and _OF_ZERO[operator](number):
        # a card that was never answered has neither, and no state either
        return Not(Property(found["name"], _OPPOSITE[operator], number))
    return Property(found["name"], operator, number)


def _days(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 36500):
        message = f"{key}:{text} needs a number of days from 1 (today) on, as in {key}:7."
        raise SearchFault("bad_days", message, key=key, text=text)
    return int(text)


def _rated(value: str) -> Node:
    days, _, rating = value.strip().lower().partition(":")
    if rating and rating not in _RATINGS:
        message = f"rated:{value} needs 1 again, 2 hard, 3 good or 4 easy after the days, as in rated:7:1."
        raise SearchFault("bad_rating", message, text=value)
    return Rated(_days("rated", days), _RATINGS[rating] if rating else None)


def _introduced(value: str) -> Node:
    return Rated(_days("introduced", value.strip()), first=True)


_CONDITIONS = {
    "": lambda value: _text(value, quoted=True),
    "w": lambda value: _text(value, quoted=True, word=True),
    "deck": _deck,
    "tag": _tag,
    "is": _state,
    "prop": _property,
    "rated": _rated,
    "introduced": _introduced,
}


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
