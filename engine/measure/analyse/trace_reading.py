"""Reads a chrome trace: by one process, or by two where it is large and there are processors for both."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.measure.analyse.chrome_trace import ChromeTrace
from engine.measure.analyse.events_in_order import chrome_trace, events_of, in_order
from engine.measure.analyse.second_process import SecondProcess, can_help
from engine.measure.analyse.sorted_out import NeedsText, Rows, SortedOut, no_rows
from engine.measure.analyse.trace_halves import Half, Unpacked, packed
from engine.measure.analyse.trace_stream import CannotTakeTurns, EventStream, Report

WORTH_TWO = 1024 * 1024
"""From this size of a file on, as it lies there, a second process saves more time than it takes."""
_ONCE_FREED = 16 * 1024 * 1024
"""Bytes that are asked for and freed before reading: from then on glibc keeps what is freed, up to twice as
much, for the next part of the file (mallopt(3), M_MMAP_THRESHOLD, on its dynamic adjustment). Else the memory
for each part comes from the system anew, page by page, which takes a tenth of the time that reading does."""
_TURN = array("I").itemsize
_MOST_TURNS = 16_000
"""Numbers of parts: as many as a pipe's buffer of 64 KiB holds (pipe(7)), and far more than a file has."""


def read_chrome_trace(
    path: Path,
    report: Report | None = None,
    *,
    helped: bool = False,
    meanwhile: Callable[[], object] | None = None,
) -> ChromeTrace:
    """The trace at `path` (.json or .json.gz), of any size up to the bounds. Raises `UnreadableFile`.

    `helped`: by a second process where that pays, for a process that does nothing else; `meanwhile` is what
    this one does first while the second one reads already. What was damaged and could be repaired, and what
    is missing, is in `damage`.
    """
    bytes(_ONCE_FREED)
    if helped and can_help() and _is_large(path):
        read = _read_by_two(path, report, meanwhile)
        if read is not None:
            return read
    stream = EventStream(path, report)
    taken = SortedOut(path.name)
    parts = (events_of(rows) for _, rows in _parts(stream, taken))
    return chrome_trace(stream, taken.counts, in_order(parts), stream.events)


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size >= WORTH_TWO
    except OSError:  # who opens it says so
        return False


def _read_by_two(
    path: Path, report: Report | None, meanwhile: Callable[[], object] | None
) -> ChromeTrace | None:
    """The same, half of it by a second process. None where that failed, or where a part can't be read without
    those before it, for then something is damaged."""
    with _Turns() as turns:
        try:
            second = SecondProcess(lambda: _half(path, turns), Half)
        except OSError:  # too many processes, or too little memory for one more
            return None
        with second:
            if meanwhile:
                meanwhile()
            stream = EventStream(path, report, turns=turns)
            taken = SortedOut(path.name)
            try:
                own = {number: events_of(rows) for number, rows in _parts(stream, taken)}
            except CannotTakeTurns:
                return None
            half = second.result()
            if half is None:
                return None
            taken.counts.add(half.counts)
            taken.counts.check(path.name)
            unpacked = Unpacked(half, taken)
            other = dict(half.parts)
            parts = (
                own.pop(number) if number in own else unpacked.events(other.pop(number))
                for number in sorted([*own, *other])
            )
            return chrome_trace(stream, taken.counts, in_order(parts), stream.events + half.events)


def _half(path: Path, turns: _Turns) -> Half:
    stream = EventStream(path, turns=turns)
    taken = SortedOut(path.name, numbered=True)
    parts = [(number, packed(rows)) for number, rows in _parts(stream, taken)]
    return Half(list(taken.texts), list(taken.threads.labels), parts, stream.events, taken.counts)


def _parts(stream: EventStream, taken: SortedOut) -> Iterator[tuple[int, Rows]]:
    """The rows of each part of the file that holds something, and its number."""
    number, rows = 0, no_rows()
    for batch in stream.batches():
        if stream.turn != number:
            if any(rows):
                yield number, rows
            number, rows = stream.turn, no_rows()
        events = batch
        while events:
            try:
                taken.take(events, rows, stream.origin)
                break
            except NeedsText:
                events = stream.with_texts()
    if any(rows):
        yield number, rows


class _Turns:
    """Which of two processes reads a part: the one that is ready first takes the next number.

    The numbers lie in a pipe that both read from: what one has taken the other doesn't see.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._mine = -1
        self._numbers, writing = os.pipe()
        os.set_blocking(writing, False)  # the buffer may be smaller where many pipes are open (pipe(7))
        os.write(writing, array("I", range(_MOST_TURNS)).tobytes())
        os.close(writing)

    def mine(self, number: int) -> bool:
        """Whether the batch of that number is to be read here; asked for each in turn."""
        while self._mine < number:
            taken = os.read(self._numbers, _TURN)
            if not taken:
                raise CannotTakeTurns
            (self._mine,) = array("I", taken)
            if os.getpid() != self._owner != os.getppid():
                raise CannotTakeTurns  # nobody waits for this any more
        return self._mine == number

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._numbers)
