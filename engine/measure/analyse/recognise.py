"""Says what a file is by its first bytes, and reads it with the reader that it needs."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from engine.measure.analyse.contents import head_of
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.trace_stream import Report

HEAD = 256 * 1024
"""The bytes that are looked at; a table may stand behind the output of the program that was profiled."""

KINDS = "chrome trace (.json, .json.gz), PyTorch memory snapshot, ncu CSV or log, nsys SQLite or CSV"


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


def recognise(path: Path) -> str:
    """trace, memory_snapshot, ncu or nsys. Raises `UnreadableFile` where it is none of them.

    Only the head of the file is read: what is said here may still prove broken further on.
    """
    if path.is_dir():
        raise UnreadableFile(f"{path.name}: this is a folder. Name a file: {KINDS}.")
    head = head_of(path, HEAD)
    if not head.strip():
        raise UnreadableFile(f"{path.name}: the file is empty.")
    exported = _needs_export(path, head)
    if exported:
        raise UnreadableFile(f"{path.name}: {exported}")
    kind = _binary(head) or _text(head.decode("utf-8-sig", "replace"))
    if kind is None:
        raise UnreadableFile(f"{path.name}: this is none of the files that can be read: {KINDS}.")
    return kind


def analyse_file(path: Path, report: Report | None = None) -> Analysis:
    """Recognises, reads and analyses the file. Raises `UnreadableFile`.

    `report` is told how far it is where the kind of file can be large: of a trace, the bytes read.
    """
    kind = recognise(path)
    module, name = READERS[kind]
    read: Callable[..., Analysis] = getattr(importlib.import_module(f"engine.measure.analyse.{module}"), name)
    return read(path, report) if kind == "trace" else read(path)


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


def _needs_export(path: Path, head: bytes) -> str | None:
    """What to type for a report in a tool's own format."""
    if path.suffix == ".ncu-rep" or head.startswith(b"NVR\x00"):
        return (
            "this is a report in Nsight Compute's own format. Turn it into text: "
            f"ncu --import {path.name} --csv --page details > {path.stem}.csv"
        )
    if path.suffix in (".nsys-rep", ".qdrep", ".qdstrm"):
        return (
            "this is a report in Nsight Systems' own format. Export it: "
            f"nsys export --type sqlite {path.name}"
        )
    return None
