"""Hands out the events of a chrome trace batch by batch: one of gigabytes is never whole in memory.

The file is read in parts, and a part decoded in pieces. They are cut where one event ends and the next
begins; that the cut is right shows when a piece is decoded, for brackets and quotes then fit together. Only
where it doesn't decode its events are taken one by one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.measure.analyse.contents import CHUNK, DAMAGED, LARGEST, Unpacked, unreadable
from engine.measure.analyse.damage import Damage
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_events import (
    NOT_JSON,
    Event,
    NumberEvent,
    StartTextEvent,
    TextEvent,
    decoder_of,
)
from engine.measure.finding import Progress
from engine.measure.report import Report as Report

if TYPE_CHECKING:
    from engine.measure.analyse.events_one_by_one import OneByOne

LONGEST_EVENT = 16 * 1024 * 1024
LONGEST_HEAD = 256 * 1024 * 1024
"""Bytes before the list of events: device properties, metadata."""
LONGEST_PROPERTIES = 1024 * 1024
"""Bytes before the list of events up to which the devices' properties are looked for in them."""
PIECE = 64 * 1024
"""Bytes decoded at a time: their events are gone again before those of the next piece come, and so take the
same memory. With more, memory is given back to the system and asked for anew with each piece, which takes
longer than decoding it."""
CUTS_TRIED = 3
"""Boundaries tried for a batch: the last one may lie in a list of objects within an event."""
STARTS_TRIED = 16
"""Places where "traceEvents" stands that are looked at: it may be a word within the metadata."""
_FIRST_TIME = re.compile(rb'"ts"\s*:\s*"?(\d{1,18})')
_SINCE_1970 = 1 << 50
"""Microseconds: a trace whose times are so large counts them since 1970. (This is in 2005.)"""
_START = re.compile(rb'"traceEvents"\s*:\s*')
_BOUNDARY = re.compile(rb"\}\s*,\s*(?=\{)")
_PLACE = re.compile(r" \(byte \d+\)")


class CannotTakeTurns(Exception):
    """A batch doesn't read as it should: what is damaged is mended by one who reads the whole file."""


class Turns(Protocol):
    """Which of a file's parts are read by this process."""

    def mine(self, number: int) -> bool: ...


