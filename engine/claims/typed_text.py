"""A person's text as the readers of numbers want it, with the way back to where each character stood."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"
_SAME = {
    "\u00b5": "\u03bc",  # micro sign, Greek mu: one of them
    "\u2212": "-",
    "\u2019": "'",
    "\uff0c": ";",  # a full-width comma parts clauses and never stands in a number
    "\u3001": ";",
    "\uff5e": "~",
    "\u301c": "~",
    "\u223c": "~",
    "\u2245": "\u2248",
    "\u2243": "\u2248",
    "\u2044": "/",
    "\u2215": "/",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
}
_LATEX = {r"{,}": ",", r"\%": "%", r"\,": " ", r"\ ": " ", r"\approx": "\u2248", r"\times": "\u00d7"}


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` in lower and upper case as typed, composed, with plain digits, spaces and dashes.

    `places[i]` is where character i began in the original, and one more place for the end.
    """

    text: str
    places: tuple[int, ...]


def folded(original: str) -> Folded:
    """Composes accents, makes full-width characters plain, and reads a few spellings of LaTeX."""
    characters: list[str] = []
    places: list[int] = []
    place = 0
    while place < len(original):
        spelt = next((latex for latex in _LATEX if original.startswith(latex, place)), None)
        if spelt is not None:
            characters.append(_LATEX[spelt])
            places.append(place)
            place += len(spelt)
            continue
        end = place + 1
        while end < len(original) and unicodedata.combining(original[end]):
            end += 1
        for character in unicodedata.normalize("NFC", original[place:end]):
            characters.append(_plain(character))
            places.append(place)
        place = end
    return Folded("".join(characters), (*places, len(original)))


def _plain(character: str) -> str:
    if character in _SAME:
        return _SAME[character]
    if character in _SPACES:
        return " "
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    return character
