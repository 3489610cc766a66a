"""What a profiler's trace shows: how busy the GPU was, where the gaps are, and who let it wait.

Busy is the union over all streams of a device, wall is first start to last end, both in integer nanoseconds
inside. All GPU events count; beside them stands how many belong to launches that the file holds too (work
launched before the window has its kernels in the file and not its launch).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import (
    LAUNCH_WORDS,
    ChromeTrace,
    CpuEvent,
    GpuEvent,
    read_chrome_trace,
)
from engine.measure.analyse.damage_said import damage_said
from engine.measure.analyse.intervals import gaps_between, length, percentile, union
from engine.measure.analyse.trace_stream import Report
from engine.measure.events import Finding, Progress

LONGEST = 20
"""How many of the longest gaps are listed."""
OVERHEAD_BELOW = 0.7
"""Below this busy ratio the gaps are what to look at first. The lesson expects 50 to 65 % of a GPU that
waits for launches, and calls a step whose kernels stand side by side memory-bound."""


class Gap(msgspec.Struct, frozen=True, gc=False):
    """Time in which a device had nothing to do, and the launch that ended it.

    `cpu_op` is the outermost operator around that launch; None where the file doesn't hold it.
    """

    start_ns: int
    duration_ns: int
    cpu_op: str | None
    runtime_call: str | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The GPU events whose launch call is in the file too."""

    events: int
    wall_ns: int
    busy_ns: int


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """One device's time in the trace. Gaps in order of start."""

    device: int
    kernels: int
    copies: int
    sets: int
    streams: int
    start_ns: int
    wall_ns: int
    busy_ns: int
    launch_recorded: Recorded | None
    gaps: tuple[Gap, ...]

    @property
    def busy_ratio(self) -> float:
        return self.busy_ns / self.wall_ns if self.wall_ns else 1.0

    def gap_time_by_operator(self) -> list[tuple[str, int]]:
        """Gap time in nanoseconds by the operator whose launch the GPU waited for, largest first."""
        total: Counter[str] = Counter()
        for gap in self.gaps:
            total[gap.cpu_op or "?"] += gap.duration_ns
        return total.most_common()


@dataclass(frozen=True, slots=True)
class TraceAnalysis:
    """What the trace shows, device by device. Warnings and findings are codes with arguments."""

    devices: tuple[DeviceTime, ...]
    warnings: tuple[Finding, ...]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "kind": "trace",
            "devices": [_device_json(device) for device in self.devices],
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def analyse_trace(path: Path, report: Report | None = None) -> TraceAnalysis:
    """Reads and analyses the chrome trace at `path`; `report` is told how far it is.

    Raises `UnreadableFile`.
    """
    trace = read_chrome_trace(path, report)
    if report:
        report(Progress(0, 0, "analysing"))
    return analyse(trace)


def analyse(trace: ChromeTrace) -> TraceAnalysis:
    """The analysis of a trace that was read."""
    launches: dict[int | None, CpuEvent] = {
        call.correlation: call for call in trace.calls if call.correlation is not None
    }
    above = _OperatorsAbove(trace.operators)
    by_device: dict[int, list[GpuEvent]] = defaultdict(list)
    for event in trace.gpu:
        by_device[event.device].append(event)
    devices = tuple(
        _device_time(device, events, launches, above, calls_known=bool(trace.calls))
        for device, events in sorted(by_device.items())
    )
    return TraceAnalysis(devices, tuple(_warnings(trace, launches)), tuple(map(_finding, devices)))


class _OperatorsAbove:
    """Finds the outermost operator on a thread at an instant."""

    def __init__(self, operators: tuple[CpuEvent, ...]) -> None:
        self._outermost: dict[tuple[str, str], list[CpuEvent]] = defaultdict(list)
        for operator in operators:
            known = self._outermost[operator.thread]
            if not known or operator.start >= known[-1].end:
                known.append(operator)
        self._starts = {thread: [op.start for op in ops] for thread, ops in self._outermost.items()}

    def at(self, thread: tuple[str, str], instant: int) -> str | None:
        position = bisect_right(self._starts.get(thread, []), instant) - 1
        if position < 0:
            return None
        operator = self._outermost[thread][position]
        return operator.name if instant < operator.end else None


