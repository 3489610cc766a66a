"""The calls that launched a device's work: how many, what one costs the CPU, and what came by graphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import sub
from typing import Any

import msgspec

from engine.measure.analyse.device_time import Work
from engine.measure.analyse.host_side import HostSide
from engine.measure.analyse.intervals import Interval, percentile
from engine.measure.analyse.step_times import StepTime

SLOW_LAUNCH_NS = 100_000
"""A launch that lasts longer did more than launch: drivers load a kernel's code at its first use."""


class LaunchFacts(msgspec.Struct, frozen=True):
    """Times in nanoseconds on the CPU, under the profiler. `cost`: of a call that launches one kernel."""

    calls: int
    graph_calls: int
    in_graphs: int
    """Kernels that came by a graph."""
    cost_p50: int
    cost_p90: int
    cost_total: int
    """Of all launching calls, those of graphs too."""
    interval_p50: int
    """From the begin of one launching call to the next."""
    steps: int
    per_step: float | None
    kernels_per_step: float | None
    syncs: int
    """Calls in the whole trace in which the CPU waited for the GPU."""
    slow: tuple[Interval, ...]
    """From start to end: the launches of one kernel that did more than launch."""

    def to_json(self) -> dict[str, Any]:
        """The contract of `python -m engine analyse --json`; times in microseconds."""
        return {
            "calls": self.calls,
            "graph_calls": self.graph_calls,
            "kernels_in_graphs": self.in_graphs,
            "cost_p50_us": self.cost_p50 / 1e3 if self.calls > self.graph_calls else None,
            "cost_p90_us": self.cost_p90 / 1e3 if self.calls > self.graph_calls else None,
            "cost_total_us": self.cost_total / 1e3,
            "interval_p50_us": self.interval_p50 / 1e3,
            "steps": self.steps,
            "launches_per_step": None if self.per_step is None else round(self.per_step, 3),
            "kernels_per_step": None if self.kernels_per_step is None else round(self.kernels_per_step, 3),
            "syncs": self.syncs,
        }


def launch_facts(
    work: Work, host: HostSide, places: Sequence[int], steps: tuple[StepTime, ...]
) -> LaunchFacts:
    """The facts about the launches of one device; `places`: see `Work.launches`."""
    names, started = host.names, host.started
    graphs = {place for place in places if started[place].name in names.graphs} if names.graphs else set()
    launching = [started[place] for place in places]
    singles = [started[place] for place in places if place not in graphs] if graphs else launching
    costs = sorted([call.end - call.start for call in singles])
    starts = [call.start for call in launching]
    in_graphs = sum(place in graphs for place in compress(work.calls, work.kernels)) if graphs else 0
    slow: list[Interval] = []
    if costs and costs[-1] >= SLOW_LAUNCH_NS:
        slow = sorted([(c.start, c.end) for c in singles if c.end - c.start >= SLOW_LAUNCH_NS])
    number = len(steps)
    return LaunchFacts(
        calls=len(launching),
        graph_calls=len(graphs),
        in_graphs=in_graphs,
        cost_p50=percentile(costs, 0.5),
        cost_p90=percentile(costs, 0.9),
        cost_total=sum([call.end - call.start for call in launching]) if graphs else sum(costs),
        interval_p50=percentile(sorted(map(sub, starts[1:], starts)), 0.5),
        steps=number,
        per_step=sum(step.launches for step in steps) / number if number else None,
        kernels_per_step=sum(step.kernels for step in steps) / number if number else None,
        syncs=len(host.calls.waits),
        slow=tuple(slow),
    )
