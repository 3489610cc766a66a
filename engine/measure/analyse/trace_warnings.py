"""What to mind before believing what a trace shows: records that are missing, and what the profiler adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from engine.measure.analyse.chrome_trace import LAUNCH_WORDS, ChromeTrace
from engine.measure.analyse.damage_said import damage_said
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import length, overlap, union
from engine.measure.analyse.trace_verdict import NEAR, OVERHEAD_BELOW, DeviceFacts, Verdict
from engine.measure.finding import Finding


class Lost(msgspec.Struct, frozen=True):
    """Launches in the file, and how many of them have no record of what they launched."""

    missing: int
    launches: int

    @property
    def share(self) -> float:
        return self.missing / self.launches if self.launches else 0.0


def lost_launches(host: HostSide) -> Lost:
    """Counts the launches whose work isn't in the file."""
    launching, launches = host.names.launching, host.calls.launches
    return Lost(launches - len([call for call in host.started if call.name in launching]), launches)


def warnings_of(
    trace: ChromeTrace, facts: Sequence[DeviceFacts], verdicts: Sequence[Verdict], lost: Lost
) -> Iterator[Finding]:
    """The warnings about a whole trace."""
    if not trace.gpu:
        yield Finding("no_gpu_events", {"launches": sum(_launches(call.name) for call in trace.calls)})
    elif lost.missing:
        yield Finding("lost_records", {"missing": lost.missing, "launches": lost.launches})
    early = sum(one.early for one in facts)
    if trace.calls and early:
        yield Finding("launched_before_window", {"events": early, "of": len(trace.gpu)})
    if trace.gpu and not trace.calls:
        yield Finding("no_cpu_events")
    yield from _of_profiler(trace, facts)
    for one, verdict in zip(facts, verdicts, strict=True):
        if "few_events" in verdict.because:
            events = one.time.kernels + one.time.copies + one.time.sets
            yield Finding("few_events", {"device": one.time.device, "events": events})
        if "near_the_line" in verdict.because:
            yield Finding(
                "near_the_line",
                {
                    "device": one.time.device,
                    "busy_ratio": round(one.time.busy_ratio, 6),
                    "line_share": OVERHEAD_BELOW,
                    "near_share": NEAR,
                },
            )
    if trace.unreadable:
        yield Finding("unreadable_events", {"events": trace.unreadable})
    yield from damage_said(trace)


def _of_profiler(trace: ChromeTrace, facts: Sequence[DeviceFacts]) -> Iterator[Finding]:
    spans = union((event.start, event.end) for event in trace.overheads)
    if spans and facts:
        widest = max(facts, key=lambda one: one.time.gap_ns)
        gaps = [(gap.start_ns, gap.start_ns + gap.duration_ns) for gap in widest.time.gaps]
        yield Finding(
            "profiler_overhead",
            {
                "events": len(trace.overheads),
                "total_ms": length(spans) / 1e6,
                "gap_ms": overlap(gaps, spans) / 1e6,
            },
        )
    if any(one.time.busy_ratio < OVERHEAD_BELOW for one in facts) and trace.calls:
        yield Finding("profiler_widens")
    if trace.stacks:
        yield Finding("stacks_recorded")


def _launches(name: str) -> bool:
    return any(word in name for word in LAUNCH_WORDS)
