"""What a profiler's trace shows: how busy the GPU was, where the gaps are, who let it wait, and what follows.

Busy is the union over all streams of a device, wall is first start to last end, both in integer nanoseconds
inside. All GPU events count; beside them stands how many belong to launches that the file holds too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import ChromeTrace, GpuEvent
from engine.measure.analyse.copies import Copies, copies_by_direction
from engine.measure.analyse.device_time import DeviceTime, Gap, Work, device_time
from engine.measure.analyse.gap_facts import gap_facts
from engine.measure.analyse.host_rows import HostRows
from engine.measure.analyse.host_side import HostSide, host_side
from engine.measure.analyse.launch_facts import launch_facts
from engine.measure.analyse.step_times import STEPS, step_times
from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.analyse.trace_stream import Report
from engine.measure.analyse.trace_verdict import (
    DeviceFacts,
    Verdict,
    bound_of,
    busy_without_communication,
    findings_of,
    kernel_median,
    verdict_of,
)
from engine.measure.analyse.trace_warnings import lost_launches, warnings_of
from engine.measure.analyse.work_tables import work_tables
from engine.measure.events import Finding, Progress

__all__ = ["DeviceTime", "Gap", "TraceAnalysis", "analyse", "analyse_trace"]

_DIRECTION = re.compile(r"\b([HDPA])to([HDPA])\b|(Host|Device|Peer)To(Host|Device|Peer)")


class TraceAnalysis(msgspec.Struct, frozen=True):
    """What the trace shows, device by device. Warnings and findings are codes with arguments."""

    devices: tuple[DeviceTime, ...]
    warnings: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    facts: tuple[DeviceFacts, ...] = ()
    """Of each device, in the same order."""
    verdicts: tuple[Verdict, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "kind": "trace",
            "devices": [
                _device_json(facts, verdict) for facts, verdict in zip(self.facts, self.verdicts, strict=True)
            ],
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def analyse_trace(path: Path, report: Report | None = None) -> TraceAnalysis:
    """Reads and analyses the chrome trace at `path`; `report` is told how far it is.

    Raises `UnreadableFile`.
    """
    trace = read_chrome_trace(path, report, helped=True)
    if report:
        report(Progress(0, 0, "analysing"))
    return analyse(trace)


def analyse(trace: ChromeTrace) -> TraceAnalysis:
    """The analysis of a trace that was read."""
    host = host_side(trace)
    by_device: dict[int, list[GpuEvent]] = defaultdict(list)
    ranges: dict[int, list[GpuEvent]] = defaultdict(list)
    for event in trace.gpu:
        by_device[event.device].append(event)
    for event in trace.gpu_ranges:
        ranges[event.device].append(event)
    times = [
        device_time(device, events, host, calls_known=bool(trace.calls))
        for device, events in sorted(by_device.items())
    ]
    rows = HostRows(host, [work for _, work in times]) if trace.calls or trace.operators else None
    facts = tuple(_device_facts(time, work, trace, host, rows, ranges[time.device]) for time, work in times)
    lost = lost_launches(trace)
    verdicts = tuple(verdict_of(one, trace, lost.share) for one in facts)
    return TraceAnalysis(
        devices=tuple(one.time for one in facts),
        warnings=tuple(warnings_of(trace, facts, verdicts, lost)),
        findings=tuple(f for one, v in zip(facts, verdicts, strict=True) for f in findings_of(one, v)),
        facts=facts,
        verdicts=verdicts,
    )


def _device_facts(
    time: DeviceTime,
    work: Work,
    trace: ChromeTrace,
    host: HostSide,
    rows: HostRows | None,
    ranges: Sequence[GpuEvent],
) -> DeviceFacts:
    events = work.events
    steps = step_times(time, work, host)
    tables = work_tables(work, host, ranges)
    return DeviceFacts(
        time=time,
        name=trace.gpu_names.get(time.device),
        gaps=gap_facts(time, work, host, rows),
        steps=steps,
        tables=tables,
        launches=launch_facts(work, host, steps) if trace.calls else None,
        kernel_p50=kernel_median(work),
        copies=_copies(work),
        pageable=tuple(e.end - e.start for e in events if e.kind == "copy" and "ageable" in e.name),
        busy_without_communication=busy_without_communication(work, tables),
        early=len(events) - time.launch_recorded.events if time.launch_recorded else 0,
    )


def _copies(work: Work) -> tuple[Copies, ...]:
    directions = {name: _direction(name) for name, kind in work.kinds.items() if kind == "copy"}
    return tuple(
        copies_by_direction((directions[event.name], event) for event in work.events if event.kind == "copy")
    )


def _direction(name: str) -> str:
    """HtoD, DtoH, DtoD, PtoP or other, from a copy's name: "Memcpy HtoD (Pageable -> Device)"."""
    found = _DIRECTION.search(name)
    if found is None:
        return "other"
    source, target = found[1] or found[3][0], found[2] or found[4][0]
    return f"{source}to{target}"


def _device_json(facts: DeviceFacts, verdict: Verdict) -> dict[str, Any]:
    time = facts.time
    recorded = time.launch_recorded
    return {
        "device": time.device,
        "name": facts.name,
        "start_ns": time.start_ns,
        "kernels": time.kernels,
        "copies": time.copies,
        "sets": time.sets,
        "streams": time.streams,
        "wall_us": time.wall_ns / 1e3,
        "busy_us": time.busy_ns / 1e3,
        "busy_ratio": round(time.busy_ratio, 6),
        "launch_recorded": recorded
        and {"events": recorded.events, "wall_us": recorded.wall_ns / 1e3, "busy_us": recorded.busy_ns / 1e3},
        "gaps": facts.gaps.to_json(time.start_ns),
        "steps": [step.to_json(time.start_ns) for step in facts.steps[:STEPS]],
        **facts.tables.to_json(),
        "launches": facts.launches and facts.launches.to_json(),
        "kernel_p50_us": facts.kernel_p50 / 1e3,
        "copies_by_direction": [copies.to_json() for copies in facts.copies],
        "bound": bound_of(facts).to_json(),
        "verdict": verdict.to_json(),
    }
