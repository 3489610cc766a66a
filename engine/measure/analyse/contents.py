"""Takes a file's bytes in, gzip or not, with a bound on what a small file may unfold to."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from engine.faults import os_why
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.finding import Progress
from engine.measure.report import Report

inflating: Any
try:
    # unpacks five times as fast: a tenth of the time that a packed trace takes
    inflating = importlib.import_module("isal.isal_zlib")
except ImportError:  # there is no build for this processor
    inflating = zlib

LARGEST = 3_000_000_000
"""The most bytes of a file, unpacked, that a reader takes in."""
RATIO_FROM = 64 * 1024 * 1024
LARGEST_RATIO = 300
"""From 64 MiB unpacked, so many bytes out of one byte are taken for a bomb. Real traces reach about 20."""

CHUNK = 512 * 1024
"""Bytes handed out at a time: small enough to stay in the processor's cache, which saves a tenth."""
GZIP = b"\x1f\x8b"
_PACKED = 32 * 1024
"""Packed bytes taken at a time: what stands behind the end of an archive's member is copied for each member,
and a hostile file has one every 20 bytes."""
DAMAGED: tuple[type[Exception], ...] = (EOFError, zlib.error, inflating.error)
"""What is raised where an archive is cut off or damaged."""
_WITH_GZIP_HEADER = 31
"""zlib's window bits for data that begins with a gzip header (zlib manual, inflateInit2)."""


class Unpacked:
    """The bytes of an open file piece by piece, unpacked where it is gzip, within the bounds above.

    Iterating raises `UnreadableFile` beyond the bounds, and one of `DAMAGED` where an archive is cut off or
    damaged: what came before that has been handed out by then.
    """

    def __init__(self, file: BinaryIO, path: Path, *, largest: int = LARGEST) -> None:
        self._file = file
        self._name = path.name
        self._largest = largest
        self.size = path.stat().st_size
        """Bytes of the file as it lies there."""

    @property
    def taken(self) -> int:
        """How many of them have been read so far."""
        return self._file.tell()

    def __iter__(self) -> Iterator[bytes]:
        packed = self._file.read(len(GZIP)) == GZIP
        self._file.seek(0)
        total = 0
        for chunk in self._members() if packed else iter(lambda: self._file.read(CHUNK), b""):
            total += len(chunk)
            if total > self._largest:
                raise UnreadableFile(
                    f"{self._name}: it holds more than {self._largest / 1e9:,.1f} GB unpacked. "
                    "Record a shorter window."
                ).because("unpacked_too_large", name=self._name, gb=self._largest / 1e9)
            if packed and total > max(RATIO_FROM, self.size * LARGEST_RATIO):
                raise UnreadableFile(
                    f"{self._name}: {self.size:,} bytes unfold to more than {total:,}: this is no recording, "
                    "and reading it stopped there. If it is one, unpack it with gunzip and open the result."
                ).because("bomb", name=self._name, packed_bytes=self.size, bytes=total)
            yield chunk

    def _members(self) -> Iterator[bytes]:
        decoder: Any = None
        while packed := self._file.read(_PACKED):
            while packed:
                if decoder is None:
                    # zeros may fill up a tape's block between the members of an archive
                    packed = packed.lstrip(b"\x00")
                    if not packed:
                        break
                    decoder = inflating.decompressobj(_WITH_GZIP_HEADER)
                out = decoder.decompress(packed, CHUNK)
                packed = decoder.unconsumed_tail
                if out:
                    yield out
                if decoder.eof:
                    packed, decoder = decoder.unused_data, None
        while decoder is not None and (out := decoder.decompress(b"", CHUNK)):
            yield out
        if decoder is not None and not decoder.eof:
            raise EOFError("the archive is cut off: it ends before its end mark")


def read_contents(path: Path, report: Report | None = None, *, largest: int = LARGEST) -> bytes:
    """The bytes of `path`, unpacked where it is gzip. Raises `UnreadableFile`."""
    try:
        with path.open("rb") as file:
            contents = Unpacked(file, path, largest=largest)
            return b"".join(contents if report is None else _told(contents, report))
    except OSError as error:
        raise unreadable(path, error) from error
    except DAMAGED as error:
        raise unreadable(path, error) from error


def _told(contents: Unpacked, report: Report) -> Iterator[bytes]:
    told = -1
    for chunk in contents:
        percent = 100 * contents.taken // max(1, contents.size)
        if percent > told:
            told = percent
            report(Progress(contents.taken, contents.size, "reading"))
        yield chunk


def head_of(path: Path, size: int) -> bytes:
    """The first `size` bytes of `path`, unpacked where it is gzip; fewer where it is cut off.

    Raises `UnreadableFile` where the file can't be opened or isn't a file.
    """
    try:
        with path.open("rb") as file:
            first = file.read(size)
    except OSError as error:
        raise unreadable(path, error) from error
    if not first.startswith(GZIP):
        return first
    try:
        out: bytes = inflating.decompressobj(_WITH_GZIP_HEADER).decompress(first, size)
    except DAMAGED as error:
        raise unreadable(path, error) from error
    return out


def unreadable(path: Path, error: Exception) -> UnreadableFile:
    """What to say of a file that the system or its archive doesn't let be read."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    why = "ends_early" if isinstance(error, EOFError) else "broken_archive"
    if isinstance(error, OSError):
        why = os_why(error)
    return UnreadableFile(f"{path.name}: it can't be read: {reason}.").because(
        "cannot_read", name=path.name, why=why
    )
