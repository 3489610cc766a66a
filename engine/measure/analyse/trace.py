"""What a profiler's trace shows: how busy the GPU was, where the gaps are, who let it wait, and what follows.

Busy is the union over all streams of a device, wall is first start to last end, both in integer nanoseconds
inside. All GPU events count; beside them stands how many belong to launches that the file holds too.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import ChromeTrace, GpuEvent
from engine.measure.analyse.device_time import DeviceTime, Gap, device_time
from engine.measure.analyse.gap_facts import GapFacts, gap_facts
from engine.measure.analyse.host_rows import HostRows
from engine.measure.analyse.host_side import host_side
from engine.measure.analyse.second_process import beside
from engine.measure.analyse.step_times import STEPS
from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.analyse.trace_stream import Report
from engine.measure.analyse.trace_verdict import (
    DeviceFacts,
    Verdict,
    bound_of,
    findings_of,
    verdict_of,
)
from engine.measure.analyse.trace_warnings import lost_launches, warnings_of
from engine.measure.analyse.work_facts import WorkFacts, work_facts
from engine.measure.finding import Finding, Progress

__all__ = ["DeviceTime", "Gap", "TraceAnalysis", "analyse", "analyse_trace"]

WORTH_TWO = range(10_000, 300_000)
"""With so many events of GPUs a second process saves more time than it takes. With more it would take half as
much memory again: whatever both look at is there twice."""


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
    return analyse(trace, helped=True)


def analyse(trace: ChromeTrace, *, helped: bool = False) -> TraceAnalysis:
    """The analysis of a trace that was read. `helped`: as for `read_chrome_trace`."""
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

    def work_of_all() -> list[WorkFacts]:
        calls = bool(trace.calls)
        return [work_facts(time, work, host, ranges[time.device], launches=calls) for time, work in times]

    with beside(work_of_all, list[WorkFacts], helped=helped and len(trace.gpu) in WORTH_TWO) as works:
        rows = HostRows(host, [work for _, work in times]) if trace.calls or trace.operators else None
        gaps = [gap_facts(time, work, host, rows) for time, work in times]
        lost = lost_launches(trace)
        done = works()
    facts = tuple(
        _device_facts(trace, time, of_gaps, of_work)
        for (time, _), of_gaps, of_work in zip(times, gaps, done, strict=True)
    )
    verdicts = tuple(verdict_of(one, trace, lost.share) for one in facts)
    return TraceAnalysis(
        devices=tuple(one.time for one in facts),
        warnings=tuple(warnings_of(trace, facts, verdicts, lost)),
        findings=tuple(f for one, v in zip(facts, verdicts, strict=True) for f in findings_of(one, v)),
        facts=facts,
        verdicts=verdicts,
    )


def _device_facts(trace: ChromeTrace, time: DeviceTime, gaps: GapFacts, work: WorkFacts) -> DeviceFacts:
    recorded = time.launch_recorded
    return DeviceFacts(
        **msgspec.structs.asdict(work),
        time=time,
        name=trace.gpu_names.get(time.device),
        gaps=gaps,
        early=time.kernels + time.copies + time.sets - recorded.events if recorded else 0,
    )


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
