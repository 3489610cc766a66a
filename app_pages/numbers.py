"""Numbers as each language writes them: separators, units, spreads, durations, dates."""

from __future__ import annotations

import math
from datetime import datetime
from zoneinfo import ZoneInfo

_SEPARATORS = {"en": (",", "."), "zh": (",", "."), "vi": (".", ",")}
"""Thousands and decimals."""

_UNIT_SIGNS = {"percent": "%", "us": "µs", "FLOP/s": "FLOP/s"}
_BYTES = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3))


def number(value: float, language: str, digits: int = 3) -> str:
    """`value` with at least `digits` significant digits, whole numbers whole, in the language's signs."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size != 0 and (size >= 1e15 or size < 1e-6):
        return _signs(f"{value:.{digits - 1}e}", language)
    if value == int(value) and (size < 10**digits or size >= 10 ** (digits + 1) or isinstance(value, int)):
        return _signs(f"{value:,.0f}", language)
    decimals = 0 if size == 0 else max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    return _signs(text.rstrip("0").rstrip(".") if "." in text and size < 1 else text, language)


def as_given(value: float, language: str) -> str:
    """A number with the digits it was given with: 4.8 stays 4.8."""
    text = f"{value:,.12g}" if abs(value) < 1e12 else f"{value:g}"
    return _signs(text, language)


def unit_sign(unit: str) -> str:
    """The unit as it stands behind a number: % for percent, µs for us, nothing for a plain number."""
    return _UNIT_SIGNS.get(unit, unit)


def quantity(value: float, unit: str, language: str, digits: int = 3) -> str:
    """A number with its unit; a size in bytes in the unit that reads best."""
    shown, sign = scaled(value, unit)
    text = number(shown, language, digits)
    return joined(text, sign)


def scaled(value: float, unit: str) -> tuple[float, str]:
    """Value and unit sign as shown: 15 009 849 344 B become 15.0 GB."""
    if unit == "B":
        for name, factor in _BYTES:
            if abs(value) >= factor:
                return value / factor, name
    return value, unit_sign(unit)


def joined(text: str, sign: str) -> str:
    """A number and its unit with a no-break space between; % and × stand close."""
    if not sign:
        return text
    return f"{text}{'' if sign in ('%', '×') else chr(0xA0)}{sign}"


def span(low: float, high: float, unit: str, language: str) -> str:
    """A range: 300–400, 12–16 ms."""
    top, sign = scaled(high, unit)
    factor = top / high if high else 1.0
    digits = (
        3 if high == low or high == 0 else min(6, max(3, 1 - math.floor(math.log10((high - low) / high))))
    )
    return joined(f"{number(low * factor, language, digits)}–{number(top, language, digits)}", sign)


def percent(share: float, language: str, *, signed: bool = False) -> str:
    """A share as percent: 0.031 gives 3.1 %; `signed` puts + before a positive one."""
    size = abs(share * 100)
    text = f"{share * 100:.{1 if size < 9.95 else 0}f}".removesuffix(".0").replace("-", "−")
    if text == "−0":
        text = "0"
    return f"{'+' if signed and share > 0 and text != '0' else ''}{_signs(text, language)}%"


def clock(seconds: float) -> str:
    """A duration as on a stopwatch: 0:07, 12:30, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def day(moment: datetime, zone: str, language: str) -> str:
    """The date in the reader's zone."""
    local = moment.astimezone(ZoneInfo(zone))
    if language == "zh":
        return f"{local.year}年{local.month}月{local.day}日"
    if language == "vi":
        return f"{local.day}/{local.month}/{local.year}"
    return f"{local.day} {local:%b} {local.year}"


def moment(when: datetime, zone: str, language: str) -> str:
    """Date and time in the reader's zone."""
    return f"{day(when, zone, language)} {when.astimezone(ZoneInfo(zone)):%H:%M}"


def _signs(text: str, language: str) -> str:
    return text.translate(str.maketrans(",.", "".join(_SEPARATORS.get(language, _SEPARATORS["en"]))))
