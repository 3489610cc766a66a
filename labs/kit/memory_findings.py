"""What the programs of `oom_fragmentation` show: from each snapshot alone, and from all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from engine.measure.analyse.memory import DeviceMemory
from engine.measure.analyse.teeth import WARM_UP
from engine.measure.events import Event, Finding, Metric, Scalar
from labs.kit.memory_plans import GIB, MIB, SHARED_SEGMENT

LEAKING = ("memory_tensors.py", "remember_result")
"""The file and the function that leak."""
SURVIVORS = ("small_survivors", "large_survivors")
Measured = Mapping[tuple[str, str, str], float]
"""Values of metrics by name, pattern and allocator."""


def told(
    memory: DeviceMemory, pattern: str, allocator: str, *, cap: int, served: float | None
) -> Iterator[Event]:
    """What the snapshot says by itself; another finding where that isn't what the program does."""
    said = memory.findings[0].code
    if allocator == "pool":
        yield Finding("pool_is_one_block")
    elif pattern in SURVIVORS:
        yield from _survivors(memory, pattern, allocator, cap=cap, served=served)
        # served and yet in pieces is no contradiction: the next, larger request may fail
        claims_failure = said == "fragmentation" and memory.failed is not None
        if claims_failure is bool(served):
            yield Finding("snapshot_disagrees", {"pattern": pattern, "allocator": allocator, "said": said})
    else:
        yield from _teeth(memory, pattern)
        if said != pattern:
            yield Finding("snapshot_disagrees", {"pattern": pattern, "allocator": allocator, "said": said})


def _teeth(memory: DeviceMemory, pattern: str) -> Iterator[Event]:
    curve = memory.timeline.allocated
    floors = [curve[at] for at in memory.teeth][int(len(memory.teeth) * WARM_UP) :]
    labels: dict[str, Scalar] = {"pattern": pattern, "allocator": "default"}
    if floors:
        yield Metric("floor_climb", floors[-1] - floors[0], "B", labels)
    if memory.leak is None:
        yield Finding(
            "healthy",
            {
                "teeth": len(memory.teeth),
                "floor_mib": min(floors, default=0) / MIB,
                "peak_mib": memory.timeline.peak / MIB,
            },
        )
        return
    leak = memory.leak
    yield Metric("leaked", leak.bytes, "B", labels)
    frame = leak.frame
    found = frame and (PurePath(frame.file).name, frame.function) == LEAKING
    yield Finding(
        "leak_named" if found else "leak_misnamed",
        {
            "call": leak.call,
            "mib": leak.bytes / MIB,
            "blocks": leak.blocks,
            "block_mib": leak.block_bytes / MIB,
            "tooth_mib": leak.bytes_per_tooth / MIB,
            "teeth": len(memory.teeth),
            "p": f"{leak.climb.p:.0e}",
        },
    )


def _survivors(
    memory: DeviceMemory, pattern: str, allocator: str, *, cap: int, served: float | None
) -> Iterator[Event]:
    failed = memory.failed
    if served or failed is None:
        yield Finding(
            "served_by",
            {
                "pattern": pattern,
                "allocator": allocator,
                "returned_gib": _returned(memory) / GIB,
                "reserved_gib": memory.reserved / GIB,
            },
        )
        return
    sizes = sorted(hole.size for hole in failed.holes)
    yield Finding(
        "fails_in_pieces",
        {
            "pattern": pattern,
            "allocator": allocator,
            "request_mib": failed.requested // MIB,
            "allocated_gib": failed.allocated / GIB,
            "share": 100 * failed.allocated / cap,
            "cap_gib": cap // GIB,
            "reserved_gib": failed.reserved / GIB,
            "free_gib": failed.free / GIB,
            "largest_mib": failed.largest_free / MIB,
            "holes": len(sizes),
            "median_mib": sizes[len(sizes) // 2] / MIB if sizes else 0,
        },
    )


def _returned(memory: DeviceMemory) -> int:
    """The most bytes by which the reserved memory fell below an earlier level: pages given to the driver."""
    most = returned = 0
    for level in memory.timeline.reserved:
        most = max(most, level)
        returned = max(returned, most - level)
    return returned


def cures(measured: Measured) -> Iterator[Finding]:
    """For each pattern that fails: what cures it, and why expandable segments do or don't."""
    for pattern in SURVIVORS:
        served = {
            allocator: bool(measured.get(("served", pattern, allocator), 0))
            for allocator in ("default", "expandable", "pool")
        }
        args: dict[str, Scalar] = {
            "pattern": pattern,
            "page_mib": SHARED_SEGMENT // MIB,
            "hole_mib": measured.get(("largest_free_block", pattern, "expandable"), 0) / MIB,
            "request_mib": int(measured.get(("request", pattern, "default"), 0)) // MIB,
        }
        if served["default"]:
            yield Finding("nothing_to_cure", {"pattern": pattern})
        elif ("served", pattern, "expandable") not in measured:
            yield Finding("pool_serves" if served["pool"] else "nothing_cures", {"pattern": pattern})
        elif served["expandable"]:
            yield Finding("expandable_cures", args)
        elif served["pool"]:
            yield Finding("only_the_pool_cures", args)
        else:
            yield Finding("nothing_cures", {"pattern": pattern})


def price_of_pages(measured: Measured) -> Iterator[Finding]:
    """What a pool costs: the memory is taken whether it is used or not, and last pages are part empty."""
    wastes = {
        pattern: waste for (name, pattern, _), waste in measured.items() if name == "page_waste" and waste > 0
    }
    for pattern, waste in wastes.items():
        used = measured.get(("allocated", pattern, "pool"), 0)
        if used:
            yield Finding(
                "pages_cost", {"pattern": pattern, "waste_mib": waste / MIB, "share": 100 * waste / used}
            )
