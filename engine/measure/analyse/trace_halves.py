"""Half of a trace's events as columns of numbers, to be handed from one process to another, and put together
with the other half in the order of the file.

An event costs some tens of bytes and no object here; what is text stands once, with a number for each event.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeVar

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent, GpuEvent
from engine.measure.analyse.sorted_out import SortedOut

_NOTHING = -(1 << 63)
"""In a column of numbers, in place of None."""
E = TypeVar("E")
V = TypeVar("V", bound=Hashable)
_Thread = tuple[str, str]
Marks = Sequence[tuple[int, ...]]
"""The number of each batch that was taken, and how long every list was behind it."""


class _Columns(msgspec.Struct, array_like=True, gc=False):
    """A list of events: columns of the numbers of texts (32 bits), and of 64-bit integers."""

    texts: tuple[bytes, ...]
    numbers: tuple[bytes | None, ...]
    """None: of no event there is a number."""


class Half(msgspec.Struct, array_like=True):
    """The events of every other batch, and what was counted in them."""

    texts: list[str]
    threads: list[_Thread]
    gpu: tuple[_Columns, ...]
    cpu: tuple[_Columns, ...]
    marks: list[tuple[int, ...]]
    events: int
    stacks: bool
    unreadable: int
    text_times: int
    without_args: int


def half_of(taken: SortedOut, marks: Marks, events: int) -> Half:
    """What was taken, to be handed on. Raises OverflowError where a number has more than 64 bits."""
    texts: dict[str, int] = {}
    threads: dict[_Thread, int] = {}
    gpu = tuple(
        _Columns(
            (
                _codes((event.kind for event in events_of), texts),
                _codes((event.name for event in events_of), texts),
                _codes((event.stream for event in events_of), texts),
            ),
            (
                _packed([event.device for event in events_of]),
                *_spans(events_of),
                _packed([event.bytes for event in events_of]),
            ),
        )
        for events_of in taken.gpu_lists()
    )
    cpu = tuple(
        _Columns(
            (
                _codes((event.name for event in events_of), texts),
                _codes((event.thread for event in events_of), threads),
            ),
            _spans(events_of),
        )
        for events_of in taken.cpu_lists()
    )
    return Half(
        list(texts),
        list(threads),
        gpu,
        cpu,
        list(marks),
        events,
        taken.stacks,
        taken.unreadable,
        taken.text_times,
        taken.without_args,
    )


def put_together(taken: SortedOut, marks: Marks, half: Half) -> None:
    """Adds the half to what was taken of the same file, batch by batch in the order of the file."""
    texts = [taken.names.setdefault(text, text) for text in half.texts]
    for place, (own, columns) in enumerate(zip(taken.gpu_lists(), half.gpu, strict=True)):
        kinds, names, streams = (_values(codes, texts) for codes in columns.texts)
        device, start, end, correlation, size = map(_unpacked, columns.numbers)
        others: Any = list(map(GpuEvent, kinds, names, device, streams, start, end, correlation, size))
        _interleave(own, others, marks, half.marks, place + 1)
    before = len(half.gpu) + 1
    for place, (calls, columns) in enumerate(zip(taken.cpu_lists(), half.cpu, strict=True)):
        names, threads = _values(columns.texts[0], texts), _values(columns.texts[1], half.threads)
        start, end, correlation = map(_unpacked, columns.numbers)
        others = list(map(CpuEvent, names, threads, start, end, correlation))
        _interleave(calls, others, marks, half.marks, before + place)
    taken.stacks = taken.stacks or half.stacks
    taken.unreadable += half.unreadable
    taken.text_times += half.text_times
    taken.without_args += half.without_args


def _interleave(own: list[E], others: list[E], marks: Marks, other_marks: Marks, place: int) -> None:
    """Into `own`, all of both lists by the number of the batch; `place`: of their length in the marks."""
    if others:
        pieces = [*_pieces(own, marks, place), *_pieces(others, other_marks, place)]
        pieces.sort(key=itemgetter(0))
        own.clear()
        for _, piece in pieces:
            own += piece


def _pieces(events: list[E], marks: Marks, place: int) -> Iterator[tuple[int, list[E]]]:
    begin = 0
    for mark in marks:
        end = mark[place]
        if end > begin:
            yield mark[0], events[begin:end]
            begin = end


def _codes(values: Iterable[V], known: dict[V, int]) -> bytes:
    """The number of each value among those known, to which new ones are added."""
    return array("i", [known.setdefault(value, len(known)) for value in values]).tobytes()


def _values(codes: bytes, values: Sequence[V]) -> Iterator[V]:
    return map(values.__getitem__, memoryview(codes).cast("i"))


def _spans(events: Sequence[GpuEvent | CpuEvent]) -> tuple[bytes | None, bytes | None, bytes | None]:
    return (
        _packed([event.start for event in events]),
        _packed([event.end for event in events]),
        _packed([event.correlation for event in events]),
    )


def _packed(numbers: list[Any]) -> bytes | None:
    if None in numbers:
        if numbers.count(None) == len(numbers):
            return None
        if _NOTHING in numbers:
            raise OverflowError("a number that stands for none here")
        numbers = [_NOTHING if number is None else number for number in numbers]
    return array("q", numbers).tobytes()


def _unpacked(column: bytes | None) -> Iterable[Any]:
    if column is None:
        return itertools.repeat(None)
    numbers = memoryview(column).cast("q").tolist()
    return [None if number == _NOTHING else number for number in numbers] if _NOTHING in numbers else numbers
