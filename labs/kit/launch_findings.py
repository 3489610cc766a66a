"""What the price of a launch and the ways to launch a step mean, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.measure.events import Finding

if TYPE_CHECKING:
    from labs.kit.launch_cost import LaunchCost
    from labs.kit.ways import Way

WAITS_BELOW = 0.7
"""Below this busy ratio the GPU waits for launches (the lesson expects 50 to 65 % of one that does)."""
_FASTER = 1.1
_OTHER_PACE = 0.87
"""A larger batch that takes less of the time than this was launched by a CPU that had become faster."""


def of_cost(cost: LaunchCost, total_us: float) -> Iterator[Finding]:
    """Of what the CPU time of a launch consists, in a model and alone. Microseconds."""
    bare = cost.driver_us + cost.dispatcher_us + cost.python_us
    yield Finding(
        "launch_parts",
        {
            "driver": cost.driver_us,
            "dispatcher": cost.dispatcher_us,
            "python": cost.python_us,
            "bare": bare,
            "total": total_us,
            "model": max(0.0, total_us - bare),
        },
    )


def of_ways(ways: Sequence[Way]) -> Iterator[Finding]:
    """What fewer launches and more work a launch changed against eager at batch 1."""
    by_mode = {way.mode: way for way in ways if way.batch == 1}
    eager = by_mode.get("eager")
    if eager is None:
        return
    if eager.gpu is None:
        yield from _on_cpu(eager, by_mode.get("fused"))
        return
    if eager.busy_ratio >= WAITS_BELOW:
        yield Finding("no_overhead_here", {"ms": eager.ms, "busy": 100 * eager.busy_ratio})
    for mode in ("fused", "graph", "fused_graph"):
        way = by_mode.get(mode)
        if way is None:
            continue
        code = f"{mode}_{'cures' if eager.ms / way.ms > _FASTER else 'changes_little'}"
        yield Finding(
            code,
            {
                "launches": round(eager.launches),
                "launches_left": round(way.launches),
                "kernels_left": round(way.kernels),
                "cpu_ms": eager.cpu_ms,
                "cpu_ms_left": way.cpu_ms,
                "ms": eager.ms,
                "ms_left": way.ms,
                "times": eager.ms / way.ms,
                "busy": 100 * way.busy_ratio,
            },
        )
    many = next((way for way in ways if way.mode == "eager" and way.batch > 1), None)
    if many is not None and many.ms < _OTHER_PACE * eager.ms:
        yield Finding(
            "pace_changed",
            {"batch": many.batch, "ms": eager.ms, "ms_after": many.ms, "times": eager.ms / many.ms},
        )
    if many is not None:
        yield Finding(
            "batch_uses_gaps"
            if many.tokens_per_second > many.batch / 2 * eager.tokens_per_second
            else "batch_costs",
            {
                "batch": many.batch,
                "ms": eager.ms,
                "ms_after": many.ms,
                "cpu_ms": eager.cpu_ms,
                "cpu_ms_after": many.cpu_ms,
                "times": many.tokens_per_second / eager.tokens_per_second,
                "busy": 100 * eager.busy_ratio,
                "busy_after": 100 * many.busy_ratio,
            },
        )


def _on_cpu(eager: Way, fused: Way | None) -> Iterator[Finding]:
    if fused is not None:
        code = "cpu_fused_gains" if eager.ms / fused.ms > _FASTER else "cpu_fused_changes_little"
        yield Finding(code, {"ms": eager.ms, "ms_left": fused.ms, "times": eager.ms / fused.ms})
