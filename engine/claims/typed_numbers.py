"""Numbers with units out of what a person typed, in the notations of English, Vietnamese and Chinese.

"5 ms", "4,8 ms", "about 70 %", "20–25 µs", "约 70 %", "khoảng 5 ms", "2.000 token", "1万", "1.5–2×". Pure,
and without pint: `unit` is a name for `engine.claims.units`, which converts it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

from engine.claims.spelled_numbers import spelled_at
from engine.claims.typed_numerals import Decimal, decimal_mark, numeral_at, run_end
from engine.claims.typed_said import APPROX, APPROX_AFTER, OPENING, Bound, said_after, said_before
from engine.claims.typed_text import folded
from engine.claims.typed_units import WrittenUnit, rate_before, unit_at
from engine.faults import BenchcardsError

LONGEST = 20_000
"""Characters of a text that are looked at."""
LOOK_BACK = 80
"""Characters before a number in which the words about it stand."""

_TO = re.compile(r"\s*(?:-|~|\.\.\.?)\s*|\s+(?:to|đến|tới)\s+|\s*(?:到|至)\s*")
_AND = re.compile(r"\s+(?:and|và)\s+|\s*和\s*")
_PLUS_MINUS = re.compile(r"\s*(?:\u00b1|\+/-)\s*")
_FRACTION = re.compile(r"([1-9])/([2-9]|10)(?![\d/.,A-Za-z])")
_TENTHS = re.compile(r"\s*成(?![为本功])")
_NAME_BEFORE = re.compile(
    r"(?<![A-Za-zÀ-ỹ])(?:llama|gpt|rtx|day|bài|lesson|cuda|torch|pytorch|transformers|python|triton|driver|"
    r"stream|gpu|tesla|hopper|ampere|ada|week|tuần|câu|lecture|thứ|số thứ tự)[ -]?(?:v)?$|第\s*$|\bv$",
    re.IGNORECASE,
)
_START = re.compile(r"\d|\.(?=\d)|[A-Za-zÀ-ỹ]+|[零〇一二两三四五六七八九十]|百分之")
_DATE = re.compile(r"\d+(?:-\d+){2,}")
_LIST_NUMBER = re.compile(r"\d{1,2}[.)] +\S")
_LETTER = re.compile(r"[A-Za-zÀ-ỹ_]")
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
_SCALES = {
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
    "B": 1.0,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    **_TIMES,
}


class TypedNumberError(BenchcardsError):
    """A prediction that isn't one number. `code`: empty, no_number, several_numbers or too_large."""

    def __init__(self, code: Literal["empty", "no_number", "several_numbers", "too_large"]) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A number or a range as it was typed, from character `start` up to `end` of the text.

    unit: a name for `engine.claims.units`: "ms", "percent", "GB/s", "token/s", "×" for a ratio, "" for none.
    noun: what is counted, where it is said: kernel, launch, transfer, pass, layer, token, else "".
    approx: it was called approximate. bound: it was called a least or a most.
    either: its separator could be decimal or thousands ("2,000"); the text and the language decided.
    from_to: a range after "from", "từ" or "从", which may be a change and no range.
    """

    low: float
    high: float
    unit: str
    start: int
    end: int
    noun: str = ""
    approx: bool = False
    bound: Bound = ""
    either: bool = False
    from_to: bool = False

    @property
    def value(self) -> float:
        """The value, or the middle of a range."""
        return self.low if self.low == self.high else (self.low + self.high) / 2

    @property
    def is_range(self) -> bool:
        return self.low != self.high


@dataclass(frozen=True, slots=True)
class _One:
    """A number before ranges are put together. `alone`: it counts without a unit (not so the word "one")."""

    low: float
    high: float
    unit: str
    noun: str
    end: int
    either: bool
    alone: bool = True


def predicted(text: str, language: str) -> TypedNumber:
    """The one number of a typed prediction. Raises TypedNumberError where it isn't one finite number."""
    if not text.strip():
        raise TypedNumberError("empty")
    found = numbers(text, language)
    if len(found) > 1:
        raise TypedNumberError("several_numbers")
    if not found:
        raise TypedNumberError("no_number")
    if not (math.isfinite(found[0].low) and math.isfinite(found[0].high)):
        raise TypedNumberError("too_large")
    return found[0]


