"""What the CPU did, by the launch: the operators and ranges around it, and the profiler's step it lies in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from engine.measure.analyse.chrome_trace import LAUNCH_WORDS, ChromeTrace, CpuEvent
from engine.measure.analyse.nesting import Nesting

WAITING_WORDS = ("Synchronize", "EventQuery", "StreamQuery")
"""Calls in which the CPU does nothing but wait for the GPU."""


class CallNames(msgspec.Struct, frozen=True):
    """The names of a trace's runtime calls, by what they do."""

    launching: frozenset[str]
    """Start kernels: one, or those of a graph."""
    graphs: frozenset[str]
    """Start a CUDA graph."""
    waiting: frozenset[str]
    """Wait for the GPU."""


class HostSide(msgspec.Struct, frozen=True):
    """The CPU's part of a trace. `launches`: runtime calls by correlation; `steps` in order of start."""

    launches: Mapping[int, CpuEvent]
    calls: tuple[CpuEvent, ...]
    names: CallNames
    operators: Nesting
    ranges: Nesting
    steps: tuple[CpuEvent, ...]
    step_starts: tuple[int, ...]


def host_side(trace: ChromeTrace) -> HostSide:
    """Sorts out the CPU's part of a trace."""
    steps = _disjoint(trace.steps)
    return HostSide(
        launches={call.correlation: call for call in trace.calls if call.correlation is not None},
        calls=trace.calls,
        names=call_names(trace),
        operators=Nesting(trace.operators),
        ranges=Nesting(trace.ranges),
        steps=steps,
        step_starts=tuple(step.start for step in steps),
    )


def call_names(trace: ChromeTrace) -> CallNames:
    """Told by name rather than by call: there are some tens of names."""
    names = {call.name for call in trace.calls}
    return CallNames(
        launching=frozenset(name for name in names if _has(name, LAUNCH_WORDS)),
        graphs=frozenset(name for name in names if "GraphLaunch" in name),
        waiting=frozenset(name for name in names if _has(name, WAITING_WORDS)),
    )


def _has(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name for word in words)


def _disjoint(steps: Iterable[CpuEvent]) -> tuple[CpuEvent, ...]:
    """One step after the other: a trace of several processes may hold each step more than once."""
    found: list[CpuEvent] = []
    for step in steps:
        if not found or step.start >= found[-1].end:
            found.append(step)
    return tuple(found)
