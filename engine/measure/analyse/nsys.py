"""The three readings of an Nsight Systems timeline: gaps, cadence, copies.

- Gaps: where the GPU had nothing to do, was the API row busy (the CPU could not launch fast enough) or quiet
  (the CPU was doing something else: Python, tokenising, waiting for a request)?
- Cadence: many launches of thin kernels (launch-bound: a kernel takes no longer than to launch one) or
  kernels that keep the GPU busy (kernel-bound)?
- Copies: how large, which way, and in a rhythm (the same copy every step) or not?
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.measure.analyse.contents import head_of
from engine.measure.analyse.copies import Copies, copies_by_direction, copies_finding
from engine.measure.analyse.intervals import Interval, gaps_between, length, percentile, union
from engine.measure.analyse.nsys_capture import Call, Capture, SumRow, Work
from engine.measure.analyse.nsys_csv import read_nsys_csv
from engine.measure.analyse.nsys_sqlite import read_nsys_sqlite
from engine.measure.events import Finding, Progress, Scalar
from engine.measure.report import Report

DENSE = 0.7
"""From this busy ratio on a device is kernel-bound; the trace reader draws the same line."""
BUSY_API = 0.5
"""From this share of the gap time under API calls on, the API row is called busy."""
ROW_HOLE_NS = 100_000
"""Calls closer than this make a solid row to the eye: between them lies Python that prepares the next launch
(some 10 to 40 µs an operation, by whether a profiler watches), not other work of the CPU."""
THIN_NS = 10_000
"""Kernels below this are thin where launches weren't recorded: a launch costs some 5 to 10 µs of CPU time."""


@dataclass(frozen=True, slots=True)
class DeviceReadings:
    """One device's timeline. Times in ns; `api_in_gaps_ns`: gap time under the API row: calls other
    than waits, with what lies between calls in close succession."""

    device: int
    kernels: int
    graphs: int
    in_graphs: int
    wall_ns: int
    busy_ns: int
    gaps: tuple[Interval, ...]
    api_in_gaps_ns: int | None
    call_in_gaps: str | None
    kernel_median_ns: int
    copies: tuple[Copies, ...]

    @property
    def busy_ratio(self) -> float:
        return self.busy_ns / self.wall_ns if self.wall_ns else 1.0


