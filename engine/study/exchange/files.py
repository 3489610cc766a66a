"""An export as a file: written in either format, and read in whichever it is in."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from engine.study.exchange import as_csv, as_json
from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import LARGEST, Parsed
from engine.study.exchange.records import Export

FORMATS: Mapping[str, ModuleType] = {"json": as_json, "csv": as_csv}


def write(export: Export, format: str) -> bytes:
    """The export in one of `FORMATS`."""
    content: bytes = FORMATS[format].write(export)
    return content


def read(content: bytes, where: str) -> Parsed:
    """The records in a file's bytes; the format is told by its content. Raises ExchangeFault."""
    if len(content) > LARGEST:
        raise ExchangeFault(
            where, "", f"has more than {LARGEST // 1024**2} MiB: that is no export of reviews"
        )
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise ExchangeFault(where, "", "is empty: export it anew")
    if start.startswith(b"{"):
        return as_json.read(content, where)
    if start.startswith((b"record,", b'"record"')):
        return as_csv.read(content, where)
    raise ExchangeFault(
        where,
        "",
        "is neither the JSON nor the CSV that `python -m engine export` writes: choose such a file",
    )
