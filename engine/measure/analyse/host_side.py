"""What the CPU did, by the launch: the operators and ranges around it, and the profiler's step it lies in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.measure.analyse.chrome_trace import LAUNCH_WORDS, ChromeTrace, CpuEvent
from engine.measure.analyse.nesting import Nesting

WAITING_WORDS = ("Synchronize", "EventQuery", "StreamQuery")
"""Calls in which the CPU does nothing but wait for the GPU."""


@dataclass(frozen=True, slots=True)
class HostSide:
    """The CPU's part of a trace. `launches`: runtime calls by correlation; `steps` in order of start."""

    launches: Mapping[int, CpuEvent]
    calls: tuple[CpuEvent, ...]
    operators: Nesting
    ranges: Nesting
    steps: tuple[CpuEvent, ...]

    def step_at(self, instant: int) -> int:
        """The number of the profiler's step around the instant, -1 where there is none."""
        # a trace has tens of steps
        place = bisect_right(self.steps, instant, key=lambda step: step.start) - 1
        return place if place >= 0 and instant < self.steps[place].end else -1


def host_side(trace: ChromeTrace) -> HostSide:
    """Sorts out the CPU's part of a trace."""
    return HostSide(
        launches={call.correlation: call for call in trace.calls if call.correlation is not None},
        calls=trace.calls,
        operators=Nesting(trace.operators),
        ranges=Nesting(trace.ranges),
        steps=_disjoint(trace.steps),
    )


def _disjoint(steps: Iterable[CpuEvent]) -> tuple[CpuEvent, ...]:
    """One step after the other: a trace of several processes may hold each step more than once."""
    found: list[CpuEvent] = []
    for step in steps:
        if not found or step.start >= found[-1].end:
            found.append(step)
    return tuple(found)


def is_launch(call: CpuEvent) -> bool:
    """Whether the call starts kernels: one, or those of a graph."""
    return any(word in call.name for word in LAUNCH_WORDS)


def is_graph_launch(call: CpuEvent) -> bool:
    """Whether the call starts a CUDA graph."""
    return "GraphLaunch" in call.name


def is_wait(call: CpuEvent) -> bool:
    """Whether the CPU waits for the GPU in the call."""
    return any(word in call.name for word in WAITING_WORDS)