@dataclass(frozen=True, slots=True)
class NsysAnalysis:
    """What a capture shows. Warnings and findings are codes with arguments."""

    devices: tuple[DeviceReadings, ...]
    sums: dict[str, tuple[SumRow, ...]]
    warnings: tuple[Finding, ...]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """What `python -m engine analyse --json` prints; times in microseconds."""
        return {
            "kind": "nsys",
            "devices": [_device_json(device) for device in self.devices],
            "sums": {report: [_sum_json(row) for row in rows[:50]] for report, rows in self.sums.items()},
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def analyse_nsys(path: Path, report: Report | None = None) -> NsysAnalysis:
    """Reads and analyses an SQLite export or a CSV of `nsys stats`. Raises `UnreadableFile`."""
    is_sqlite = head_of(path, 16).startswith(b"SQLite format 3\x00")
    capture = read_nsys_sqlite(path, report) if is_sqlite else read_nsys_csv(path, report)
    if report:
        report(Progress(0, 0, "analysing"))
    return analyse(capture)


def analyse(capture: Capture) -> NsysAnalysis:
    """The readings of a capture that was read."""
    by_device: dict[int, list[Work]] = defaultdict(list)
    for work in capture.work:
        by_device[work.device].append(work)
    devices = tuple(_device(number, works, capture.calls) for number, works in sorted(by_device.items()))
    launch = _launch_cost(capture)
    findings: list[Finding] = []
    for device in devices:
        findings += [_gaps(device), _cadence(device, launch, capture.calls)]
        findings += [copies_finding(device.device, copies, device.busy_ns) for copies in device.copies]
    if not devices:
        findings += _of_sums(capture.sums, launch)
    return NsysAnalysis(devices, capture.sums, tuple(_warnings(capture, devices)), tuple(findings))


def _device(number: int, works: list[Work], calls: tuple[Call, ...] | None) -> DeviceReadings:
    merged = union((work.start, work.end) for work in works)
    gaps = gaps_between(merged)
    active = [call for call in calls or () if not call.is_wait]
    row = _solid(union((call.start, call.end) for call in active))
    kernels = sorted(work.end - work.start for work in works if work.kind == "kernel")
    return DeviceReadings(
        device=number,
        kernels=len(kernels),
        graphs=sum(work.kind == "graph" for work in works),
        in_graphs=sum(work.in_graph for work in works),
        wall_ns=merged[-1][1] - merged[0][0],
        busy_ns=length(merged),
        gaps=tuple(gaps),
        api_in_gaps_ns=None if calls is None else _overlap(gaps, row),
        call_in_gaps=_main_call(gaps, active),
        kernel_median_ns=percentile(kernels, 0.5),
        copies=tuple(copies_by_direction((w.direction or "other", w) for w in works if w.kind == "copy")),
    )


def _solid(row: list[Interval]) -> list[Interval]:
    """The row with its small holes closed."""
    merged: list[Interval] = []
    for start, end in row:
        if merged and start - merged[-1][1] <= ROW_HOLE_NS:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _overlap(gaps: Sequence[Interval], row: Sequence[Interval]) -> int:
    """The time that both hold; each is disjoint and in order."""
    ends = [end for _, end in row]
    total = 0
    for start, end in gaps:
        for at in range(bisect_right(ends, start), len(row)):
            if row[at][0] >= end:
                break
            total += min(end, row[at][1]) - max(start, row[at][0])
    return total


def _main_call(gaps: Sequence[Interval], calls: Sequence[Call]) -> str | None:
    """The API call that most of the gap time lies under."""
    starts, ends = [start for start, _ in gaps], [end for _, end in gaps]
    total: Counter[str] = Counter()
    for call in calls:
        for at in range(bisect_right(ends, call.start), bisect_left(starts, call.end)):
            total[call.name] += min(call.end, ends[at]) - max(call.start, starts[at])
    return total.most_common(1)[0][0] if total else None


def _launch_cost(capture: Capture) -> int | None:
    """The median time of a kernel launch on the CPU; None where launches weren't recorded."""
    times = sorted(c.end - c.start for c in capture.calls or () if c.is_launch and not c.is_graph_launch)
    if times:
        return percentile(times, 0.5)
    rows = [row for row in capture.sums.get("cuda_api_sum", ()) if "LaunchKernel" in row.name]
    most = max(rows, key=lambda row: row.count, default=None)
    return round(most.median_ns) if most and most.median_ns is not None else None


def _gaps(device: DeviceReadings) -> Finding:
    lengths = sorted(end - start for start, end in device.gaps)
    total = sum(lengths)
    args: dict[str, Scalar] = {
        "device": device.device,
        "busy_ratio": round(device.busy_ratio, 6),
        "wall_ms": device.wall_ns / 1e6,
        "gaps": len(lengths),
        "gap_ms": total / 1e6,
        "longest_ms": (lengths[-1] if lengths else 0) / 1e6,
    }
    if device.busy_ratio >= DENSE:
        return Finding("gaps_small", args)
    if device.api_in_gaps_ns is None or not total:
        return Finding("gaps_api_unknown", args)
    share = device.api_in_gaps_ns / total
    args |= {"api_share": round(share, 4), "call": device.call_in_gaps}
    return Finding("gaps_api_busy" if share >= BUSY_API else "gaps_api_quiet", args)


def _cadence(device: DeviceReadings, launch: int | None, calls: tuple[Call, ...] | None) -> Finding:
    launches = [call for call in calls or () if call.is_launch]
    starts = sorted(call.start for call in launches)
    between = sorted(b - a for a, b in pairwise(starts))
    interval = percentile(between, 0.5) if between else None
    args: dict[str, Scalar] = {
        "device": device.device,
        "kernels": device.kernels,
        "graphs": device.graphs,
        "kernels_in_graphs": device.in_graphs,
        "kernel_p50_us": device.kernel_median_ns / 1e3 if device.kernels else None,
        "launches": len(launches) if calls is not None else None,
        "graph_launches": sum(c.is_graph_launch for c in launches) if calls is not None else None,
        "launch_p50_us": None if launch is None else launch / 1e3,
        "launch_interval_p50_us": None if interval is None else interval / 1e3,
        "busy_ratio": round(device.busy_ratio, 6),
    }
    if device.busy_ratio >= DENSE:
        return Finding("kernel_bound", args)
    cost = max(launch or 0, interval or 0) or THIN_NS
    thin = device.kernels > 0 and device.kernel_median_ns <= cost
    dense = calls is None or device.graphs + device.in_graphs == 0
    return Finding("launch_bound" if thin and dense else "host_bound", args)


def _of_sums(sums: dict[str, tuple[SumRow, ...]], launch: int | None) -> list[Finding]:
    """What summary tables say: they hold no order in time, so nothing of gaps or rhythm."""
    found = []
    kernels = sums.get("cuda_gpu_kern_sum", ())
    if kernels:
        count = sum(row.count for row in kernels)
        usual = _weighted_median([(row.median_ns or 0.0, row.count) for row in kernels])
        top = max(kernels, key=lambda row: row.total_ns)
        total = sum(row.total_ns for row in kernels)
        cost = launch or THIN_NS
        found.append(
            Finding(
                "thin_kernels" if usual <= cost else "long_kernels",
                {
                    "kernels": count,
                    "total_ms": total / 1e6,
                    "kernel_p50_us": usual / 1e3,
                    "launch_p50_us": None if launch is None else launch / 1e3,
                    "names": len(kernels),
                    "top": top.name,
                    "top_share": round(top.total_ns / total, 4) if total else 0.0,
                },
            )
        )
    found += [
        Finding("copies_total", {"operation": row.name, "copies": row.count, "total_ms": row.total_ns / 1e6})
        for row in sums.get("cuda_gpu_mem_time_sum", ())
    ]
    calls = sums.get("cuda_api_sum", ())
    if calls:
        top = max(calls, key=lambda row: row.total_ns)
        found.append(
            Finding("api_total", {"call": top.name, "calls": top.count, "total_ms": top.total_ns / 1e6})
        )
    return found


def _weighted_median(values: list[tuple[float, int]]) -> float:
    half, passed = sum(weight for _, weight in values) / 2, 0
    for value, weight in sorted(values):
        passed += weight
        if passed >= half:
            return value
    return 0.0


def _warnings(capture: Capture, devices: tuple[DeviceReadings, ...]) -> list[Finding]:
    found = []
    if devices and capture.calls is None:
        found.append(Finding("no_api_calls"))
    if not devices and capture.sums:
        found.append(Finding("only_sums"))
    elif not devices:
        found.append(Finding("no_gpu_events", {"launches": sum(c.is_launch for c in capture.calls or ())}))
    found += [
        Finding("graphs_as_blocks", {"device": d.device, "graphs": d.graphs}) for d in devices if d.graphs
    ]
    if capture.skipped:
        found.append(Finding("unreadable_events", {"events": capture.skipped}))
    return found


def _device_json(device: DeviceReadings) -> dict[str, Any]:
    lengths = sorted(end - start for start, end in device.gaps)
    api = device.api_in_gaps_ns
    return {
        "device": device.device,
        "kernels": device.kernels,
        "graphs": device.graphs,
        "kernels_in_graphs": device.in_graphs,
        "wall_us": device.wall_ns / 1e3,
        "busy_us": device.busy_ns / 1e3,
        "busy_ratio": round(device.busy_ratio, 6),
        "kernel_p50_us": device.kernel_median_ns / 1e3 if device.kernels else None,
        "gaps": {
            "count": len(lengths),
            "total_us": sum(lengths) / 1e3,
            "p50_us": percentile(lengths, 0.5) / 1e3,
            "p90_us": percentile(lengths, 0.9) / 1e3,
            "api_us": None if api is None else api / 1e3,
            "call": device.call_in_gaps,
        },
        "copies": [copies.to_json() for copies in device.copies],
    }


def _sum_json(row: SumRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "total_us": row.total_ns / 1e3,
        "count": row.count,
        "p50_us": None if row.median_ns is None else row.median_ns / 1e3,
        "share_percent": row.share_percent,
    }
