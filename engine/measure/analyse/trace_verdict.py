"""What is to be concluded from one device's time, in the words of the lesson, and how surely.

Gaps that launching causes (calls, operators, and the Python between them) are overhead: CUDA graphs, or fewer
and larger kernels, shrink them. Gaps in which the CPU launched nothing are not: it loaded data, computed,
waited for a request or did something else, and no graph helps. Where kernels stand side by side the
GPU is what takes the time; what bounds its kernels a trace can't say (the roofline and Nsight Compute can).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.measure.analyse.chrome_trace import ChromeTrace
from engine.measure.analyse.copies import Copies, copies_finding
from engine.measure.analyse.device_time import DeviceTime
from engine.measure.analyse.gap_facts import GapFacts
from engine.measure.analyse.intervals import median
from engine.measure.analyse.launch_facts import LaunchFacts
from engine.measure.analyse.step_times import StepTime
from engine.measure.analyse.work_tables import WorkTables
from engine.measure.finding import Finding, Scalar

OVERHEAD_BELOW = 0.7
"""Below this busy ratio the gaps are what to look at first. The lesson expects 50 to 65 % of a GPU that
waits for launches, and calls a step whose kernels stand side by side memory-bound."""
NEAR = 0.07
"""So close to that line the verdict is less sure: a profiler alone can move a step over it."""
ELSEWHERE = 0.5
"""From this share of gap time on in which the CPU ran nothing that launches, overhead isn't the name."""
DRAINS = 0.1
"""From this share of gap time on, gaps that begin in a wait for the GPU are told."""
FEW, VERY_FEW = 50, 10
"""Fewer GPU events make a verdict less sure, and hardly one at all."""
LOST, MUCH_LOST = 0.01, 0.1
"""Share of launches without a record of their kernel."""
EARLY = 0.1
"""Share of the GPU events that were launched before the window."""
TOLD = 0.01
"""Below this share of the device's time gaps and pageable copies are left untold."""
UNEVEN = 1.5
"""A step so much longer than the median is told."""


class DeviceFacts(msgspec.Struct, frozen=True):
    """All that is known of one device; times in nanoseconds. `early`: events launched before the window;
    `busy_without_communication`: -1 where no work exchanges data between GPUs."""

    time: DeviceTime
    name: str | None
    gaps: GapFacts
    steps: tuple[StepTime, ...]
    tables: WorkTables
    launches: LaunchFacts | None
    kernel_p50: int
    copies: tuple[Copies, ...]
    pageable: tuple[int, ...]
    """The lengths of copies from or to memory that isn't pinned."""
    busy_without_communication: int
    early: int


class Bound(msgspec.Struct, frozen=True):
    """What would be left of the device's time, in nanoseconds: if all gaps vanished, and if those vanished
    that launching causes. `without_launching` is None where the CPU wasn't recorded."""

    wall: int
    without_gaps: int
    without_launching: int | None
    steps: int

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        graphs = self.without_launching
        return {
            "wall_us": self.wall / 1e3,
            "no_gaps_us": self.without_gaps / 1e3,
            "no_gaps_speedup": _speedup(self.wall, self.without_gaps),
            "graphs_us": None if graphs is None else graphs / 1e3,
            "graphs_speedup": None if graphs is None else _speedup(self.wall, graphs),
            "steps": self.steps,
        }


class Verdict(msgspec.Struct, frozen=True):
    """The device's first finding, how sure it is (high, medium, low), and the codes of what lowers that."""

    finding: Finding
    confidence: str
    because: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"code": self.finding.code, "confidence": self.confidence, "because": list(self.because)}


def bound_of(facts: DeviceFacts) -> Bound:
    """What would be left without gaps."""
    cpu = facts.gaps.cpu
    left = None if cpu is None else facts.time.busy_ns + cpu.computing + cpu.waiting + cpu.elsewhere
    return Bound(facts.time.wall_ns, facts.time.busy_ns, left, len(facts.steps))


def verdict_of(facts: DeviceFacts, trace: ChromeTrace, lost_share: float) -> Verdict:
    """The verdict on one device. `lost_share`: of the launches, those without a record of their kernel."""
    severe, mild = _doubts(facts, trace, lost_share)
    confidence = "low" if severe else "medium" if mild else "high"
    time = facts.time
    args: dict[str, Scalar] = {
        "device": time.device,
        "busy_ratio": round(time.busy_ratio, 6),
        "wall_ms": time.wall_ns / 1e6,
        "confidence": confidence,
    }
    return Verdict(_conclusion(facts, args, calls_known=bool(trace.calls)), confidence, (*severe, *mild))


def _conclusion(facts: DeviceFacts, args: dict[str, Scalar], *, calls_known: bool) -> Finding:
    time, cpu = facts.time, facts.gaps.cpu
    if time.busy_ratio >= OVERHEAD_BELOW:
        alone = facts.busy_without_communication
        if 0 <= alone < OVERHEAD_BELOW * time.wall_ns:
            share = 1 - alone / time.busy_ns
            return Finding("communication_bound", args | {"share": round(share, 4)})
        top = facts.tables.kernels[0]
        family = facts.tables.families[0]
        return Finding(
            "gpu_busy",
            args
            | {
                "family": family.family,
                "family_share": facts.tables.share_of(family.family),
                "kernel": top.name[:100],
                "kernel_share": round(top.ns / facts.tables.total, 6) if facts.tables.total else 0.0,
            },
        )
    if not calls_known or cpu is None:
        return Finding("gaps_unexplained", args)
    elsewhere = cpu.computing + cpu.elsewhere
    if time.gap_ns and elsewhere / time.gap_ns >= ELSEWHERE:
        args |= {
            "share": round(elsewhere / time.gap_ns, 4),
            "longest_ms": facts.gaps.longest[0].gap.duration_ns / 1e6,
        }
        if facts.gaps.own_work and cpu.computing > cpu.elsewhere:
            args |= {"doing": facts.gaps.own_work[:100]}
        return Finding("cpu_elsewhere", args)
    known = [pair for pair in facts.gaps.waited_for if pair.cpu_op]
    if known:
        first = known[0]
        args |= {
            "cpu_op": first.cpu_op,
            "call": first.runtime_call,
            "share": round(first.ns / time.gap_ns, 4),
        }
    return Finding("overhead_bound", args)


