"""A device's work by kernel, by family of kernels, by operator and by the ranges that the program named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import PROFILER_STEP, GpuEvent
from engine.measure.analyse.device_time import Work
from engine.measure.analyse.gap_facts import NAME
from engine.measure.analyse.intervals import percentile
from engine.measure.analyse.kernel_family import family_of
from engine.measure.analyse.nesting import NONE, Nesting

ROWS = 100
"""How many kernels, operators and ranges are listed."""


class KernelRow(msgspec.Struct, frozen=True):
    """All work of one name. Times in nanoseconds."""

    name: str
    kind: str
    family: str
    count: int
    ns: int
    p50: int
    longest: int


class FamilyRow(msgspec.Struct, frozen=True):
    """All work of one family."""

    family: str
    count: int
    ns: int


class OperatorRow(msgspec.Struct, frozen=True):
    """All calls of one operator. `gpu`: work launched anywhere under it, `self_gpu`: directly in it;
    `self_cpu`: its time on the CPU without operators inside. Times in nanoseconds."""

    name: str
    calls: int
    kernels: int
    gpu: int
    self_gpu: int
    self_cpu: int


class RangeRow(msgspec.Struct, frozen=True):
    """All occurrences of one range. `span`: from the first to the last work launched in it, summed over its
    occurrences. Times in nanoseconds."""

    name: str
    count: int
    kernels: int
    gpu: int
    cpu: int
    span: int


class WorkTables(msgspec.Struct, frozen=True):
    """The tables, each with the largest first; `total` is the sum of the work's times, overlap twice."""

    kernels: tuple[KernelRow, ...]
    families: tuple[FamilyRow, ...]
    operators: tuple[OperatorRow, ...]
    ranges: tuple[RangeRow, ...]
    total: int

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "by_kernel": [
                {
                    "name": row.name[:NAME],
                    "kind": row.kind,
                    "family": row.family,
                    "count": row.count,
                    "total_us": row.ns / 1e3,
                    "share": self._share(row.ns),
                    "p50_us": row.p50 / 1e3,
                    "longest_us": row.longest / 1e3,
                }
                for row in self.kernels[:ROWS]
            ],
            "kernel_names": len(self.kernels),
            "by_family": [
                {
                    "family": row.family,
                    "count": row.count,
                    "total_us": row.ns / 1e3,
                    "share": self._share(row.ns),
                }
                for row in self.families
            ],
            "by_operator": [
                {
                    "name": row.name[:NAME],
                    "calls": row.calls,
                    "kernels": row.kernels,
                    "gpu_us": row.gpu / 1e3,
                    "self_gpu_us": row.self_gpu / 1e3,
                    "self_cpu_us": row.self_cpu / 1e3,
                }
                for row in self.operators[:ROWS]
            ],
            "by_range": [
                {
                    "name": row.name[:NAME],
                    "count": row.count,
                    "kernels": row.kernels,
                    "gpu_us": row.gpu / 1e3,
                    "cpu_us": row.cpu / 1e3,
                    "span_us": row.span / 1e3,
                }
                for row in self.ranges[:ROWS]
            ],
        }

    def share_of(self, family: str) -> float:
        """The share of the work's time that a family has, from 0 to 1."""
        return next((self._share(row.ns) for row in self.families if row.family == family), 0.0)

    def _share(self, ns: int) -> float:
        return round(ns / self.total, 6) if self.total else 0.0


def work_tables(work: Work, operators: Nesting, ranges: Nesting | Sequence[GpuEvent]) -> WorkTables:
    """The tables of one device; `ranges` as in `work_facts`."""
    kernels = sorted(_kernel_rows(work), key=lambda row: (-row.ns, row.name))
    by_family: dict[str, list[KernelRow]] = defaultdict(list)
    for row in kernels:
        by_family[row.family].append(row)
    families = [
        FamilyRow(family, sum(row.count for row in rows), sum(row.ns for row in rows))
        for family, rows in by_family.items()
    ]
    return WorkTables(
        kernels=tuple(kernels),
        families=tuple(sorted(families, key=lambda row: -row.ns)),
        operators=_operator_rows(work, operators),
        ranges=_range_rows(work, ranges) if isinstance(ranges, Nesting) else _rows_on_gpu(ranges),
        total=sum(row.ns for row in kernels),
    )


