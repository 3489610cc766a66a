"""What the CPU did, by the launch: the operators and ranges around it, and the profiler's step it lies in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    """The CPU's part of a trace; all in order of start.

    `started`: the calls that work of a GPU came by, `place_of` their places by correlation; the operators
    know what lies around each of them. `waits`: the calls in which the CPU waits for the GPU. `doing`: the
    time in all others, as starts and ends of disjoint intervals.
    """

    started: Sequence[CpuEvent]
    place_of: Mapping[int | None, int]
    calls: tuple[CpuEvent, ...]
    names: CallNames
    waits: Sequence[CpuEvent]
    doing: tuple[list[int], list[int]]
    operators: Nesting
    ranges: Sequence[CpuEvent]
    steps: tuple[CpuEvent, ...]


def host_side(trace: ChromeTrace) -> HostSide:
    """Sorts out the CPU's part of a trace."""
    names = call_names(trace)
    arrived = {event.correlation for event in trace.gpu}
    arrived.discard(None)
    started = [call for call in trace.calls if call.correlation in arrived]
    waits = [call for call in trace.calls if call.name in names.waiting] if names.waiting else ()
    return HostSide(
        started=started,
        place_of={call.correlation: place for place, call in enumerate(started)},
        calls=trace.calls,
        names=names,
        waits=waits,
        doing=_doing(trace.calls, names.waiting),
        operators=Nesting(trace.operators, started),
        ranges=trace.ranges,
        steps=_disjoint(trace.steps),
    )


def call_names(trace: ChromeTrace) -> CallNames:
    """Told by name rather than by call: there are some tens of names."""
    names = {call.name for call in trace.calls}
    return CallNames(
        launching=frozenset(name for name in names if _has(name, LAUNCH_WORDS)),
        graphs=frozenset(name for name in names if "GraphLaunch" in name),
        waiting=frozenset(name for name in names if _has(name, WAITING_WORDS)),
    )


def _doing(calls: Iterable[CpuEvent], waiting: frozenset[str]) -> tuple[list[int], list[int]]:
    """`intervals.solid` of calls, into columns: there are many."""
    starts: list[int] = []
    ends: list[int] = []
    reached: int | None = None
    for call in calls:
        if call.name in waiting:
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
    return starts, ends


def _has(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name for word in words)


def _disjoint(steps: Iterable[CpuEvent]) -> tuple[CpuEvent, ...]:
    """One step after the other: a trace of several processes may hold each step more than once."""
    found: list[CpuEvent] = []
    for step in steps:
        if not found or step.start >= found[-1].end:
            found.append(step)
    return tuple(found)
