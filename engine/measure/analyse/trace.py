"""What a profiler's trace shows: how busy the GPU was, where the gaps are, who let it wait, and what follows.

Busy is the union over all streams of a device, wall is first start to last end, both in integer nanoseconds
inside. All GPU events count; beside them stands how many belong to launches that the file holds too.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import ChromeTrace
from engine.measure.analyse.device_time import DeviceTime, Gap, GapTime, device_time
from engine.measure.analyse.gap_facts import GapFacts, gap_facts
from engine.measure.analyse.host_rows import HostRows
from engine.measure.analyse.host_side import host_side
from engine.measure.analyse.nesting import Nesting
from engine.measure.analyse.step_times import STEPS
from engine.measure.analyse.trace_verdict import (
    DeviceFacts,
    Verdict,
    bound_of,
    findings_of,
    verdict_of,
)
from engine.measure.analyse.trace_warnings import lost_launches, warnings_of
from engine.measure.analyse.work_facts import WorkFacts, work_facts
from engine.measure.finding import Finding

__all__ = ["DeviceTime", "Gap", "TraceAnalysis", "analyse"]


class TraceAnalysis(msgspec.Struct, frozen=True):
    """What the trace shows, device by device. Warnings and findings are codes with arguments."""

    devices: tuple[DeviceTime, ...]
    warnings: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    facts: tuple[DeviceFacts, ...] = ()
    """Of each device, in the same order."""
    verdicts: tuple[Verdict, ...] = ()
    origin_ns: int = 0
    """What times count from, by the file's own clock."""
    rests_on: tuple[object, ...] = ()
    """The trace, and what was worked out on the way: to be let go together with this."""

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "kind": "trace",
            "devices": [
                _device_json(facts, verdict, self.origin_ns)
                for facts, verdict in zip(self.facts, self.verdicts, strict=True)
            ],
            "warnings": [{"code": w.code, "args": w.args} for w in self.warnings],
            "findings": [{"code": f.code, "args": f.args} for f in self.findings],
        }


def analyse(trace: ChromeTrace) -> TraceAnalysis:
    """The analysis of a trace that was read."""
    host = host_side(trace)
    rows = HostRows(host) if trace.calls or trace.operators else None
    ranges = Nesting(trace.ranges, host.started, parents=True) if trace.ranges else None
    facts = []
    for device in sorted({event.device for event in trace.gpu}):
        events = [event for event in trace.gpu if event.device == device]
        time, work = device_time(device, events, host, calls_known=bool(trace.calls))
        on_device = [event for event in trace.gpu_ranges if event.device == device]
        gaps = GapTime(time.gaps)
        of_work = work_facts(time, work, host, ranges or on_device, gaps, launches=bool(trace.calls))
        facts.append(_device_facts(trace, time, gap_facts(time, work, host, rows, gaps), of_work))
    lost = lost_launches(host)
    verdicts = [verdict_of(one, trace, lost.share) for one in facts]
    return TraceAnalysis(
        devices=tuple(one.time for one in facts),
        warnings=tuple(warnings_of(trace, facts, verdicts, lost)),
        findings=tuple(f for one, v in zip(facts, verdicts, strict=True) for f in findings_of(one, v)),
        facts=tuple(facts),
        verdicts=tuple(verdicts),
        origin_ns=trace.origin_ns,
        rests_on=(trace, host, rows),
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


def _device_json(facts: DeviceFacts, verdict: Verdict, origin_ns: int) -> dict[str, Any]:
    time = facts.time
    recorded = time.launch_recorded
    return {
        "device": time.device,
        "name": facts.name,
        "start_ns": origin_ns + time.start_ns,
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