def _kernel_rows(work: Work) -> Iterator[KernelRow]:
    by_name: dict[str, list[int]] = defaultdict(list)
    for event, ns in zip(work.events, work.lasting, strict=True):
        by_name[event.name].append(ns)
    kinds = {event.name: event.kind for event in work.events}
    for name, lengths in by_name.items():
        lengths.sort()
        kind = kinds[name]
        yield KernelRow(
            name,
            kind,
            family_of(kind, name),
            len(lengths),
            sum(lengths),
            percentile(lengths, 0.5),
            lengths[-1],
        )


def _operator_rows(work: Work, nested: Nesting) -> tuple[OperatorRow, ...]:
    # the last place is for work of no operator
    time = [0] * (len(nested.names) + 1)
    number = [0] * (len(nested.names) + 1)
    path_of = nested.paths()
    paths = [path_of[place] for place in work.calls]
    for path, ns in zip(paths, work.lasting, strict=True):
        time[path] += ns
    for path in compress(paths, work.kernels):
        number[path] += 1
    # name -> calls, kernels, gpu, self_gpu, self_cpu; also operators that launch nothing: they cost CPU time
    rows: dict[str, list[int]] = {name: [0, 0, 0, 0, 0] for name in nested.names}
    for path, name in enumerate(nested.names):
        row = rows[name]
        row[0] += nested.counts[path]
        row[3] += time[path]
        row[4] += nested.own_ns[path]
        if number[path] or time[path]:
            for around in nested.names_on(path):
                rows[around][1] += number[path]
                rows[around][2] += time[path]
    found = [OperatorRow(name, *row) for name, row in rows.items()]
    return tuple(sorted(found, key=lambda row: (-row.gpu, -row.self_cpu, row.name)))


class _InRange:
    """The work launched in one occurrence of a range."""

    __slots__ = ("first", "kernels", "last", "ns")

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.ns = self.kernels = 0


def _range_rows(work: Work, nested: Nesting) -> tuple[RangeRow, ...]:
    found: dict[int, _InRange] = {}
    innermost = nested.innermost()
    inner = [innermost[place] for place in work.calls]
    for number, start, end, kernel in zip(inner, work.starts, work.ends, work.kernels, strict=True):
        if number != NONE:
            one = found.get(number) or found.setdefault(number, _InRange(start))
            one.ns += end - start
            one.kernels += kernel
            if end > one.last:
                one.last = end
    rows: dict[str, list[int]] = {}
    parents = nested.parents or ()
    # inner ranges have the higher numbers: what was launched in them is handed on outwards
    for number in range(len(nested.events) - 1, -1, -1):
        event_of = nested.events[number]
        row = rows.setdefault(event_of.name, [0, 0, 0, 0, 0])
        row[0] += 1
        row[3] += event_of.end - event_of.start
        inside = found.pop(number, None)
        if inside is None:
            continue
        row[1] += inside.kernels
        row[2] += inside.ns
        row[4] += inside.last - inside.first
        around = parents[number]
        if around != NONE:
            outer = found.get(around) or found.setdefault(around, _InRange(inside.first))
            outer.ns += inside.ns
            outer.kernels += inside.kernels
            outer.first = min(outer.first, inside.first)
            outer.last = max(outer.last, inside.last)
    return _sorted(RangeRow(name, *row) for name, row in rows.items())


def _rows_on_gpu(ranges: Sequence[GpuEvent]) -> tuple[RangeRow, ...]:
    """Where the file holds no CPU events: the ranges on the GPU's rows say how long, not of what."""
    rows: dict[str, list[int]] = {}
    for event in ranges:
        if not event.name.startswith(PROFILER_STEP):
            row = rows.setdefault(event.name, [0, 0])
            row[0] += 1
            row[1] += event.end - event.start
    return _sorted(RangeRow(name, count, 0, 0, 0, span) for name, (count, span) in rows.items())


def _sorted(rows: Iterator[RangeRow]) -> tuple[RangeRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.gpu, -row.span, -row.cpu, row.name)))