def _doubts(facts: DeviceFacts, trace: ChromeTrace, lost_share: float) -> tuple[list[str], list[str]]:
    """Codes of what makes the verdict hardly one, and of what makes it less sure."""
    time = facts.time
    events = time.kernels + time.copies + time.sets
    severe = {
        "few_events": events < VERY_FEW,
        "lost_records": lost_share >= MUCH_LOST,
        "no_cpu_events": not trace.calls and time.busy_ratio < OVERHEAD_BELOW,
    }
    mild = {
        "few_events": VERY_FEW <= events < FEW,
        "lost_records": LOST <= lost_share < MUCH_LOST,
        "launched_before_window": bool(trace.calls) and facts.early / events >= EARLY,
        "near_the_line": abs(time.busy_ratio - OVERHEAD_BELOW) <= NEAR,
        "stacks_recorded": trace.stacks and time.busy_ratio < OVERHEAD_BELOW,
        "broken_end": bool(trace.damage.broken_end_line),
        "unreadable_events": bool(trace.unreadable or trace.damage.dropped),
    }
    return [code for code, holds in severe.items() if holds], [code for code, holds in mild.items() if holds]


def findings_of(facts: DeviceFacts, verdict: Verdict) -> Iterator[Finding]:
    """The verdict, then what bears it out and what would follow from a cure."""
    yield verdict.finding
    yield from _of_bound(facts, verdict)
    yield from _of_launches(facts)
    if facts.gaps.total and facts.gaps.drained / facts.gaps.total >= DRAINS and facts.launches:
        yield Finding(
            "sync_drains",
            {
                "device": facts.time.device,
                "syncs": facts.launches.syncs,
                "share": round(facts.gaps.drained / facts.gaps.total, 4),
                "gap_ms": facts.gaps.drained / 1e6,
            },
        )
    yield from _of_steps(facts)
    for copies in facts.copies:
        yield copies_finding(facts.time.device, copies, facts.time.busy_ns)
    if sum(facts.pageable) > TOLD * facts.time.wall_ns:
        yield Finding(
            "pageable_copies",
            {
                "device": facts.time.device,
                "copies": len(facts.pageable),
                "of": facts.time.copies,
                "total_ms": sum(facts.pageable) / 1e6,
            },
        )


def _of_bound(facts: DeviceFacts, verdict: Verdict) -> Iterator[Finding]:
    time, bound = facts.time, bound_of(facts)
    if time.gap_ns < TOLD * time.wall_ns or not time.gap_ns:
        return
    family = facts.tables.families[0]
    yield Finding(
        "without_gaps",
        {
            "device": time.device,
            "wall_ms": time.wall_ns / 1e6,
            "left_ms": bound.without_gaps / 1e6,
            "speedup": _speedup(time.wall_ns, bound.without_gaps),
            "family": family.family,
            "share": facts.tables.share_of(family.family),
        },
    )
    launches = facts.launches
    if verdict.finding.code == "overhead_bound" and bound.without_launching is not None and launches:
        yield Finding(
            "graphs_leave",
            {
                "device": time.device,
                "launches": launches.calls - launches.graph_calls,
                "left_ms": bound.without_launching / 1e6,
                "speedup": _speedup(time.wall_ns, bound.without_launching),
            },
        )


def _of_launches(facts: DeviceFacts) -> Iterator[Finding]:
    launches = facts.launches
    if launches is None or not launches.calls:
        return
    args: dict[str, Scalar] = {
        "device": facts.time.device,
        "launches": launches.calls,
        "kernels": facts.time.kernels,
        "kernel_p50_us": facts.kernel_p50 / 1e3,
        "launch_p50_us": launches.cost_p50 / 1e3 if launches.calls > launches.graph_calls else None,
    }
    if launches.per_step is not None and launches.kernels_per_step is not None:
        args |= {
            "steps": launches.steps,
            "per_step": round(launches.per_step, 1),
            "kernels_per_step": round(launches.kernels_per_step, 1),
        }
    yield Finding("launch_cost", args)
    if launches.in_graphs:
        yield Finding(
            "in_graphs",
            {
                "device": facts.time.device,
                "kernels": launches.in_graphs,
                "of": facts.time.kernels,
                "launches": launches.graph_calls,
            },
        )


def _of_steps(facts: DeviceFacts) -> Iterator[Finding]:
    if len(facts.steps) < 3:
        return
    slowest = max(facts.steps, key=lambda step: step.wall_ns)
    usual = median([step.wall_ns for step in facts.steps])
    if slowest.wall_ns > UNEVEN * usual:
        yield Finding(
            "uneven_steps",
            {
                "device": facts.time.device,
                "steps": len(facts.steps),
                "step": slowest.name[:60],
                "slowest_ms": slowest.wall_ns / 1e6,
                "median_ms": usual / 1e6,
            },
        )


def _speedup(before: int, after: int) -> float | None:
    return round(before / after, 3) if after else None
