"""What the interface says, in the reader's language.

The catalogue of a language is `<language>.json` and every `<page>.<language>.json` beside this module, all
flat; a string takes its arguments by `str.format`. Wording avoids plurals ("Due: 3", not "3 cards are due"),
so that no language needs rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from app_pages import context

FOLDER = Path(__file__).parent

MINUTES_AN_HOUR = 60
MINUTES_A_DAY = 24 * 60
DAYS_A_MONTH = 30.4
DAYS_A_YEAR = 365.25


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Every string of a language, by key. `language` is one of `context.LANGUAGES`."""
    words: dict[str, str] = {}
    for file in (FOLDER / f"{language}.json", *sorted(FOLDER.glob(f"*.{language}.json"))):
        words.update(json.loads(file.read_text(encoding="utf-8")))
    return MappingProxyType(words)


def phrase(language: str, key: str, /, **args: object) -> str:
    """The string under `key` in `language`. Raises KeyError for a key that no catalogue has."""
    text = catalogue(language)[key]
    return text.format(**args) if args else text


def say(key: str, /, **args: object) -> str:
    """The string under `key` in the language of the person who is looking at the page."""
    return phrase(context.language(), key, **args)


def knows(key: str) -> bool:
    """Whether the catalogue has `key`: for codes that come from other rooms."""
    return key in catalogue("en")


def interval(language: str, minutes: float) -> str:
    """A length of time as it stands on a grade button: 1 min, 4 h, 3 d, 2.1 mo (rounded, never 0)."""
    if minutes < MINUTES_AN_HOUR:
        return phrase(language, "interval.minutes", n=max(1, round(minutes)))
    if minutes < MINUTES_A_DAY:
        return phrase(language, "interval.hours", n=_short(minutes / MINUTES_AN_HOUR))
    days = minutes / MINUTES_A_DAY
    if days < DAYS_A_MONTH:
        return phrase(language, "interval.days", n=_short(days))
    if days < DAYS_A_YEAR:
        return phrase(language, "interval.months", n=_short(days / DAYS_A_MONTH))
    return phrase(language, "interval.years", n=_short(days / DAYS_A_YEAR))


def _short(value: float) -> str:
    """One decimal below ten, none above, and no trailing zero."""
    return f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
