"""What a second process read of a trace: columns in place of rows, part by part, and how they become events.

An event costs some tens of bytes so; what is text stands once, with a number for each event.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent, GpuEvent
from engine.measure.analyse.events_in_order import Events
from engine.measure.analyse.sorted_out import ON_GPU, Counts, Rows, SortedOut, Thread

Columns = list[list[int | None] | None]
"""A list of events by the fields of its rows; None: none of the events has the field."""
_encode = msgspec.msgpack.encode


class Half(msgspec.Struct, array_like=True):
    """The events of some of the parts of a file, by the number of the part, and what was counted in them."""

    texts: list[str]
    threads: list[Thread]
    parts: list[tuple[int, msgspec.Raw]]
    events: int
    counts: Counts


def packed(rows: Rows) -> msgspec.Raw:
    """The rows of a part, with numbered texts, as MessagePack of `Columns`. Raises OverflowError where a
    number has more than 64 bits."""
    return msgspec.Raw(_encode([list(map(_or_none, zip(*of_list, strict=True))) for of_list in rows]))


class Unpacked:
    """Gives the half's events, part by part; with the texts and threads of `taken`, where it has them."""

    def __init__(self, half: Half, taken: SortedOut) -> None:
        self._texts = [taken.texts[text] for text in half.texts]
        self._threads = [taken.threads.labels.setdefault(thread, thread) for thread in half.threads]
        self._decoder = msgspec.msgpack.Decoder(list[Columns])

    def events(self, part: msgspec.Raw) -> Events:
        return [
            (self._gpu(columns) if place in ON_GPU else self._cpu(columns)) if columns else []
            for place, columns in enumerate(self._decoder.decode(part))
        ]

    def _gpu(self, columns: Columns) -> list[GpuEvent]:
        kinds, names, devices, streams, *numbers = map(_or_nothing, columns)
        text = self._texts.__getitem__
        return list(map(GpuEvent, map(text, kinds), map(text, names), devices, map(text, streams), *numbers))

    def _cpu(self, columns: Columns) -> list[CpuEvent]:
        names, threads, *numbers = map(_or_nothing, columns)
        text, thread = self._texts.__getitem__, self._threads.__getitem__
        return list(map(CpuEvent, map(text, names), map(thread, threads), *numbers))


def _or_none(column: Sequence[Any]) -> Sequence[Any] | None:
    return None if column[0] is None and column.count(None) == len(column) else column


def _or_nothing(column: Sequence[Any] | None) -> Iterable[Any]:
    return itertools.repeat(None) if column is None else column
