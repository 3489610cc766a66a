"""What a second process read of a trace: columns of numbers in place of objects, batch by batch, and how they
become events again, in the order of the file.

An event costs some tens of bytes so; what is text stands once, with a number for each event.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import msgspec

from engine.measure.analyse.chrome_trace import CpuEvent, GpuEvent
from engine.measure.analyse.sorted_out import SortedOut

_NOTHING = -(1 << 63)
"""In a column of numbers, in place of None."""
_GPU_TEXTS = ("kind", "name", "stream")
_GPU_NUMBERS = ("device", "start", "end", "correlation", "bytes")
_CPU_NUMBERS = ("start", "end", "correlation")
_Thread = tuple[str, str]
E = TypeVar("E")
V = TypeVar("V", bound=Hashable)
Marks = Sequence[tuple[int, ...]]
"""The number of each batch that was taken, and how long every list was behind it."""


class Columns(msgspec.Struct, array_like=True, gc=False):
    """A list of events: columns of the numbers of texts (32 bits), and of 64-bit integers (None: none of the
    events has one)."""

    texts: tuple[bytes, ...]
    numbers: tuple[bytes | None, ...]


class Part(msgspec.Struct, array_like=True):
    """The events of one batch by the list that they go to; None where there are none of that kind."""

    number: int
    gpu: tuple[Columns | None, ...]
    cpu: tuple[Columns | None, ...]


class Half(msgspec.Struct, array_like=True):
    """The events of some of the batches, and what was counted in them."""

    texts: list[str]
    threads: list[_Thread]
    parts: list[Part]
    events: int
    stacks: bool
    unreadable: int
    text_times: int
    without_args: int


class Columned:
    """Turns what was taken into columns, batch by batch."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._threads: dict[_Thread, int] = {}
        self._parts: list[Part] = []

    def move(self, taken: SortedOut, number: int) -> None:
        """Empties the lists of `taken`. Raises OverflowError where a number has more than 64 bits."""
        gpu = tuple(map(self._gpu, taken.gpu_lists()))
        cpu = tuple(map(self._cpu, taken.cpu_lists()))
        self._parts.append(Part(number, gpu, cpu))
        taken.clear()

    def half(self, taken: SortedOut, events: int) -> Half:
        """All that was moved."""
        return Half(
            list(self._texts),
            list(self._threads),
            self._parts,
            events,
            taken.stacks,
            taken.unreadable,
            taken.text_times,
            taken.without_args,
        )

    def _gpu(self, events: Sequence[GpuEvent]) -> Columns | None:
        if not events:
            return None
        texts = (_codes(_column(events, name), self._texts) for name in _GPU_TEXTS)
        return Columns(tuple(texts), tuple(_packed(_column(events, name)) for name in _GPU_NUMBERS))

    def _cpu(self, events: Sequence[CpuEvent]) -> Columns | None:
        if not events:
            return None
        names = _codes(_column(events, "name"), self._texts)
        threads = _codes(_column(events, "thread"), self._threads)
        return Columns((names, threads), tuple(_packed(_column(events, name)) for name in _CPU_NUMBERS))


def put_together(taken: SortedOut, marks: Marks, half: Half) -> None:
    """Adds the half to what was taken of the same file: batch by batch, in the order of the file."""
    texts = [taken.names.setdefault(text, text) for text in half.texts]

    def gpu(columns: Columns) -> list[GpuEvent]:
        kinds, names, streams = (_values(codes, texts) for codes in columns.texts)
        device, start, end, correlation, size = map(_unpacked, columns.numbers)
        return list(map(GpuEvent, kinds, names, device, streams, start, end, correlation, size))

    def cpu(columns: Columns) -> list[CpuEvent]:
        names, threads = _values(columns.texts[0], texts), _values(columns.texts[1], half.threads)
        return list(map(CpuEvent, names, threads, *map(_unpacked, columns.numbers)))

    place = itertools.count(1)
    for number, on_gpu in enumerate(taken.gpu_lists()):
        others = [(part.number, part.gpu[number]) for part in half.parts]
        _interleave(on_gpu, _batches(on_gpu, marks, next(place)), others, gpu)
    for number, on_cpu in enumerate(taken.cpu_lists()):
        others = [(part.number, part.cpu[number]) for part in half.parts]
        _interleave(on_cpu, _batches(on_cpu, marks, next(place)), others, cpu)
    taken.stacks = taken.stacks or half.stacks
    taken.unreadable += half.unreadable
    taken.text_times += half.text_times
    taken.without_args += half.without_args


def _interleave(
    events: list[E],
    own: Iterable[tuple[int, list[E]]],
    others: Iterable[tuple[int, Columns | None]],
    made: Callable[[Columns], list[E]],
) -> None:
    batches = [*own, *((number, made(columns)) for number, columns in others if columns)]
    batches.sort(key=itemgetter(0))
    events.clear()
    for _, batch in batches:
        events += batch


def _batches(events: list[E], marks: Marks, place: int) -> Iterator[tuple[int, list[E]]]:
    """The batches of a list; `place`: of its length in the marks."""
    begin = 0
    for mark in marks:
        end = mark[place]
        if end > begin:
            yield mark[0], events[begin:end]
            begin = end


def _column(events: Sequence[GpuEvent | CpuEvent], name: str) -> list[Any]:
    return list(map(attrgetter(name), events))


def _codes(values: list[V], known: dict[V, int]) -> bytes:
    """The number of each value among those known, to which new ones are added."""
    for value in dict.fromkeys(values):
        known.setdefault(value, len(known))
    return array("i", map(known.__getitem__, values)).tobytes()


def _values(codes: bytes, values: Sequence[V]) -> Iterator[V]:
    return map(values.__getitem__, memoryview(codes).cast("i"))


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
