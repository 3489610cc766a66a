"""A search as a tree: words, fields and conditions joined by and, or, not.

The language is Anki's as far as it makes sense here: `decode "băng thông" -deck:*zh (is:due or rated:7:1)`.
Words stand beside each other for *and*; what is unknown is a fault, never silently a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from engine.study.card import Kind, Language, Priority
from engine.study.search.text import AROUND, FIELD_END, fold

FIELDS: dict[str, tuple[int, ...]] = {
    "title": (0,),
    "id": (1,),
    "lesson": (3,),
    "lab": (4,),
    "source": (5,),
    "prompt": (7,),
    "answer": (8,),
    "figure": (9,),
    "followup": (10,),
    "pitfall": (11,),
    "claim": (12,),
    "front": (0, 7),
    "back": (8, 9, 10, 11),
}
"""The fields that a search can name, each with its places in a card's text (`index.texts_of`)."""

CHOICES: dict[str, tuple[str, ...]] = {
    "kind": get_args(Kind),
    "lang": get_args(Language),
    "priority": get_args(Priority),
}
"""What of a card is one of a few words."""

ALIASES = {"note": "kind", "language": "lang", "topic": "tag", "nc": ""}
STATES = ("new", "learn", "review", "due", "suspended", "buried", "marked", "leech")
PROPERTIES = ("ivl", "due", "reps", "lapses", "s", "d", "r")
NOT_HERE = ("flag", "nid", "cid", "mid", "did", "re", "dupe", "preset", "added", "edited", "resched", "card")
"""Anki's keys for what Benchcards' cards don't have."""
KEYS = ("deck", "tag", "is", "prop", "rated", "introduced", "w", *CHOICES, *FIELDS)

LITERAL = {"*": "\x02", ":": "\x03"}
"""What an escaped sign is written as until its term is read."""

Operator = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a text is compared with. `literal`: the longest piece that any match holds; `regex`: the whole
    pattern, where it is more than that piece. in_word: a match lies within one run of signs without a space.
    """

    literal: str
    regex: re.Pattern[str] | None = None
    in_word: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """The card's text holds the pattern, anywhere or in some of its fields. `typed`: as it was written."""

    pattern: Pattern
    typed: str
    fields: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """One of the fields holds something."""

    fields: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """The deck (its id or title), one of the tags, or one of `CHOICES` matches as a whole.

    value: as it was written.
    """

    what: str
    value: str
    regex: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Untagged:
    """The card has no tag."""


@dataclass(frozen=True, slots=True)
class Is:
    """The card's state: `new`, `learn`, `review`, `waiting` (due, buried or not), `suspended`, `buried`,
    `marked` or `leech`.
    """

    state: str


@dataclass(frozen=True, slots=True)
class Property:
    """A number of the card's state compared; `ivl`, `due` in days, `s` in days, `d` 1 to 10, `r` 0 to 1."""

    name: str
    operator: Operator
    value: float


@dataclass(frozen=True, slots=True)
class Rated:
    """Answered (or, `first`, answered for the first time) within so many study days, today the first."""

    days: int
    rating: int | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


@dataclass(frozen=True, slots=True)
class All:
    """Every part; without one it is every card."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part."""

    parts: tuple[Node, ...]


Node = Text | Filled | Named | Untagged | Is | Property | Rated | Not | All | Some


def literal_words(text: str) -> list[str]:
    """The words of a plain text, folded, without the punctuation around them; a lone sign (× or %) stays."""
    return [word.strip(AROUND) or word for word in fold(text.replace(FIELD_END, " ")).split()]


def wild(text: str, *, whole: bool) -> re.Pattern[str]:
    """A folded name with `*` for any run of signs; `whole`: from beginning to end."""
    pieces = ".*".join(map(re.escape, text.split("*")))
    return re.compile(rf"\A{pieces}\Z" if whole else pieces, re.DOTALL)


def pattern(text: str, *, word: bool = False) -> Pattern:
    """A pattern of folded text: `*` stands for any run of signs within a field.

    word: it must stand alone, as `w:` asks.
    """
    pieces = [fold_keeping_ends(piece.replace(LITERAL["*"], "*")) for piece in text.split("*")]
    literal = max(pieces, key=len)
    if len(pieces) == 1 and not word:
        return Pattern(literal)
    between = f"[^{FIELD_END}]*?".join(map(re.escape, pieces))
    in_word = len(pieces) == 1 and " " not in literal
    return Pattern(literal, re.compile(rf"(?<!\w){between}(?!\w)" if word else between), in_word)


def fold_keeping_ends(text: str) -> str:
    """`fold`, with a space at either end kept as one."""
    folded = fold(text)
    if not folded:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{folded}{' ' * text[-1].isspace()}"