def numbers(text: str, language: str) -> tuple[TypedNumber, ...]:
    """Every number of a text in order. `language` (en, vi, zh) is a hint for separators that say nothing.

    Numbers within names (H100, int8, Llama 3 8B, a version) are none.
    """
    whole = folded(text[:LONGEST])
    reader = _Reader(whole.text, decimal_mark(whole.text, language), language)
    return tuple(
        replace(found, start=whole.places[found.start], end=whole.places[found.end])
        for found in reader.numbers()
    )


class _Reader:
    """Reads one folded text from left to right."""

    def __init__(self, text: str, mark: Decimal, language: str) -> None:
        self.text = text
        self.mark = mark
        self.language = language

    def numbers(self) -> list[TypedNumber]:
        found = []
        place = 0
        while (start := _START.search(self.text, place)) is not None:
            number = self.number_at(start.start())
            if number is not None:
                found.append(number)
                place = number.end
            elif start[0][0].isdigit() or start[0] == ".":
                place = self._past_name(start.start())
            else:
                place = start.end()
        return found

    def _past_name(self, place: int) -> int:
        date = _DATE.match(self.text, place)
        end = run_end(self.text, place) if date is None else date.end()
        while end < len(self.text) and _LETTER.match(self.text, end):
            end += 1
        return end

    def number_at(self, place: int) -> TypedNumber | None:
        if self._within_name(place):
            return None
        first = self.one_at(place)
        if first is None:
            return None
        joined = self._range(place, first)
        if joined is None:
            return None
        one, is_range = joined
        before = self.text[max(0, place - LOOK_BACK) : place]
        sign = re.search(r"(?:^|[\s(=:~<>])([-+])$", before)
        if sign is not None and not is_range:
            before = before[: sign.start(1)]
            if sign[1] == "-":
                one = replace(one, low=-one.high, high=-one.low)
        approx, bound, from_to = said_before(before)
        approx_after, bound_after, after = said_after(self.text, one.end)
        unit, noun = one.unit, one.noun
        if after > one.end and not unit and not noun:
            behind = unit_at(self.text, self._over_space(after))  # 300 多个 kernel
            if behind is not None:
                unit, noun, after = behind.unit, behind.noun, behind.end
        return TypedNumber(
            one.low,
            one.high,
            unit,
            place,
            after,
            noun,
            approx or approx_after,
            bound_after or bound,
            one.either,
            from_to and is_range,
        )

    def _within_name(self, place: int) -> bool:
        """A number within or behind a name (H100, Day 11) is none, nor is one that numbers a line."""
        before = self.text[max(0, place - LOOK_BACK) : place]
        if _LIST_NUMBER.match(self.text, place) and not before.rpartition("\n")[2].strip():
            return True
        if _NAME_BEFORE.search(before) is not None:
            return True
        if place and (_LETTER.match(self.text, place - 1) or self.text[place - 1].isdigit()):
            return APPROX.search(before) is None
        return bool(re.search(r"[A-Za-z]\d*[-_.]$", before)) and not before.endswith("..")

    def one_at(self, place: int) -> _One | None:
        """The number at `place` with its unit."""
        if self.text.startswith("百分之", place):
            of_hundred = self._value_at(self._over_space(place + 3))
            return None if of_hundred is None else replace(of_hundred, unit="percent")
        fraction = _FRACTION.match(self.text, place)
        if fraction is not None and int(fraction[1]) < int(fraction[2]):
            part = int(fraction[1]) / int(fraction[2])
            return self._with_unit(_One(part, part, "", "", fraction.end(), False), place)
        value = self._value_at(place)
        return None if value is None else self._with_unit(value, place)

    def _value_at(self, place: int) -> _One | None:
        if place >= len(self.text):
            return None
        if self.text[place].isdigit() or self.text[place] == ".":
            found = numeral_at(self.text, place, self.mark, self.language)
            return None if found is None else _One(found.value, found.value, "", "", found.end, found.either)
        spelt = spelled_at(self.text, place)
        if spelt is None:
            return None
        if self.text.startswith("分之", spelt.end):
            above = spelled_at(self.text, spelt.end + 2)
            if above is None or not spelt.low:
                return None
            return _One(above.low / spelt.low, above.high / spelt.low, "\u00d7", "", above.end, False)
        return _One(spelt.low, spelt.high, "", "", spelt.end, False, alone=spelt.alone)

    def _with_unit(self, value: _One, place: int) -> _One | None:
        """The number, which began at `place`, with the unit behind it."""
        tenths = _TENTHS.match(self.text, value.end)
        if tenths is not None:
            return replace(value, low=value.low * 10, high=value.high * 10, unit="percent", end=tenths.end())
        if self._model_size(value.end):
            return None
        unit = None if value.unit else self._unit_behind(value.end)
        if unit is not None and (value.alone or value.high != 1 or unit.unit not in ("", "token")):
            name = unit.unit
            if name.isalpha() and (below := rate_before(self.text, place)):
                name = f"{name}/{below}"
            return replace(value, unit=name, noun=unit.noun, end=unit.end)
        in_name = _LETTER.match(self.text, value.end) and not APPROX_AFTER.match(self.text, value.end)
        return value if value.alone and (value.unit or not in_name) else None

    def _unit_behind(self, place: int) -> WrittenUnit | None:
        if self.text.startswith("-bit", place):
            place += 1
        return unit_at(self.text, self._over_space(place))

    def _model_size(self, place: int) -> bool:
        """8B is the size of a model, unless nothing else was typed."""
        return (
            self.text.startswith("B", place)
            and not _LETTER.match(self.text, place + 1)
            and self.text[place + 1 : place + 2] != "/"
            and bool(re.search(r"[^\d.,B\s~-]", self.text))
        )

    def _over_space(self, place: int) -> int:
        while place < len(self.text) and self.text[place] == " ":
            place += 1
        return place

    def _range(self, place: int, first: _One) -> tuple[_One, bool] | None:
        """The first number joined with a second by a dash, a word or ±; None for a date."""
        spread = _PLUS_MINUS.match(self.text, first.end)
        if spread is not None:
            aside = self.one_at(spread.end())
            if aside is not None:
                around = _around(first, aside)
                if around is not None:
                    return around, True
        between = OPENING.search(self.text[max(0, place - LOOK_BACK) : place])
        to = _TO.match(self.text, first.end)
        if to is None and between is not None:
            to = _AND.match(self.text, first.end)
        second = None if to is None else self.one_at(to.end())
        if to is None or second is None or first.low != first.high or second.low != second.high:
            return first, False
        if re.match(r"-\d", self.text[second.end :]):
            return None
        joined = _joined(first, second, dash=to[0].strip() in ("-", "~"))
        return (first, False) if joined is None else (joined, joined.low != joined.high)


def _around(first: _One, aside: _One) -> _One | None:
    """5 ± 1 ms and 5 ms ± 10 %."""
    if aside.unit == "percent" and first.unit != "percent" and first.unit:
        by = abs(first.low) * aside.low / 100
    elif not first.unit or aside.unit in ("", first.unit):
        by = aside.low
    else:
        return None
    unit = first.unit or aside.unit
    return replace(first, low=first.low - by, high=first.low + by, unit=unit, end=aside.end)


def _joined(first: _One, second: _One, *, dash: bool) -> _One | None:
    """A range in the second number's unit, or None where the two don't belong together."""
    low, high = first.low, second.low
    unit = second.unit
    if first.unit and first.unit != second.unit:
        if not second.unit and dash:
            unit = first.unit
        elif first.unit in _SCALES and unit in _SCALES and (first.unit in _TIMES) == (unit in _TIMES):
            low = low * _SCALES[first.unit] / _SCALES[unit]
        else:
            return None
    elif first.noun and not second.noun and not second.unit:
        return None
    return replace(
        second,
        low=min(low, high),
        high=max(low, high),
        unit=unit,
        noun=second.noun or first.noun,
        either=first.either or second.either,
    )