class EventStream:
    """The events of the file at `path`. `batches` can be gone through once; then `damage` is complete."""

    def __init__(
        self,
        path: Path,
        report: Report | None = None,
        *,
        largest: int = LARGEST,
        turns: Turns | None = None,
    ) -> None:
        """`turns`: only those that are ours are read."""
        self._path = path
        self._report = report
        self._turns = turns
        self._largest = largest
        self._buffer = b""
        self._read = 0
        self._ended = False
        self._closed = False
        self._fault: str | None = None
        self._line = 1
        self._bare_list = False
        self._careful: OneByOne | None = None
        self._told = -1
        self._decoder = decoder_of(NumberEvent)
        self._decoded_text = b""
        self._head = b""
        self.damage = Damage()
        self.events = 0
        self.origin = 0
        """In microseconds, what times are best counted from: 0 where they aren't large."""
        self.turn = 0
        """The number of the part of the file that the batch just handed out is from."""

    def batches(self) -> Iterator[list[Event]]:
        """Raises `UnreadableFile` where the file can't be opened, is too large, or holds no events;
        `CannotTakeTurns` where it has turns and something is damaged."""
        try:
            with self._path.open("rb") as file:
                self._contents = Unpacked(file, self._path, largest=self._largest)
                self._chunks = iter(self._contents)
                yield from self._batches()
        except OSError as error:
            raise unreadable(self._path, error) from error

    def _batches(self) -> Iterator[list[Event]]:
        self._find_list()
        self.origin = self._first_time()
        wanted = CHUNK
        for self.turn in itertools.count():
            self._fill(wanted)
            before = self.events
            turn = self._next() if self._turns is None else self._in_turn(self._turns.mine(self.turn))
            for batch in turn:
                self.events += len(batch)
                yield batch
            if self._closed:
                self._check_rest()
                return
            self._tell()
            if self._turns is not None:
                continue
            # nothing came of what is there: an event is longer than that
            wanted = CHUNK if self.events > before else 2 * len(self._buffer) + CHUNK
            if self._ended and self.events == before:
                break
        # a bare list needs no closing bracket (Trace Event Format, "JSON Array Format")
        if self._buffer.strip() or self._fault or not self._bare_list:
            self._broken_off()

    def with_texts(self) -> list[Event]:
        """The batch just handed out with more of its times as text, as all later ones then are: first the
        starts, and if that doesn't do, all."""
        first = self._decoder is decoder_of(NumberEvent)
        self._decoder = decoder_of(StartTextEvent if first else TextEvent)
        return self._decoder.events(self._decoded_text)

    def gpu_names(self) -> dict[int, str]:
        """The devices' names, as far as the file says them before its events."""
        try:
            head = msgspec.json.decode(self._head + b"null}", type=_Head)
        except NOT_JSON:
            return {}
        return {device.id: device.name for device in head.deviceProperties if device.name}

    def _decoded(self, text: bytes) -> list[Event]:
        batch = self._decoder.events(text)
        self._decoded_text = text
        return batch

    def _fill(self, size: int) -> None:
        """Read on until the buffer holds `size` bytes or the file ends."""
        if self._ended or len(self._buffer) >= size:
            return
        parts, have = [self._buffer], len(self._buffer)
        try:
            while have < size:
                chunk = next(self._chunks, b"")
                if not chunk:
                    self._ended = True
                    break
                parts.append(chunk)
                have += len(chunk)
        except DAMAGED as error:
            self._ended, self._fault = True, str(error)
        self._buffer = b"".join(parts)

    def _take(self, size: int) -> None:
        """Drop what was read from the buffer."""
        self._line += self._buffer.count(b"\n", 0, size)
        self._buffer = self._buffer[size:]

    def _tell(self) -> None:
        percent = 100 * self._contents.taken // max(1, self._contents.size)
        if self._report and percent > self._told:
            self._told = percent
            self._report(Progress(self._contents.taken, self._contents.size, "reading"))

    def _find_list(self) -> None:
        """Go to the first event."""
        self._fill(CHUNK)
        self._buffer = self._buffer.removeprefix(b"\xef\xbb\xbf")
        if self._buffer.lstrip()[:1] == b"[":
            self._bare_list = True
            self._take(self._buffer.index(b"[") + 1)
            return
        looked_at = 0
        while True:
            text = self._buffer
            for match in itertools.islice(_START.finditer(text, looked_at), STARTS_TRIED):
                if match.end() >= len(text) and not self._ended:
                    break
                if _is_a_key(text[: match.end()]):
                    self._head = text[: match.end()] if match.end() < LONGEST_PROPERTIES else b""
                    self._enter(match.end())
                    return
            if self._ended or len(text) > LONGEST_HEAD:
                break
            looked_at = max(0, len(text) - 1024)
            self._fill(2 * len(text) + CHUNK)
        # where what stands before it is damaged, the name alone must do
        first = _START.search(self._buffer)
        if first is None:
            raise self._no_trace(self._fault or 'there is no "traceEvents" in it', 0)
        self.damage.mended, self.damage.mended_line = 1, 1
        self._enter(first.end())

    def _first_time(self) -> int:
        # in nanoseconds since 1970 a time is one of Python's longer integers, which take more room and time
        first = _FIRST_TIME.search(self._buffer)
        time = int(first[1]) if first else 0
        return time if time >= _SINCE_1970 else 0

    def _enter(self, at: int) -> None:
        if self._buffer[at : at + 1] != b"[":
            raise self._no_trace(self._fault or "its traceEvents is no list", at)
        self._take(at + 1)

    def _next(self) -> Iterator[list[Event]]:
        """The next events."""
        if self._ended:
            whole = self._to_the_end()
            if whole is not None:
                self._closed = True
                yield whole
                return
        else:
            for cut in self._cuts():
                yield from self._pieces(cut.start() + 1)
                if self._read:
                    self._take(cut.end() if self._read > cut.start() else self._read)
                    return
        yield self._one_by_one()

    def _in_turn(self, mine: bool) -> Iterator[list[Event]]:
        """The same where all is sound. What another process reads is cut where that cuts it."""
        if self._ended:
            batch = self._to_the_end() if mine else []
            if batch is None or self._fault:
                raise CannotTakeTurns
            self._buffer = b""
            self._closed = True
            yield batch
            return
        cut = next(self._cuts(), None)
        if cut is None:
            raise CannotTakeTurns
        if mine:
            yield from self._pieces(cut.start() + 1)
            if self._read <= cut.start():
                raise CannotTakeTurns
        self._buffer = self._buffer[cut.end() :]

    def _pieces(self, end: int) -> Iterator[list[Event]]:
        """The events up to that place, piece by piece, as far as they are sound: up to `_read`."""
        text, view = self._buffer, memoryview(self._buffer)
        self._read = 0
        while self._read < end:
            cut = _BOUNDARY.search(text, self._read + PIECE, end)
            piece = view[self._read : cut.start() + 1 if cut else end]
            try:
                batch = self._decoded(b"".join((b"[", piece, b"]")))
            except NOT_JSON:
                # the boundary may lie in a list of objects within an event
                cut = None
                try:
                    batch = self._decoded(b"".join((b"[", view[self._read : end], b"]")))
                except NOT_JSON:
                    return
            self._read = cut.end() if cut else end
            yield batch

    def _to_the_end(self) -> list[Event] | None:
        """All that is left, where it is sound."""
        begin = b"[" if self._bare_list else b'{"traceEvents":['
        try:
            batch = self._decoded(begin + self._buffer)
        except NOT_JSON:
            return None
        self._buffer = b""
        return batch

    def _cuts(self) -> Iterator[re.Match[bytes]]:
        """The last boundaries in the buffer, the very last first."""
        for window in (8 * 1024, len(self._buffer)):
            found = list(_BOUNDARY.finditer(self._buffer, max(0, len(self._buffer) - window)))
            if found:
                yield from itertools.islice(reversed(found), CUTS_TRIED)
                return

    def _one_by_one(self) -> list[Event]:
        """The events up to the end of the buffer, mended where it is needed."""
        # sound files, the most by far, do without
        from engine.measure.analyse.events_one_by_one import OneByOne

        self._careful = self._careful or OneByOne(self.damage, self._no_trace)
        events, at, self._closed = self._careful.events(self._buffer, self._line, ended=self._ended)
        self._take(at)
        if not self._closed and not self._ended and len(self._buffer) > LONGEST_EVENT:
            raise self._no_trace(f"an event is longer than {LONGEST_EVENT // 2**20} MiB", 0)
        return events

    def _check_rest(self) -> None:
        """What stands behind the list must end the document; it may be long, and nothing of it is needed."""
        self._fill(LONGEST_HEAD)
        rest = self._buffer
        try:
            if rest and not self._bare_list:
                msgspec.json.decode(b'{"traceEvents":[]' + rest, type=_Rest)
            elif rest.strip():
                self._broken_off()
        except NOT_JSON:
            self._broken_off()
        if self._fault:
            self._broken_off()

    def _broken_off(self) -> None:
        if not self.events:
            reason = "it ends before its first event"
            try:
                decoder_of(TextEvent).events(b"[" + self._buffer)
            except NOT_JSON as error:
                # the place that it names counts from the first event; the line is said beside it
                reason = _PLACE.sub("", str(error))
            raise self._no_trace(self._fault or reason, 0)
        self.damage.broken_end_line = self._line

    def _no_trace(self, reason: str, at: int) -> UnreadableFile:
        line = self._line + self._buffer.count(b"\n", 0, at)
        return UnreadableFile(
            f"{self._path.name}: line {line:,}: this is not a chrome trace: {reason}. Export it again with "
            "prof.export_chrome_trace(...), or check that the file was copied whole."
        ).because("not_a_trace", name=self._path.name, line=line, why=_WHY.get(reason, reason))


_WHY = {
    'there is no "traceEvents" in it': "no_trace_events",
    "its traceEvents is no list": "no_list",
    "it ends before its first event": "no_first_event",
}
"""Reasons that are put into the reader's language; what a parser says stays as it is."""


class _Rest(msgspec.Struct):
    """A document of which nothing is needed."""


class _Device(msgspec.Struct):
    id: int
    name: str = ""


class _Head(msgspec.Struct):
    """What stands before the events."""

    deviceProperties: list[_Device] = []


def _is_a_key(head: bytes) -> bool:
    """Whether the text up to a key's colon is sound, so that the name is a key of the document itself."""
    try:
        msgspec.json.decode(head + b"null}", type=_Rest)
    except NOT_JSON:
        return False
    return True
