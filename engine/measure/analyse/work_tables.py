"""A device's work by kernel, by family of kernels, by operator and by the ranges that the program named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.measure.analyse.chrome_trace import PROFILER_STEP, GpuEvent
from engine.measure.analyse.device_time import Work
from engine.measure.analyse.gap_facts import NAME
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import percentile
from engine.measure.analyse.kernel_family import family_of
from engine.measure.analyse.nesting import NONE

ROWS = 100
"""How many kernels, operators and ranges are listed."""


@dataclass(frozen=True, slots=True)
class KernelRow:
    """All work of one name. Times in nanoseconds."""

    name: str
    kind: str
    family: str
    count: int
    ns: int
    p50: int
    longest: int


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """All work of one family."""

    family: str
    count: int
    ns: int


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """All calls of one operator. `gpu`: work launched anywhere under it, `self_gpu`: directly in it;
    `self_cpu`: its time on the CPU without operators inside. Times in nanoseconds."""

    name: str
    calls: int
    kernels: int
    gpu: int
    self_gpu: int
    self_cpu: int


@dataclass(frozen=True, slots=True)
class RangeRow:
    """All occurrences of one range. `span`: from the first to the last work launched in it, summed over its
    occurrences. Times in nanoseconds."""

    name: str
    count: int
    kernels: int
    gpu: int
    cpu: int
    span: int


@dataclass(frozen=True, slots=True)
class WorkTables:
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


class OperatorTimes:
    """Calls and own CPU time of each operator by name, once for all devices."""

    def __init__(self, host: HostSide) -> None:
        self.calls: Counter[str] = Counter(operator.name for operator in host.operators.events)
        self.own: Counter[str] = Counter()
        own = self.own
        for operator, ns in zip(host.operators.events, host.operators.own_ns, strict=True):
            own[operator.name] += ns


def work_tables(
    work: Work, host: HostSide, times: OperatorTimes, gpu_ranges: Sequence[GpuEvent]
) -> WorkTables:
    """The tables of one device; `gpu_ranges` are its own."""
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
        operators=_operator_rows(work, host, times),
        ranges=_range_rows(work, host) if host.ranges.events else _rows_on_gpu(gpu_ranges),
        total=sum(row.ns for row in kernels),
    )


def _kernel_rows(work: Work) -> Iterator[KernelRow]:
    for name, lengths in work.lengths.items():
        lengths.sort()
        kind = work.kinds[name]
        yield KernelRow(
            name,
            kind,
            family_of(kind, name),
            len(lengths),
            sum(lengths),
            percentile(lengths, 0.5),
            lengths[-1],
        )


def _operator_rows(work: Work, host: HostSide, times: OperatorTimes) -> tuple[OperatorRow, ...]:
    gpu: dict[str, int] = defaultdict(int)
    kernels: dict[str, int] = defaultdict(int)
    own: dict[str, int] = defaultdict(int)
    nested, operators, inner = host.operators, host.operators.events, work.inner
    last = NONE
    names: tuple[str, ...] = ()
    for event in work.events:
        number = inner.get(event.correlation, NONE)  # type: ignore[arg-type]
        if number == NONE:
            continue
        if number != last:
            last, names = number, nested.names_around(number)
        length, is_kernel = event.end - event.start, event.kind == "kernel"
        own[operators[number].name] += length
        for name in names:
            gpu[name] += length
            kernels[name] += is_kernel
    # all operators, also those that launch nothing: they cost CPU time all the same
    listed = sorted(times.calls, key=lambda name: (-gpu.get(name, 0), -times.own[name], name))
    return tuple(
        OperatorRow(
            name, times.calls[name], kernels.get(name, 0), gpu.get(name, 0), own.get(name, 0), times.own[name]
        )
        for name in listed
    )


class _InRange:
    """The work launched in one occurrence of a range."""

    __slots__ = ("first", "kernels", "last", "ns")

    def __init__(self, first: int) -> None:
        self.first = self.last = first
        self.ns = self.kernels = 0


def _range_rows(work: Work, host: HostSide) -> tuple[RangeRow, ...]:
    nested = host.ranges
    number_of = {c: nested.innermost(call.thread, call.start) for c, call in work.calls.items()}
    found: dict[int, _InRange] = {}
    for event in work.events:
        for number in nested.around(number_of.get(event.correlation, NONE)):  # type: ignore[arg-type]
            one = found.get(number) or found.setdefault(number, _InRange(event.start))
            one.ns += event.end - event.start
            one.kernels += event.kind == "kernel"
            one.last = max(one.last, event.end)
    rows: dict[str, list[int]] = {}
    for number, event in enumerate(nested.events):
        row = rows.setdefault(event.name, [0, 0, 0, 0, 0])
        row[0] += 1
        row[3] += event.end - event.start
        one_of = found.get(number)
        if one_of is not None:
            row[1] += one_of.kernels
            row[2] += one_of.ns
            row[4] += one_of.last - one_of.first
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