def _device_time(
    device: int,
    events: list[GpuEvent],
    launches: dict[int | None, CpuEvent],
    above: _OperatorsAbove,
    *,
    calls_known: bool,
) -> DeviceTime:
    merged = union((event.start, event.end) for event in events)
    first_at: dict[int, GpuEvent] = {}
    for event in events:
        first_at.setdefault(event.start, event)
    gaps = []
    for start, end in gaps_between(merged):
        call = launches.get(first_at[end].correlation)
        operator = above.at(call.thread, call.start) if call else None
        gaps.append(Gap(start, end - start, operator, call.name if call else None))
    kinds = Counter(event.kind for event in events)
    return DeviceTime(
        device=device,
        kernels=kinds["kernel"],
        copies=kinds["copy"],
        sets=kinds["set"],
        streams=len({event.stream for event in events}),
        start_ns=merged[0][0],
        wall_ns=merged[-1][1] - merged[0][0],
        busy_ns=length(merged),
        launch_recorded=_recorded(events, launches) if calls_known else None,
        gaps=tuple(gaps),
    )


def _recorded(events: list[GpuEvent], launches: dict[int | None, CpuEvent]) -> Recorded:
    own = [e for e in events if e.correlation is not None and e.correlation in launches]
    merged = union((event.start, event.end) for event in own)
    wall = merged[-1][1] - merged[0][0] if merged else 0
    return Recorded(len(own), wall, length(merged))


def _warnings(trace: ChromeTrace, launches: dict[int | None, CpuEvent]) -> list[Finding]:
    found = []
    arrived = {event.correlation for event in trace.gpu}
    names = {call.name for call in trace.calls}
    launching = {name for name in names if any(word in name for word in LAUNCH_WORDS)}
    started = [c for c in trace.calls if c.name in launching and c.correlation is not None]
    if not trace.gpu:
        launches_seen = sum(1 for call in trace.calls if call.name in launching)
        found.append(Finding("no_gpu_events", {"launches": launches_seen}))
    lost = sum(1 for call in started if call.correlation not in arrived)
    if trace.gpu and lost:
        found.append(Finding("lost_records", {"missing": lost, "launches": len(started)}))
    early = sum(1 for event in trace.gpu if event.correlation not in launches)
    if trace.calls and early:
        found.append(Finding("launched_before_window", {"events": early, "of": len(trace.gpu)}))
    if trace.gpu and not trace.calls:
        found.append(Finding("no_cpu_events"))
    if trace.unreadable:
        found.append(Finding("unreadable_events", {"events": trace.unreadable}))
    return found + damage_said(trace)


def _finding(device: DeviceTime) -> Finding:
    args: dict[str, str | int | float | bool | None] = {
        "device": device.device,
        "busy_ratio": round(device.busy_ratio, 6),
        "wall_ms": device.wall_ns / 1e6,
    }
    if device.busy_ratio >= OVERHEAD_BELOW:
        return Finding("gpu_busy", args)
    known = [(name, ns) for name, ns in device.gap_time_by_operator() if name != "?"]
    total = sum(gap.duration_ns for gap in device.gaps)
    if known and total:
        args |= {"cpu_op": known[0][0], "share": round(known[0][1] / total, 4)}
    return Finding("overhead_bound", args)


def _device_json(device: DeviceTime) -> dict[str, Any]:
    lengths = sorted(gap.duration_ns for gap in device.gaps)
    longest = sorted(device.gaps, key=lambda gap: -gap.duration_ns)[:LONGEST]
    recorded = device.launch_recorded
    return {
        "device": device.device,
        "kernels": device.kernels,
        "copies": device.copies,
        "sets": device.sets,
        "streams": device.streams,
        "wall_us": device.wall_ns / 1e3,
        "busy_us": device.busy_ns / 1e3,
        "busy_ratio": round(device.busy_ratio, 6),
        "launch_recorded": recorded
        and {"events": recorded.events, "wall_us": recorded.wall_ns / 1e3, "busy_us": recorded.busy_ns / 1e3},
        "gaps": {
            "count": len(lengths),
            "total_us": sum(lengths) / 1e3,
            "p50_us": percentile(lengths, 0.5) / 1e3,
            "p90_us": percentile(lengths, 0.9) / 1e3,
            "longest": [
                {
                    "start_us": (gap.start_ns - device.start_ns) / 1e3,
                    "duration_us": gap.duration_ns / 1e3,
                    "cpu_op": gap.cpu_op,
                    "runtime_call": gap.runtime_call,
                }
                for gap in longest
            ],
        },
    }
