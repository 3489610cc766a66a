"""What NVML's utilisation said beside what the GPU did, as findings."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from engine.measure.events import Finding, Scalar

if TYPE_CHECKING:
    from labs.kit.loads import Seconds

FULL = 90.0
"""NVML in % from which a reader of nvidia-smi takes the GPU for fully used."""
HALF_IDLE = 70.0
APART = 15.0
"""Points by which two shares of the same seconds must differ to say different things."""


def conclude(seen: Mapping[str, Seconds]) -> Iterator[Finding]:
    """The misconception seen, or that it doesn't show here. Loads as the lab names them."""
    eager, graph, trickle = (seen.get(load) for load in ("eager_recorded", "graph", "trickle"))
    if eager is not None and eager.busy_ratio is not None:
        says, busy = nvml(eager), 100 * eager.busy_ratio
        args: dict[str, Scalar] = {"nvml": says, "busy": busy, "gap": 100 - busy, "seconds": eager.seconds}
        if says >= FULL and busy < HALF_IDLE:
            yield Finding("full_and_idle", args)
        elif says > busy + APART:
            yield Finding("says_more_than_busy", args)
        else:
            yield Finding("says_what_is_busy", args)
        if graph is not None and graph.busy_ratio is not None:
            yield Finding(
                "same_number_other_work",
                {
                    "nvml_eager": says,
                    "nvml_graph": nvml(graph),
                    "busy_eager": busy,
                    "busy_graph": 100 * min(1.0, graph.busy_ratio),
                },
            )
    half = {load: one for load, one in seen.items() if load.startswith("half_") and one.busy_s is not None}
    if half:
        values = [nvml(one) for one in half.values()]
        shares = [100 * (one.busy_ratio or 0.0) for one in half.values()]
        blind = any(value > share + APART for value, share in zip(values, shares, strict=True))
        yield Finding(
            "half_busy_hidden" if blind else "half_busy_seen",
            {
                "gaps": ", ".join(load.removeprefix("half_").removesuffix("us") for load in half),
                "nvml": ", ".join(f"{value:.0f}" for value in values),
                "busy": ", ".join(f"{share:.0f}" for share in shares),
            },
        )
    if trickle is not None and trickle.busy_ratio is not None:
        yield Finding("trickle", {"nvml": nvml(trickle), "busy": 100 * trickle.busy_ratio})


def nvml(seen: Seconds) -> float:
    """The median of NVML's samples in %."""
    return float(statistics.median(seen.percent))
