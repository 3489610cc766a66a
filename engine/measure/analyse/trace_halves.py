"""What a second process read of a trace: columns of numbers in place of rows, batch by batch, and how they become
events again, in the order of the file.

An event costs some tens of bytes so; what is text stands once, with a number for each event.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent, GpuEvent
from engine.measure.analyse.sorted_out import ON_GPU, Counts, Rows, SortedOut, Thread

_NOTHING = -(1 << 63)
"""In a column of numbers, in place of None."""
_GPU_FIELDS = "iiqiqqqq"
_CPU_FIELDS = "iiqqq"
"""Of each field of a row its type: the number of a text (i, 32 bits), or an integer or None (q, 64 bits)."""
V = TypeVar("V")
Columns = tuple[bytes | None, ...]
"""The fields of a list of events; None: none of the events has the field."""
Events = list[list[GpuEvent] | list[CpuEvent]]
"""Of each list its events."""


class Half(msgspec.Struct, array_like=True):
    """The events of some of the batches, each list's by the number of the batch, and what was counted in
    them."""

    texts: list[str]
    threads: list[Thread]
    parts: list[tuple[int, tuple[Columns, ...]]]
    events: int
    counts: Counts


def packed(rows: Rows) -> tuple[Columns, ...]:
    """The rows of a batch, with numbered texts, as columns. Raises OverflowError where a number has more than
    64 bits."""
    return tuple(_packed(of_list, place) for place, of_list in enumerate(rows))


def events_of(rows: Rows) -> Events:
    """The events that rows with texts hold."""
    return [
        list(itertools.starmap(GpuEvent if place in ON_GPU else CpuEvent, of_list))
        for place, of_list in enumerate(rows)
    ]


class Unpacked:
    """Gives the half's events, batch by batch; with the texts and threads of `taken`, where it has them."""

    def __init__(self, half: Half, taken: SortedOut) -> None:
        self._texts = [taken.texts[text] for text in half.texts]
        self._threads = [taken.threads.labels.setdefault(thread, thread) for thread in half.threads]

    def events(self, lists: Sequence[Columns]) -> Events:
        return [
            (self._gpu(columns) if place in ON_GPU else self._cpu(columns)) if columns else []
            for place, columns in enumerate(lists)
        ]

    def _gpu(self, columns: Columns) -> list[GpuEvent]:
        kinds, names, device, streams, *numbers = columns
        texts = self._texts
        return list(
            map(
                GpuEvent,
                _values(kinds, texts),
                _values(names, texts),
                _unpacked(device),
                _values(streams, texts),
                *map(_unpacked, numbers),
            )
        )

    def _cpu(self, columns: Columns) -> list[CpuEvent]:
        names, threads, *numbers = columns
        return list(
            map(
                CpuEvent, _values(names, self._texts), _values(threads, self._threads), *map(_unpacked, numbers)
            )
        )


def _packed(rows: Sequence[tuple[Any, ...]], place: int) -> Columns:
    fields = _GPU_FIELDS if place in ON_GPU else _CPU_FIELDS
    return tuple(map(_column, fields, zip(*rows, strict=True))) if rows else ()


def _column(kind: str, values: tuple[Any, ...]) -> bytes | None:
    if kind == "q" and None in values:
        if values.count(None) == len(values):
            return None
        if _NOTHING in values:
            raise OverflowError("a number that stands for none here")
        values = tuple(_NOTHING if number is None else number for number in values)
    return array(kind, values).tobytes()


def _values(codes: bytes | None, values: Sequence[V]) -> Iterator[V]:
    return map(values.__getitem__, memoryview(codes or b"").cast("i"))


def _unpacked(column: bytes | None) -> Iterable[Any]:
    if column is None:
        return itertools.repeat(None)
    numbers = memoryview(column).cast("q").tolist()
    return [None if number == _NOTHING else number for number in numbers] if _NOTHING in numbers else numbers
