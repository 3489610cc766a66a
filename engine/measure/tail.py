"""Reads the output of a run while it is being written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.measure.events import MAX_LINE, Event, from_line

_PIECE = 1024 * 1024
_LONGEST = 4 * MAX_LINE
"""Bytes that an event's line can take at most (four a character). More is no event, whatever follows."""
_SHOWN = 2000


class EventFile:
    """The events of a file that grows: each call of `read` goes on where the last one ended.

    Memory stays bounded whatever the run writes: binary, or a line without end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0
        self._rest = b""
        self._skipping = False

    def read(self) -> Iterator[Event | str]:
        """What has come since: events, and the other lines as text. A missing file holds nothing yet."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            file.seek(self._offset)
            while data := file.read(_PIECE):
                self._offset += len(data)
                *lines, self._rest = (self._rest + data).split(b"\n")
                for line in lines:
                    if self._skipping:
                        self._skipping = False
                        continue
                    yield from self._line(line)
                if len(self._rest) > _LONGEST:
                    if not self._skipping:
                        yield shown(self._rest)
                    self._rest, self._skipping = b"", True

    def close(self) -> Iterator[Event | str]:
        """The last line, where it ended without a line break. To be called once, after the run's end."""
        rest, self._rest = self._rest, b""
        if rest and not self._skipping:
            yield from self._line(rest)

    def _line(self, line: bytes) -> Iterator[Event | str]:
        event = from_line(line.decode("utf-8", errors="replace"))
        if event is not None:
            yield event
        elif line.strip():
            yield shown(line)


def shown(line: bytes) -> str:
    """A line of log text as it can be shown: valid text, of bounded length, without control characters."""
    text = line[: 4 * _SHOWN].decode("utf-8", errors="replace")
    text = text.rstrip("\r\n").rpartition("\r")[2]  # a progress bar overwrites its line
    clean = "".join(char if char.isprintable() or char == "\t" else "�" for char in text)
    return clean if len(clean) <= _SHOWN else clean[:_SHOWN] + " …"


def last_lines(path: Path, count: int) -> tuple[str, ...]:
    """The last lines of a log, at most 256 KiB of it. A missing file has none."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(0, size - 256 * 1024)
            file.seek(start)
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return ()
    if start:
        del lines[0]  # cut in the middle
    texts = [shown(line) for line in lines if line.strip()]
    return tuple(texts[-count:]) if count > 0 else ()
