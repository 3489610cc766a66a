"""Reads the CSV of `nsys stats`: one report or several one after the other, lines of the tool around them.

A table is known by its columns, whatever its file is called: cuda_gpu_trace, cuda_api_trace,
cuda_gpu_kern_sum, cuda_api_sum, cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum, nvtx_sum, and the same under
their names of before 2023. A column carries its unit in brackets.
Source: Nsight Systems, Post-Collection Analysis Guide, "Statistical Reports Shipped With Nsight Systems".
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nsys_capture import Call, Capture, SumRow, Work
from engine.measure.report import Report

_HEADER = re.compile(r'^"?(Time ?\(%\)|Start ?\(\w+\)|Total ?\(\w+\))"?,')
_COLUMN = re.compile(r"^(.*?) ?\(([^)]*)\)$")
_TIMES = {"ns": 1, "us": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "sec": 1_000_000_000}
_SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_DIRECTIONS = {
    "Host-to-Device": "HtoD",
    "Device-to-Host": "DtoH",
    "Device-to-Device": "DtoD",
    "Peer-to-Peer": "PtoP",
}


def is_header(line: str) -> bool:
    """Whether a table of `nsys stats` begins with this line."""
    return bool(_HEADER.match(line)) and ("Name" in line or "Operation" in line or "Range" in line)


class _Row:
    """A row by column name without unit; values in ns, bytes, percent or as they stand."""

    def __init__(self, columns: list[tuple[str, str]], values: list[str]) -> None:
        self._values = {name: (value, unit) for (name, unit), value in zip(columns, values, strict=False)}

    def text(self, *names: str) -> str:
        return next((self._values[n][0] for n in names if n in self._values), "")

    def number(self, *names: str) -> float | None:
        for name in names:
            if name not in self._values:
                continue
            value, unit = self._values[name]
            try:
                number = float(value.replace(",", ""))
            except ValueError:
                return None
            scale = _TIMES.get(unit) or _SIZES.get(unit) or 1
            return number * scale if math.isfinite(number) and abs(number * scale) < 2**62 else None
        return None

    def whole(self, *names: str) -> int | None:
        number = self.number(*names)
        return None if number is None else round(number)


def read_nsys_csv(path: Path, report: Report | None = None) -> Capture:
    """The tables at `path`. Raises `UnreadableFile`."""
    text = read_contents(path, report, largest=1_000_000_000).decode("utf-8-sig", "replace")
    work: list[Work] = []
    calls: list[Call] | None = None
    sums: dict[str, tuple[SumRow, ...]] = {}
    skipped = 0
    try:
        for columns, rows in _tables(text):
            table = _report(columns)
            if table == "cuda_gpu_trace":
                read = [_work(row) for row in rows]
                work += [item for item in read if item]
                skipped += read.count(None)
            elif table == "cuda_api_trace":
                made = [_call(row) for row in rows]
                calls = (calls or []) + [item for item in made if item]
                skipped += made.count(None)
            elif table:
                added = [_sum(row) for row in rows]
                sums[table] = sums.get(table, ()) + tuple(item for item in added if item)
                skipped += added.count(None)
    except csv.Error as error:
        raise UnreadableFile(f"{path.name}: its table is broken: {error}.").because(
            "table_broken", name=path.name, why=str(error)
        ) from error
    if not work and not calls and not any(sums.values()):
        raise UnreadableFile(
            f"{path.name}: no table of nsys with a row that can be read is in it. Write one with "
            "nsys stats --report cuda_gpu_trace --format csv --output FILE REPORT.nsys-rep"
        ).because(
            "nsys_no_table",
            name=path.name,
            command="nsys stats --report cuda_gpu_trace --format csv --output FILE REPORT.nsys-rep",
        )
    work.sort(key=lambda w: (w.start, w.end))
    ordered = None if calls is None else tuple(sorted(calls, key=lambda c: (c.start, -c.end)))
    return Capture(tuple(work), ordered, (), sums, skipped)


def _tables(text: str) -> Iterator[tuple[list[tuple[str, str]], list[_Row]]]:
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if is_header(line)]
    for start, end in pairwise([*starts, len(lines)]):
        rest = lines[start:end]
        blank = next((n for n, line in enumerate(rest) if not line.strip()), len(rest))
        table = csv.reader(io.StringIO("\n".join(rest[:blank])))
        header = next(table)
        columns = [
            (m[1], m[2]) if (m := _COLUMN.match(cell.strip())) else (cell.strip(), "") for cell in header
        ]
        yield columns, [_Row(columns, values) for values in table if len(values) > 1]


def _report(columns: list[tuple[str, str]]) -> str | None:
    names = {name for name, _ in columns}
    if "Start" in names and "Duration" in names:
        if names & {"Strm", "GrdX", "Ctx"}:
            return "cuda_gpu_trace"
        return "cuda_api_trace" if names & {"Result", "CorrID", "CorrId", "Tid"} else None
    if "Operation" in names:
        return "cuda_gpu_mem_time_sum" if "Total Time" in names else "cuda_gpu_mem_size_sum"
    if "Num Calls" in names:
        return "cuda_api_sum"
    if "Range" in names:
        return "nvtx_sum"
    return "cuda_gpu_kern_sum" if "Instances" in names and "Name" in names else None


def _work(row: _Row) -> Work | None:
    start, length = row.whole("Start"), row.whole("Duration")
    if start is None or length is None or length < 0:
        return None
    name = row.text("Name")
    direction = None
    kind = "kernel"
    if name.startswith("[CUDA mem"):
        operation = name.strip("[]").removeprefix("CUDA ")
        kind = "copy" if operation.startswith("memcpy") else "set"
        way = operation.removeprefix("memcpy").strip()
        known = way if way in _DIRECTIONS.values() else "other"
        direction = _DIRECTIONS.get(way, known) if kind == "copy" else None
    device = re.search(r"\((\d{1,4})\)\s*$", row.text("Device"))
    return Work(
        kind=kind,
        name=name,
        device=int(device[1]) if device else 0,
        stream=row.text("Strm"),
        start=start,
        end=start + length,
        correlation=row.whole("CorrId", "CorrID"),
        bytes=row.whole("Bytes"),
        direction=direction,
    )


def _call(row: _Row) -> Call | None:
    start, length = row.whole("Start"), row.whole("Duration")
    if start is None or length is None or length < 0:
        return None
    name = row.text("Name").partition("_v")[0]
    return Call(name, row.text("Tid", "TID"), start, start + length, row.whole("CorrID", "CorrId"))


def _sum(row: _Row) -> SumRow | None:
    total, count = (
        row.whole("Total Time", "Total"),
        row.whole("Instances", "Num Calls", "Count", "Operations"),
    )
    name = row.text("Name", "Operation", "Range")
    if total is None or count is None or not name:
        return None
    median = row.number("Med", "Median")
    return SumRow(
        name, total, count, median if median is not None else row.number("Avg", "Average"), row.number("Time")
    )
