"""Reads the SQLite export of Nsight Systems (`nsys export --type sqlite`).

Its tables and columns differ between versions and are made only when there is something to put in: each
column is looked for before it is asked for. The file is opened read-only, nothing but plain tables is read
(a view may hide an endless query), and time, rows and sizes are bounded.
Source: Nsight Systems, Post-Collection Analysis Guide, "SQLite Schema Reference".
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nsys_capture import Call, Capture, NvtxRange, Work
from engine.measure.events import Progress
from engine.measure.report import Report

MAX_ROWS = 5_000_000
MAX_TEXT = 1_000_000
SECONDS = 60.0
DIRECTIONS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}
"""copyKind (CUpti_ActivityMemcpyKind, CUPTI documentation)."""
_WORK = {
    "kernel": "CUPTI_ACTIVITY_KIND_KERNEL",
    "copy": "CUPTI_ACTIVITY_KIND_MEMCPY",
    "set": "CUPTI_ACTIVITY_KIND_MEMSET",
    "graph": "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
}
EXPORT = "nsys export --type sqlite REPORT.nsys-rep"
_RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
_NAMES, _RANGES = "StringIds", "NVTX_EVENTS"
READ = frozenset({*_WORK.values(), _RUNTIME, _NAMES, _RANGES})
TELL_EVERY = 1000
"""Rows between two words on how far it is."""
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA}


def read_nsys_sqlite(path: Path, report: Report | None = None) -> Capture:
    """The capture at `path`. Raises `UnreadableFile`."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return _Export(connection, path.name, report).capture()
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        # the last two: texts too large for this build of SQLite, names that are no text
        raise UnreadableFile(
            f"{path.name}: this SQLite file can't be read: {error}. "
            "Export it again: nsys export --type sqlite REPORT.nsys-rep"
        ).because(
            "sqlite_broken",
            name=path.name,
            why="too_slow" if "interrupt" in str(error) else "broken_database",
            command=EXPORT,
        ) from error


class _Export:
    """One open export."""

    def __init__(self, connection: sqlite3.Connection, name: str, report: Report | None) -> None:
        self._db = connection
        self._name = name
        self._report = report
        self._to_come = 0
        self._told = -1
        self._skipped = 0
        self._rows = 0
        until = time.monotonic() + SECONDS
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT)
        connection.set_progress_handler(lambda: time.monotonic() > until, 100_000)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        self._tables = {
            name
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            if isinstance(sql, str) and not sql.upper().lstrip().startswith("CREATE VIRTUAL")
        }

    def capture(self) -> Capture:
        if not self._tables & {*_WORK.values(), _RUNTIME}:
            raise UnreadableFile(
                f"{self._name}: this SQLite file holds no CUDA activity of Nsight Systems. Record with "
                "nsys profile --trace=cuda,nvtx and export with nsys export --type sqlite REPORT.nsys-rep"
            ).because(
                "sqlite_no_cuda", name=self._name, command=f"nsys profile --trace=cuda,nvtx …\n{EXPORT}"
            )
        self._to_come = sum(map(self._last_row, self._tables & READ))
        names = self._strings()
        work = [item for kind, table in _WORK.items() for item in self._work(kind, table, names)]
        calls = list(self._calls(names)) if _RUNTIME in self._tables else None
        ranges = sorted(self._ranges(names), key=lambda r: (r.start, -r.end))
        work.sort(key=lambda w: (w.start, w.end))
        if calls is not None:
            calls.sort(key=lambda c: (c.start, -c.end))
        return Capture(tuple(work), None if calls is None else tuple(calls), tuple(ranges), {}, self._skipped)

    def _select(self, table: str, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows of a table with the columns wanted, None where it lacks the column."""
        if table not in self._tables:
            return
        # hidden is not 0 for columns that are worked out by an expression
        have = {row[1] for row in self._db.execute(f'PRAGMA table_xinfo("{table}")') if row[6] == 0}
        columns = [name for name in wanted if name in have]
        if not columns:
            return
        listed = ", ".join(f'"{name}"' for name in columns)
        for row in self._db.execute(f'SELECT {listed} FROM "{table}"'):  # noqa: S608 (names of ours only)
            self._rows += 1
            if self._rows > MAX_ROWS:
                raise UnreadableFile(
                    f"{self._name}: it holds more than {MAX_ROWS:,} events. Record a shorter window."
                ).because("too_many_events", name=self._name, events=MAX_ROWS)
            if self._rows % TELL_EVERY == 0:
                self._tell()
            yield dict.fromkeys(wanted) | dict(zip(columns, row, strict=True))

    def _last_row(self, table: str) -> int:
        """About how many rows the table has: the number of its last one. Counting them takes as long as
        reading them."""
        try:
            newest = self._db.execute(f'SELECT rowid FROM "{table}" ORDER BY rowid DESC LIMIT 1')  # noqa: S608
            number = next(newest, (0,))[0]
        except sqlite3.OperationalError:  # a table without such numbers: how far it is won't be known
            return 0
        return min(max(0, number), MAX_ROWS) if isinstance(number, int) else 0

    def _tell(self) -> None:
        percent = 100 * self._rows // max(1, self._to_come)
        if self._report and self._told < percent <= 100:
            self._told = percent
            self._report(Progress(self._rows, self._to_come, "rows"))

    def _strings(self) -> dict[int, str]:
        return {
            row["id"]: row["value"]
            for row in self._select(_NAMES, ("id", "value"))
            if isinstance(row["id"], int) and isinstance(row["value"], str)
        }

    def _work(self, kind: str, table: str, names: dict[int, str]) -> Iterator[Work]:
        wanted = (
            "start", "end", "deviceId", "streamId", "correlationId", "demangledName", "shortName",
            "bytes", "copyKind", "graphNodeId", "graphId",
        )  # fmt: skip
        for row in self._select(table, wanted):
            start, end = row["start"], row["end"]
            if not (isinstance(start, int) and isinstance(end, int) and start <= end):
                self._skipped += 1
                continue
            name = names.get(row["demangledName"]) or names.get(row["shortName"])
            size = row["bytes"]
            yield Work(
                kind=kind,
                name=name or (f"graph {row['graphId']}" if kind == "graph" else kind),
                device=_whole(row["deviceId"]) or 0,
                stream=str(row["streamId"]),
                start=start,
                end=end,
                correlation=_whole(row["correlationId"]),
                bytes=_whole(size),
                direction=DIRECTIONS.get(_whole(row["copyKind"]) or 0, "other") if kind == "copy" else None,
                in_graph=bool(_whole(row["graphNodeId"])),
            )

    def _calls(self, names: dict[int, str]) -> Iterator[Call]:
        for row in self._select(_RUNTIME, ("start", "end", "nameId", "globalTid", "correlationId")):
            start, end = row["start"], row["end"]
            if not (isinstance(start, int) and isinstance(end, int) and start <= end):
                self._skipped += 1
                continue
            # "cudaLaunchKernel_v7000": the version of the function is no part of its name
            name = (names.get(row["nameId"]) or "?").partition("_v")[0]
            yield Call(name, str(row["globalTid"]), start, end, _whole(row["correlationId"]))

    def _ranges(self, names: dict[int, str]) -> Iterator[NvtxRange]:
        for row in self._select(_RANGES, ("start", "end", "text", "textId")):
            start, end = row["start"], row["end"]
            # markers have no end
            if isinstance(start, int) and isinstance(end, int) and start <= end:
                text = row["text"] if isinstance(row["text"], str) else names.get(row["textId"])
                yield NvtxRange(text or "?", start, end)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
