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

    `started`: the calls that work of a GPU came by, `launches` the same by correlation; the operators know what
    lies around each of these.
    """

    launches: Mapping[int | None, CpuEvent]
    started: Sequence[CpuEvent]
    calls: tuple[CpuEvent, ...]
    names: CallNames
    operators: Nesting
    ranges: Sequence[CpuEvent]
    steps: tuple[CpuEvent, ...]
    waits: Sequence[CpuEvent]
    """The calls in which the CPU waits for the GPU."""

    def launched_by(self, correlations: Iterable[int | None]) -> Mapping[int | None, CpuEvent]:
        """The calls that the work with these correlations came by, by correlation."""
        launches = self.launches
        own = launches.keys() & correlations
        return launches if len(own) == len(launches) else {key: launches[key] for key in own}


def host_side(trace: ChromeTrace) -> HostSide:
    """Sorts out the CPU's part of a trace."""
    names = call_names(trace)
    arrived = {event.correlation for event in trace.gpu}
    arrived.discard(None)
    started = [call for call in trace.calls if call.correlation in arrived]
    return HostSide(
        launches={call.correlation: call for call in started},
        started=started,
        calls=trace.calls,
        names=names,
        operators=Nesting(trace.operators, started),
        ranges=trace.ranges,
        steps=_disjoint(trace.steps),
        waits=[call for call in trace.calls if call.name in names.waiting] if names.waiting else (),
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
