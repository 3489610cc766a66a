"""A file's records with the places they stand at, for messages; and the faults of single records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.records import Export

LARGEST = 512 * 1024 * 1024
"""Bytes of a file. A review has about 900: half a million answers fit."""

WAY_OUT = "mend it there, or export the file anew"

_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_RECORD = re.compile(r"^(?P<record>\w+\[\d+\])\.?(?P<field>.*)$")


@dataclass(frozen=True, slots=True)
class Parsed:
    """An export as it was read.

    lines: in a CSV, the line of each record, by the name of its list. left_out: of a package of Anki's, what
    can't come along, counted: `pictures` (that cards can't show, and sounds), `empty` and `too_long` cards,
    notes `edited` in Anki whose text stays as it is here, decks `not_own` with another text here.
    """

    export: Export
    where: str
    lines: Mapping[str, list[int]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    def place(self, kind: str, index: int) -> str:
        """Where a record stands: `FILE: line 7` or `FILE: reviews[5]`."""
        known = self.lines.get(kind)
        return f"{self.where}: " + (f"{kind}[{index}]" if known is None else f"line {known[index]}")

    def fault(self, kind: str, index: int, field: str, message: str) -> ExchangeFault:
        """The fault of a record's field."""
        return ExchangeFault(self.place(kind, index), field, message)


def of_validation(error: msgspec.ValidationError, where: str) -> ExchangeFault:
    """msgspec's "Expected `int`, got `str` - at `$.reviews[3].rating`" with the record and field in front."""
    found = _AT.match(str(error))
    what, path = (str(error), "") if found is None else (found["what"], found["path"] or "")
    record = _RECORD.match(path)
    if record is not None:
        where, path = f"{where}: {record['record']}", record["field"]
    return ExchangeFault(where, path, f"{what[:1].lower()}{what[1:]}: {WAY_OUT}")
