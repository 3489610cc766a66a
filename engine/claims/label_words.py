"""Which claim a number in a sentence is about, by the words around it and the words of the claims' labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from engine.claims.typed_numbers import TypedNumber

_WORD = re.compile(r"[A-Za-zÀ-ỹ][A-Za-zÀ-ỹ0-9-]*|\d+[A-Za-z]+|[\u4e00-\u9fff]+")
_BOUNDARY = re.compile(r"[.!?;:,\n](?:\s|$)|[。！？；，、：\n]|→|⇒|->|\s[-–—]\s|\(|\)|（|）")
_EMPTY = frozenset(
    {
        "và",
        "của",
        "là",
        "một",
        "các",
        "cho",
        "mỗi",
        "khi",
        "thì",
        "có",
        "không",
        "hơn",
        "lần",
        "còn",
        "với",
        "sau",
    }
    | {"the", "of", "a", "an", "and", "is", "for", "per", "to", "in"}
)


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """The words of a text in lower case; of Chinese, which has no spaces, each pair of characters."""
    found: set[str] = set()
    for match in _WORD.finditer(text.lower()):
        run = match[0]
        if "\u4e00" <= run[0] <= "\u9fff":
            found.update(run[place : place + 2] for place in range(len(run) - 1))
        else:
            found.add(run)
    return frozenset(found - _EMPTY)


def distinctive(labels: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each claim the words of its label that no other label has."""
    counts = Counter(word for label in labels.values() for word in words(label))
    return {
        name: frozenset(word for word in words(label) if counts[word] == 1) for name, label in labels.items()
    }


def around(text: str, numbers: Sequence[TypedNumber], index: int) -> tuple[str, str]:
    """What stands before a number and behind it, up to the next number or the end of its clause."""
    number = numbers[index]
    start = numbers[index - 1].end if index else 0
    end = numbers[index + 1].start if index + 1 < len(numbers) else len(text)
    before = text[start : number.start]
    cut = [match.end() for match in _BOUNDARY.finditer(before)]
    # a colon or a bracket leads to its number, so what is cut off there counts where nothing else is left
    inner = before[cut[-1] :] if cut else before
    if not words(inner) and cut:
        inner = before[cut[-2] :] if len(cut) > 1 else before
    behind = text[number.end : end]
    stop = _BOUNDARY.search(behind)
    return inner, behind if stop is None else behind[: stop.start()]
