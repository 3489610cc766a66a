"""What the CPU did, by the launch: the operators and ranges around it, and the profiler's step it lies in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


class Calls(msgspec.Struct):
    """A trace's runtime calls, by what they are to its analysis; all in order of start."""

    started: list[CpuEvent]
    """Those that work of a GPU came by."""
    place_of: dict[int | None, int]
    """The places of these, by correlation."""
    waits: list[CpuEvent]
    """Those in which the CPU waits for the GPU."""
    doing: tuple[list[int], list[int]]
    """The time in all others, as starts and ends of disjoint intervals."""
    launches: int = 0
    """How many start kernels and say by a correlation which."""


class HostSide(msgspec.Struct, frozen=True):
    """The CPU's part of a trace; all in order of start. The operators know what lies around each of the calls
    that started work."""

    names: CallNames
    calls: Calls
    operators: Nesting
    ranges: Sequence[CpuEvent]
    steps: tuple[CpuEvent, ...]

    @property
    def started(self) -> Sequence[CpuEvent]:
        return self.calls.started


def host_side(trace: ChromeTrace) -> HostSide:
    """Sorts out the CPU's part of a trace."""
    names = call_names(trace)
    calls = _calls(trace, names)
    return HostSide(
        names=names,
        calls=calls,
        operators=Nesting(trace.operators, calls.started),
        ranges=trace.ranges,
        steps=_disjoint(trace.steps),
    )


def _calls(trace: ChromeTrace, names: CallNames) -> Calls:
    # one loop for all, gone through by the million
    waiting, launching = names.waiting, names.launching
    arrived = {event.correlation for event in trace.gpu}
    started: list[CpuEvent] = []
    place_of: dict[int | None, int] = {}
    waits: list[CpuEvent] = []
    starts: list[int] = []
    ends: list[int] = []
    launches = 0
    reached: int | None = None
    for call in trace.calls:
        name, correlation = call.name, call.correlation
        if correlation is not None:
            launches += name in launching
            if correlation in arrived:
                place_of[correlation] = len(started)
                started.append(call)
        if name in waiting:
            waits.append(call)
            continue
        start, end = call.start, call.end
        if reached is None:
            starts.append(start)
            reached = end
        elif start > reached:
            ends.append(reached)
            starts.append(start)
            reached = end
        elif end > reached:
            reached = end
    if reached is not None:
        ends.append(reached)
    return Calls(started, place_of, waits, (starts, ends), launches)


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
