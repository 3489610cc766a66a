"""Says what a file is by its first bytes, and reads it with the reader that it needs."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from engine.measure.analyse.contents import head_of
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.report import Report

HEAD = 256 * 1024
"""The bytes that are looked at; a table may stand behind the output of the program that was profiled."""

KINDS = (
    "chrome trace (.json, .json.gz), PyTorch memory snapshot, CSV, log or .ncu-rep of ncu, SQLite, CSV or "
    ".nsys-rep of nsys"
)


class Analysis(Protocol):
    """What every reader returns."""

    def to_json(self) -> dict[str, Any]: ...


READERS = {
    "trace": ("trace", "analyse_trace"),
    "memory_snapshot": ("memory", "analyse_snapshot"),
    "ncu": ("ncu", "read_ncu"),
    "nsys": ("nsys", "analyse_nsys"),
}
"""Module and function. Imported when they are wanted: all together take as long as reading a small trace."""

EXPORTS = {"ncu_report": ("ncu", "ncu_export"), "nsys_report": ("nsys", "nsys_export")}
"""Reports in a tool's own format: the kind that they become, and the function of `nvidia_tools` for it."""


def recognise(path: Path) -> str:
    """A kind of `READERS` or of `EXPORTS`. Raises `UnreadableFile` where it is none of them.

    Only the head of the file is read: what is said here may still prove broken further on.
    """
    if path.is_dir():
        raise UnreadableFile(f"{path.name}: this is a folder. Name a file: {KINDS}.").because(
            "folder", name=path.name
        )
    head = head_of(path, HEAD)
    if not head.strip():
        raise UnreadableFile(f"{path.name}: the file is empty.").because("empty_file", name=path.name)
    kind = _own_format(path, head) or _binary(head) or _text(head.decode("utf-8-sig", "replace"))
    if kind is None:
        raise UnreadableFile(f"{path.name}: this is none of the files that can be read: {KINDS}.").because(
            "unknown_kind", name=path.name
        )
    return kind


def analyse_file(path: Path, report: Report | None = None) -> Analysis:
    """Recognises, reads and analyses the file. Raises `UnreadableFile`.

    `report` is told how far it is. A report in a tool's own format is exported into a temporary folder first.
    """
    kind = recognise(path)
    if kind in EXPORTS:
        # these need what starts and ends processes
        import tempfile

        from engine.measure.analyse import nvidia_tools

        export: Callable[[Path, Path, Report | None], Path] = getattr(nvidia_tools, EXPORTS[kind][1])
        with tempfile.TemporaryDirectory() as folder:
            return _read(EXPORTS[kind][0], export(path, Path(folder), report), report)
    return _read(kind, path, report)


def _read(kind: str, path: Path, report: Report | None) -> Analysis:
    module, name = READERS[kind]
    read: Callable[..., Analysis] = getattr(importlib.import_module(f"engine.measure.analyse.{module}"), name)
    return read(path, report)


def _binary(head: bytes) -> str | None:
    if head.startswith(b"SQLite format 3\x00"):
        return "nsys"
    # a zip archive goes to the reader of pickles, which says what it is and unpacks nothing
    if head[0] == 0x80 or head.startswith(b"PK\x03\x04"):
        return "memory_snapshot"
    return None


def _text(head: str) -> str | None:
    if head.lstrip()[:1] in ("{", "["):
        return "trace"
    # a trace, the largest kind, doesn't wait for the reader of another
    from engine.measure.analyse.nsys_csv import is_header

    lines = head.splitlines()
    if any(line.startswith('"ID",') for line in lines):
        return "ncu"
    if any(is_header(line) for line in lines):
        return "nsys"
    if any(re.match(r"==(PROF|ERROR|WARNING)==", line) for line in lines):
        return "ncu"
    return None


def _own_format(path: Path, head: bytes) -> str | None:
    """The kind of a report that only its own tool reads."""
    if path.suffix == ".ncu-rep" or head.startswith(b"NVR\x00"):
        return "ncu_report"
    return "nsys_report" if path.suffix in (".nsys-rep", ".qdrep", ".qdstrm") else None
