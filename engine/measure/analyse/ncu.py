"""Reads what Nsight Compute prints: `ncu --csv`, with whatever stands before the table.

The header is found wherever it is: ncu's own `==PROF==` lines and the program's output come first. A row of
a rule has no metric name. Numbers come as "13,485", as "65,77" where the locale says so, and with a unit
that differs from row to row: values are turned to one unit per kind (seconds, hertz, bytes, bytes a second,
percent, and the count as it is).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.measure.analyse.contents import read_contents
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.report import Report

_SCALES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BASES = {
    "s": "s",
    "second": "s",
    "sec": "s",
    "hz": "Hz",
    "byte": "B",
    "byte/s": "B/s",
    "byte/second": "B/s",
    "cycle/second": "Hz",
    "cycle/nsecond": "Hz",
}
LARGEST_FILE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class NcuMetric:
    """One value of a report, in its base unit (s, Hz, B, B/s, %, or as ncu names it)."""

    section: str
    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class NcuRule:
    """What one of ncu's rules says of the kernel."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class NcuKernel:
    """One profiled launch. Percentages from 0 to 100; None where the report doesn't hold the metric.

    `memory_percent` is ncu's "Memory Throughput", the busiest part of the memory system; `dram_percent` is
    DRAM alone. The first near its peak does not mean the second is.
    """

    id: int
    name: str
    grid: str
    block: str
    capability: str
    metrics: tuple[NcuMetric, ...]
    rules: tuple[NcuRule, ...]

    def value(self, name: str, unit: str | None = None) -> float | None:
        """The first metric of that name (and unit); None where there is none."""
        for metric in self.metrics:
            if metric.name == name and (unit is None or metric.unit == unit):
                return metric.value
        return None

    @property
    def duration_s(self) -> float | None:
        return self.value("Duration", "s")

    @property
    def memory_percent(self) -> float | None:
        return self.value("Memory Throughput", "%")

    @property
    def dram_percent(self) -> float | None:
        return self.value("DRAM Throughput", "%")

    @property
    def compute_percent(self) -> float | None:
        return self.value("Compute (SM) Throughput", "%")

    @property
    def memory_bytes_per_s(self) -> float | None:
        return self.value("Memory Throughput", "B/s")

    @property
    def dram_bytes(self) -> float | None:
        """Bytes that crossed DRAM in both directions: as counted, else the rate over the duration."""
        counted = [self.value(f"dram__bytes{part}.sum", "B") for part in ("_read", "_write")]
        if any(value is not None for value in counted):
            return sum(value or 0.0 for value in counted)
        rate, seconds = self.memory_bytes_per_s, self.duration_s
        return None if rate is None or seconds is None else rate * seconds

    @property
    def waves(self) -> float | None:
        """How often the grid fills the GPU's multiprocessors."""
        return self.value("Waves Per SM")

    @property
    def achieved_occupancy(self) -> float | None:
        return self.value("Achieved Occupancy", "%")

    @property
    def theoretical_occupancy(self) -> float | None:
        return self.value("Theoretical Occupancy", "%")

    @property
    def l2_hit_rate(self) -> float | None:
        return self.value("L2 Hit Rate", "%")

    @property
    def registers_per_thread(self) -> float | None:
        return self.value("Registers Per Thread")

    @property
    def sm_clock_hz(self) -> float | None:
        return self.value("SM Frequency", "Hz")


@dataclass(frozen=True, slots=True)
class NcuReport:
    """The kernels of a report, and ncu's own lines about it (connected, errors, warnings)."""

    kernels: tuple[NcuKernel, ...]
    tool_lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """What `python -m engine analyse --json` prints: SI units, percent from 0 to 100."""
        return {"kind": "ncu", "kernels": [_kernel_json(k) for k in self.kernels], "warnings": []}


def read_ncu(path: Path, report: Report | None = None) -> NcuReport:
    """The report at `path` (text). Raises `UnreadableFile` where it holds no table."""
    text = read_contents(path, report, largest=LARGEST_FILE).decode("utf-8-sig", "replace")
    lines = text.splitlines(keepends=True)
    said = tuple(line.strip() for line in lines if line.startswith("=="))
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        raise _no_table(path, said)
    table = "".join(line for line in lines[start:] if not line.startswith("=="))
    try:
        kernels = tuple(_kernels(path, csv.DictReader(io.StringIO(table))))
    except csv.Error as error:
        raise UnreadableFile(f"{path.name}: ncu's table is broken: {error}.").because(
            "table_broken", name=path.name, why=str(error)
        ) from error
    if not kernels:
        raise UnreadableFile(f"{path.name}: ncu's table has no row: no kernel was profiled.").because(
            "ncu_no_row", name=path.name
        )
    return NcuReport(kernels, said)


