"""Takes a file's bytes in, gzip or not, with a bound on what a small file may unfold to."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Protocol

from engine.measure.analyse.errors import UnreadableFile

LARGEST = 3_000_000_000
"""The most bytes of a file, unpacked, that a reader takes in."""
RATIO_FROM = 64 * 1024 * 1024
LARGEST_RATIO = 300
"""From 64 MiB unpacked, so many bytes out of one byte are taken for a bomb. Real traces reach about 20."""

_CHUNK = 4 * 1024 * 1024
GZIP = b"\x1f\x8b"


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_contents(path: Path, *, largest: int = LARGEST) -> bytes:
    """The bytes of `path`, unpacked where it is gzip. Raises `UnreadableFile`."""
    try:
        with path.open("rb") as file:
            packed = path.stat().st_size
            if file.read(2) != GZIP:
                file.seek(0)
                return _bounded(file, path, largest)
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as unpacked:
                return _bounded(unpacked, path, largest, packed)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error


def head_of(path: Path, size: int) -> bytes:
    """The first `size` bytes of `path`, unpacked where it is gzip; fewer where it is cut off.

    Raises `UnreadableFile` where the file can't be opened or isn't a file.
    """
    try:
        with path.open("rb") as file:
            first = file.read(size)
    except OSError as error:
        raise _unreadable(path, error) from error
    if not first.startswith(GZIP):
        return first
    try:
        # 31: a gzip header is expected
        return zlib.decompressobj(31).decompress(first, size)
    except zlib.error as error:
        raise _unreadable(path, error) from error


def _bounded(file: _Readable, path: Path, largest: int, packed: int | None = None) -> bytes:
    chunks, total = [], 0
    while chunk := file.read(_CHUNK):
        chunks.append(chunk)
        total += len(chunk)
        if total > largest:
            raise UnreadableFile(
                f"{path.name}: it holds more than {largest / 1e9:,.1f} GB unpacked. Record a shorter window."
            )
        if packed is not None and total > max(RATIO_FROM, packed * LARGEST_RATIO):
            raise UnreadableFile(
                f"{path.name}: {packed:,} bytes unfold to more than {total:,}: this is no recording, and "
                "reading it stopped there. If it is one, unpack it with gunzip and open the result."
            )
    return b"".join(chunks)


def _unreadable(path: Path, error: Exception) -> UnreadableFile:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return UnreadableFile(f"{path.name}: it can't be read: {reason}.")
