"""Keeps what a browser sends: under a name that can't leave its folder, within bounds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from engine.measure.fault import MeasureError
from engine.measure.owner import make_private

LONGEST_NAME = 120
"""Characters; with four bytes each still below the 255 bytes that file systems allow, if cut to bytes."""
_LONGEST_BYTES = 240
_RESERVED = frozenset('<>:"/\\|?*')
"""Characters that Windows allows in no file name (Microsoft, "Naming Files, Paths, and Namespaces")."""


def safe_name(name: str) -> str:
    """A file name made of what a browser calls the file: one part, printable, of bounded length.

    Its ending stays, which says what a profiler's own report is.
    """
    last = PureWindowsPath(PurePosixPath(name).name).name
    clean = "".join("_" if char in _RESERVED or not char.isprintable() else char for char in last)
    clean = clean.strip(" .")[-LONGEST_NAME:]
    while len(clean.encode("utf-8", "replace")) > _LONGEST_BYTES:
        clean = clean[1:]
    return clean.encode("utf-8", "replace").decode() or "file"


def take_in(chunks: Iterable[bytes], file: Path, *, name: str, largest: int) -> None:
    """Writes the pieces to the file. Raises MeasureError above `largest` bytes, OSError on a full disk."""
    make_private(file.parent)
    size = 0
    with file.open("xb") as out:
        for chunk in chunks:
            size += len(chunk)
            if size > largest:
                raise MeasureError(
                    f"{name}: it is larger than {largest / 1e9:.1f} GB. Name its path instead, or record a "
                    "shorter window."
                ).because("upload_too_large", name=name, gb=largest / 1e9)
            out.write(chunk)
