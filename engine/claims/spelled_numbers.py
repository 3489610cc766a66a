"""Numbers written as words, as far as people write them in answers: "three times", "ba lần", "三四百".

Small on purpose: a word such as "one", "một" or "一" is more often an article than a number, so the reader
counts it only before a unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


def _counted(words: str, *, by: int = 1) -> dict[str, int]:
    """Words in the order of their value: 1, 2, 3 … times `by`."""
    return {word: by * value for value, word in enumerate(words.split(), 1)}


_ENGLISH = _counted(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
) | _counted("ten twenty thirty forty fifty sixty seventy eighty ninety", by=10)
_ENGLISH_SCALE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_VIETNAMESE = _counted("một hai ba bốn năm sáu bảy tám chín mười") | {"bẩy": 7, "tư": 4, "mốt": 1, "lăm": 5}
_VIETNAMESE_SCALE = {"mươi": 10, "chục": 10, "trăm": 100, "nghìn": 1000, "ngàn": 1000, "triệu": 1_000_000}
_CHINESE = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_SCALE = {"十": 10, "百": 100, "千": 1000}

_WORD = re.compile(r"[A-Za-zÀ-ỹ]+")
_GAP = re.compile(r"[ ]+|-|,\s")
_CHINESE_RUN = re.compile("[零〇一二两三四五六七八九十百千万亿]+")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words: one value, or the two of "三四百". `alone` says that it may stand without a unit."""

    low: float
    high: float
    end: int
    alone: bool


def spelled_at(text: str, place: int) -> Spelled | None:
    """The number in words that begins at `place`; None where none does."""
    run = _CHINESE_RUN.match(text, place)
    if run is not None:
        return _chinese(run[0], run.end())
    for digits, scales in ((_ENGLISH, _ENGLISH_SCALE), (_VIETNAMESE, _VIETNAMESE_SCALE)):
        found = _words(text, place, digits, scales)
        if found is not None:
            return found
    return None


def _words(text: str, place: int, digits: dict[str, int], scales: dict[str, int]) -> Spelled | None:
    """Words such as "two hundred fifty" and "ba bốn trăm"."""
    said: list[tuple[Literal["digit", "scale"], int]] = []
    end = place
    while (word := _WORD.match(text, end if not said else _after_gap(text, end))) is not None:
        name = word[0].lower()
        if name in digits:
            said.append(("digit", digits[name]))
        elif name in scales and said:
            said.append(("scale", scales[name]))
        else:
            break
        end = word.end()
    if not said:
        return None
    if len(said) == 3 and [kind for kind, _ in said] == ["digit", "digit", "scale"]:
        first, second, scale = (value for _, value in said)
        if second == first + 1:
            return Spelled(first * scale, second * scale, end, alone=True)
    total = 0
    current = 0
    for kind, value in said:
        if kind == "digit":
            current += value
        elif value >= 1000:
            total += max(current, 1) * value
            current = 0
        else:
            current = max(current, 1) * value
    return Spelled(total + current, total + current, end, alone=len(said) > 1)


def _after_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    return len(text) if gap is None else gap.end()


def _chinese(run: str, end: int) -> Spelled | None:
    pair = re.fullmatch("([一二两三四五六七八九])([一二两三四五六七八九])([十百千万]*)", run)
    if pair is not None:
        scale = 1
        for character in pair[3]:
            scale *= 10_000 if character == "万" else _CHINESE_SCALE[character]
        first, second = _CHINESE[pair[1]], _CHINESE[pair[2]]
        if second != first + 1:
            return None
        return Spelled(first * scale, second * scale, end, alone=bool(pair[3]))
    if run[0] in "百千万亿":
        return None
    value = chinese_value(run)
    return None if value is None else Spelled(value, value, end, alone=len(run) > 1)


def chinese_value(run: str) -> float | None:
    """What Chinese numerals such as 三百五十 or 一万二千 come to; None where they are no number."""
    total = 0
    section = 0
    digit: int | None = None
    for character in run:
        if character in _CHINESE:
            if digit:
                return None
            digit = _CHINESE[character]
        elif character in _CHINESE_SCALE:
            section += (1 if digit is None else digit) * _CHINESE_SCALE[character]
            digit = None
        else:
            total = (total + section + (digit or 0)) * (10_000 if character == "万" else 100_000_000)
            section, digit = 0, None
    return float(total + section + (digit or 0))