def _no_table(path: Path, said: tuple[str, ...]) -> UnreadableFile:
    errors = " ".join(line.removeprefix("==ERROR== ") for line in said if line.startswith("==ERROR=="))
    if errors:
        return UnreadableFile(f"{path.name}: no report, only what ncu stopped with: {errors}").because(
            "ncu_error", name=path.name, said=errors
        )
    return UnreadableFile(
        f'{path.name}: no table of ncu is in it (a line that begins with "ID"). Write one with ncu --csv.'
    ).because("ncu_no_table", name=path.name, command="ncu --csv --page details …")


def _kernels(path: Path, rows: csv.DictReader[str]) -> Iterator[NcuKernel]:
    needed = {"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"}
    missing = needed - set(rows.fieldnames or ())
    if missing:
        raise UnreadableFile(
            f"{path.name}: the table has no column {', '.join(sorted(missing))}. "
            "Write it with ncu --csv --page details."
        ).because(
            "ncu_columns",
            name=path.name,
            columns=", ".join(sorted(missing)),
            command="ncu --csv --page details …",
        )
    grouped: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["ID"] and re.fullmatch(r"[0-9]{1,18}", row["ID"]):
            grouped.setdefault(row["ID"], []).append(row)
    comma = _decimal_comma(row["Metric Value"] or "" for group in grouped.values() for row in group)
    for number, group in grouped.items():
        first = group[0]
        yield NcuKernel(
            id=int(number),
            name=first["Kernel Name"] or "",
            grid=first.get("Grid Size") or "",
            block=first.get("Block Size") or "",
            capability=first.get("CC") or "",
            metrics=tuple(m for row in group if (m := _metric(row, decimal_comma=comma))),
            rules=tuple(
                NcuRule(row["Rule Name"], row.get("Rule Type") or "", row.get("Rule Description") or "")
                for row in group
                if row.get("Rule Name")
            ),
        )


def _decimal_comma(values: Iterator[str]) -> bool:
    """Whether the report's numbers have a decimal comma: some comma isn't followed by three digits."""
    comma = point = False
    for value in values:
        if re.fullmatch(r"[\d.]*,(\d{1,2}|\d{4,})", value):
            comma = True
        if re.fullmatch(r"[\d,]*\.(\d{1,2}|\d{4,})", value):
            point = True
    return comma and not point


def _metric(row: dict[str, str], *, decimal_comma: bool) -> NcuMetric | None:
    name, text = row["Metric Name"], row["Metric Value"]
    if not name or not text:
        return None
    plain = text.replace(".", "").replace(",", ".") if decimal_comma else text.replace(",", "")
    try:
        number = float(plain)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    scale, unit = _unit(row["Metric Unit"] or "")
    return NcuMetric(row.get("Section Name") or "", name, number * scale, unit)


def _unit(text: str) -> tuple[float, str]:
    """Scale and base unit: ("Gbyte/s") -> (1e9, "B/s"). A unit that isn't known stays as it is."""
    if text.lower() in _BASES and text != "cycle/nsecond":
        return 1.0, _BASES[text.lower()]
    if text == "cycle/nsecond":
        return 1e9, "Hz"
    prefix, rest = text[:1], text[1:].lower()
    if prefix in _SCALES and rest in _BASES:
        return _SCALES[prefix], _BASES[rest]
    return 1.0, text


def _kernel_json(kernel: NcuKernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "grid": kernel.grid,
        "block": kernel.block,
        "duration_s": kernel.duration_s,
        "memory_percent": kernel.memory_percent,
        "dram_percent": kernel.dram_percent,
        "compute_percent": kernel.compute_percent,
        "memory_bytes_per_s": kernel.memory_bytes_per_s,
        "dram_bytes": kernel.dram_bytes,
        "waves": kernel.waves,
        "achieved_occupancy_percent": kernel.achieved_occupancy,
        "theoretical_occupancy_percent": kernel.theoretical_occupancy,
        "l2_hit_percent": kernel.l2_hit_rate,
        "registers_per_thread": kernel.registers_per_thread,
        "sm_clock_hz": kernel.sm_clock_hz,
    }
