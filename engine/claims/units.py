"""Numbers with units, by a registry of pint that knows only the units of this trade.

Its dimensions are stricter than pint's own: information and floating-point operations are dimensions, so
that bytes never pass for FLOP. A token is a count and has none. Importing pint takes a quarter of a second:
import this module only where a claim is worked out.
"""

from __future__ import annotations

import difflib
import re
from functools import cache, lru_cache
from typing import TypeAlias

import pint
from pint.facets.plain import PlainQuantity, PlainUnit

from engine.claims.fault import ClaimsError

Quantity: TypeAlias = PlainQuantity[float]
Unit: TypeAlias = PlainUnit

_DEFINITIONS = (
    "second = [time] = s",
    "ms = 1e-3 second",
    "us = 1e-6 second",
    "ns = 1e-9 second",
    "minute = 60 second = min",
    "hour = 3600 second = h",
    "hertz = 1 / second = Hz",
    "MHz = 1e6 hertz",
    "GHz = 1e9 hertz",
    "byte = [information] = B",
    "bit = 0.125 byte",
    *(f"{prefix}B = 1e{power} byte" for prefix, power in (("K", 3), ("M", 6), ("G", 9), ("T", 12))),
    *(f"{prefix}iB = {1024**power} byte" for power, prefix in enumerate("KMGT", start=1)),
    "FLOP = [operation]",
    *(f"{prefix}FLOP = 1e{power} FLOP" for prefix, power in (("G", 9), ("T", 12), ("P", 15))),
    "token = []",
    "percent = 0.01 = %",
)
_OTHER_NAMES = {"%": "percent", "µs": "us", "μs": "us", "×": "", "x": "", "tok": "token", "kB": "KB"}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_NAMES = tuple(name for line in _DEFINITIONS for name in re.findall(r"(?:^|= )([A-Za-z]+)(?= =|$)", line))


@cache
def registry() -> pint.UnitRegistry[float]:
    """The units, defined once per process."""
    units: pint.UnitRegistry[float] = pint.UnitRegistry(None)
    for line in _DEFINITIONS:
        units.define(line)
    return units


@cache
def unit(text: str) -> Unit:
    """The unit that `text` names: "" for a plain number, else names with `/` between ("GB/s", "FLOP/B").

    Raises ClaimsError for a name that isn't a unit.
    """
    units = registry()
    found: Unit = units.Unit("")
    for place, part in enumerate(text.split("/")):
        name = _OTHER_NAMES.get(part.strip(), part.strip())
        if not name and (place or not text.strip() or part.strip()):
            if place:
                raise ClaimsError("unit", f"{text!r} ends with a stroke: write the unit below it")
            continue
        if name not in _NAMES and name != "1":
            close = difflib.get_close_matches(name, _NAMES, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}?" if close else f"the units are {', '.join(sorted(_NAMES))}"
            raise ClaimsError("unit", f"{part.strip()!r} isn't a unit: {hint}")
        one: Unit = units.Unit("" if name == "1" else name)
        found = found / one if place else one
    return found


def quantity(value: float, unit_text: str) -> Quantity:
    """A number in a unit. Raises ClaimsError for an unknown unit."""
    made: Quantity = registry().Quantity(float(value), unit(unit_text))
    return made


def read(text: str) -> Quantity:
    """A quantity as decks write it: "25 ms", "2039 GB/s", "350". Raises ClaimsError where it isn't one."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ClaimsError("quantities", f"{text!r} isn't a number with a unit, as in `25 ms` or `350`")
    return quantity(float(match.group(1)), match.group(2))


def value_in(found: Quantity, unit_text: str) -> float:
    """The number of `found` in another unit. Raises ClaimsError where the dimensions differ."""
    wanted = unit(unit_text)
    try:
        return float(found.to(wanted).magnitude)
    except pint.DimensionalityError as error:
        raise ClaimsError(
            "unit", f"{described(found)} can't be given in {unit_text or 'a plain number'}"
        ) from error


@lru_cache(maxsize=4096)
def _factor(from_unit: str, to_unit: str) -> float:
    """What a value is multiplied by: no unit here has an offset. Raises ClaimsError as `converted` does."""
    return value_in(quantity(1, from_unit), to_unit)


def converted(value: float, from_unit: str, to_unit: str) -> float:
    """`value` in another unit. Raises ClaimsError where the units don't fit together."""
    return value if from_unit == to_unit else value * _factor(from_unit, to_unit)


def described(found: Quantity) -> str:
    """What sort of thing a quantity is, for messages: its unit, or "a plain number"."""
    return "a plain number" if found.dimensionless else f"a quantity in {found.units:~}"
