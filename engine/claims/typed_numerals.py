"""Digits as people type them: separators, exponents, and the words and letters that multiply a number."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from engine.claims.spelled_numbers import chinese_value

Decimal = Literal[".", ","]

_DIGITS = re.compile(r"\d+(?:[.,'_]\d+)*|\.\d+")
_SPACED = re.compile(r"\d{1,3}(?: \d{3})+(?![\d.,]*\d)(?!\s*[x\u00d7^])")
_GROUPS = re.compile(r"\d{1,3}(?:(.)\d{3})(?:\1\d{3})*")
_POWER_OF_TEN = re.compile(
    r"\s?[x\u00d7*\u00b7]\s?10(?:\^([-+]?\d{1,3})|([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+))"
)
_POWER = re.compile(r"\^([-+]?\d{1,2})(?!\d)|([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)")
_EXPONENT = re.compile(r"[eE]([-+]?\d{1,3})(?![\d.])")
_SUPERSCRIPTS = str.maketrans(
    "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789"
)
_LETTER_SCALE = re.compile(r"([kKM])(?![A-Za-zÀ-ỹ0-9/])")
_WORD_SCALE = re.compile(
    r"\s*(?:(thousand|nghìn|ngàn)|(million|triệu)|(billion|tỷ|tỉ))(?![A-Za-zÀ-ỹ])", re.IGNORECASE
)
_CHINESE_SCALE = re.compile(r"\s?([百千万亿]+(?:[一二三四五六七八九两\d]+[十百千万])*)")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in digits: `either` says that its one separator could be read both ways."""

    value: float
    end: int
    either: bool = False


def decimal_mark(text: str, language: str) -> Decimal:
    """The sign before the decimals in this text: what its clear numbers show, else the language's."""
    seen = {mark for match in _DIGITS.finditer(text) if (mark := _clear_mark(match[0])) is not None}
    if len(seen) == 1:
        return seen.pop()
    return "," if language == "vi" else "."


def _clear_mark(digits: str) -> Decimal | None:
    """The decimal mark that a number leaves no doubt about."""
    marks = re.findall(r"[.,]", digits)
    if not marks:
        return None
    if len(set(marks)) == 2:
        return "." if marks[-1] == "." else ","
    if len(marks) > 1:
        return None
    before, after = re.split(r"[.,]", digits)
    if len(after) == 3 and before and not before.startswith("0") and len(before) <= 3:
        return None
    return "." if marks[0] == "." else ","


def numeral_at(text: str, place: int, mark: Decimal, language: str) -> Numeral | None:
    """The number in digits that begins at `place`; None where none does, and for a version such as 5.17.0."""
    spaced = _SPACED.match(text, place)
    if spaced is not None and (spaced[0].count(" ") > 1 or spaced[0].endswith(" 000")):
        base = Numeral(float(spaced[0].replace(" ", "")), spaced.end())
    else:
        found = _digits(text, place, mark, language)
        if found is None:
            return None
        base = found
    return _scaled(text, _raised(text, base))


def run_end(text: str, place: int) -> int:
    """Where the run of digits and separators at `place` ends, to pass over what is no number."""
    found = _DIGITS.match(text, place)
    return place + 1 if found is None else found.end()


def _digits(text: str, place: int, mark: Decimal, language: str) -> Numeral | None:
    match = _DIGITS.match(text, place)
    if match is None:
        return None
    written = match[0].replace("_", "").replace("'", "") if re.search("['_]", match[0]) else match[0]
    marks = re.findall(r"[.,]", written)
    end = match.end()
    if not marks:
        return Numeral(float(written), end)
    if len(set(marks)) == 2:
        last = max(written.rfind("."), written.rfind(","))
        whole, decimals = written[:last], written[last + 1 :]
        if written[last] in whole or not _GROUPS.fullmatch(whole):
            return None
        return Numeral(float(f"{re.sub('[.,]', '', whole)}.{decimals}"), end)
    if len(marks) > 1:
        if _GROUPS.fullmatch(written):
            return Numeral(float(re.sub("[.,]", "", written)), end)
        if marks[0] == ".":
            return None
        first = written.split(",")[0]  # a list without spaces
        return Numeral(float(first), place + len(first))
    before, after = re.split(r"[.,]", written)
    as_decimal = float(f"{before or '0'}.{after}")
    if _clear_mark(written) is not None:
        return Numeral(as_decimal, end)
    # nobody writes three decimal noughts, whatever the other numbers of a Vietnamese text show
    grouped = marks[0] != mark or (language == "vi" and marks[0] == "." and after == "000")
    return Numeral(float(before + after) if grouped else as_decimal, end, either=True)


def _raised(text: str, base: Numeral) -> Numeral:
    """The number with "e-3", "× 10^-3", "²" behind it."""
    exponent = _EXPONENT.match(text, base.end)
    if exponent is not None:
        return Numeral(_times_ten(base.value, int(exponent[1])), exponent.end(), base.either)
    ten = _POWER_OF_TEN.match(text, base.end)
    if ten is not None:
        return Numeral(_times_ten(base.value, _power(ten)), ten.end(), base.either)
    power = _POWER.match(text, base.end)
    if power is None:
        return base
    try:
        value = float(base.value ** _power(power))
    except (OverflowError, ZeroDivisionError):
        value = math.inf
    return Numeral(value, power.end(), base.either)


def _times_ten(value: float, exponent: int) -> float:
    try:
        return float(f"{value!r}e{exponent}") if "e" not in repr(value) else value * 10.0**exponent
    except OverflowError:
        return math.inf


def _power(match: re.Match[str]) -> int:
    return int(match[1] if match[1] is not None else match[2].translate(_SUPERSCRIPTS))


def _scaled(text: str, base: Numeral) -> Numeral:
    """The number with "k", "nghìn", "million", "万" behind it."""
    letter = _LETTER_SCALE.match(text, base.end)
    if letter is not None:
        return Numeral(base.value * (1e6 if letter[1] == "M" else 1e3), letter.end(), base.either)
    word = _WORD_SCALE.match(text, base.end)
    if word is not None:
        scale = 1e3 if word[1] else 1e6 if word[2] else 1e9
        return Numeral(base.value * scale, word.end(), base.either)
    chinese = _CHINESE_SCALE.match(text, base.end)
    if chinese is None:
        return base
    # 1万2千: the scale, and whole parts below it
    value = base.value
    rest = chinese[1]
    scale_end = next((at for at, sign in enumerate(rest) if sign not in "百千万亿"), len(rest))
    for sign in rest[:scale_end]:
        value *= {"百": 1e2, "千": 1e3, "万": 1e4, "亿": 1e8}[sign]
    below = rest[scale_end:]
    plain = "".join("零一二三四五六七八九"[int(sign)] if sign.isdigit() else sign for sign in below)
    more = chinese_value(plain) if plain else 0.0
    return base if more is None else Numeral(value + more, chinese.end(), base.either)
