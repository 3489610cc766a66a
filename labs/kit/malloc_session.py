"""A run of `oom_fragmentation` on a CPU: the C library's malloc in a child, and what that leaves unshown."""

from __future__ import annotations

from engine.measure.events import Event, Finding, Metric, Progress
from labs.kit.event_child import events_of
from labs.kit.glibc_heap import why_no_glibc
from labs.kit.lab import Bench, LabFailed
from labs.kit.memory_findings import price_of_pages
from labs.kit.memory_order import Order
from labs.kit.memory_plans import GIB, MIB
from labs.kit.steps import Steps

_PROGRAMS = ("sawtooth", "leak", "small_survivors", "small_survivors.pool")
PATTERN, LEFT = "small_survivors", "left_at_the_end"


def run_malloc(bench: Bench) -> None:
    """Fragmentation of a real allocator, not of PyTorch's. Raises LabFailed where there is no glibc."""
    reason = why_no_glibc()
    if reason:
        raise LabFailed(
            "needs_gpu",
            f"Without a GPU this lab measures the malloc of Linux's glibc, and {reason}. The recorded result "
            "shows it on a GPU.",
        )
    steps = Steps(bench, 1 + len(_PROGRAMS))
    steps.next("preparing")
    cap = int(bench.params["cap_gib"] or 0) * GIB
    bench.metric("cap", cap, "B")
    bench.finding("malloc_is_not_the_caching_allocator", cap=cap // GIB)
    measured: dict[tuple[str, str, str], float] = {}
    for program in _PROGRAMS:  # each on a heap of its own: Python's pieces would pin a used one
        order = Order("malloc", (program,), cap, int(bench.params["seed"] or 0), str(bench.artifacts))
        for event in events_of("labs.kit.malloc_child", [order.to_json()], set_to={}):
            _take(bench, steps, event, measured)
    for pattern in ("sawtooth", "leak"):
        bench.metric(LEFT, measured[LEFT, pattern, "malloc"], "B", pattern=pattern, allocator="malloc")
    for finding in (*_fails(measured, cap), *_floors(measured), *price_of_pages(measured)):
        bench.emit(finding)
    bench.finding("needs_gpu_for_snapshots")


def _take(bench: Bench, steps: Steps, event: Event, measured: dict[tuple[str, str, str], float]) -> None:
    if isinstance(event, Progress):
        steps.next(event.label)
        return
    if not (isinstance(event, Metric) and event.name == LEFT):
        bench.emit(event)  # what is left is said last: the first metrics are what a chart shows
    if isinstance(event, Metric):
        labels = event.labels
        measured[event.name, str(labels.get("pattern")), str(labels.get("allocator"))] = event.value


def _fails(measured: dict[tuple[str, str, str], float], cap: int) -> list[Finding]:
    of = {
        name: value for (name, pattern, by), value in measured.items() if (pattern, by) == (PATTERN, "malloc")
    }
    if of["served"]:
        return [Finding("nothing_to_cure", {"pattern": PATTERN})]
    found = [
        Finding(
            "malloc_fails_in_pieces",
            {
                "request_mib": int(of["request"]) // MIB,
                "allocated_gib": of["allocated"] / GIB,
                "share": 100 * of["allocated"] / cap,
                "cap_gib": cap // GIB,
                "free_gib": of["free_total"] / GIB,
                "largest_mib": of["largest_free_block"] / MIB,
            },
        )
    ]
    if measured.get(("served", PATTERN, "pool")):
        found.append(Finding("pages_serve_it", {"request_mib": int(of["request"]) // MIB}))
    return found


def _floors(measured: dict[tuple[str, str, str], float]) -> list[Finding]:
    healthy = measured[LEFT, "sawtooth", "malloc"]
    leaking = measured[LEFT, "leak", "malloc"]
    return [Finding("floor_climbs_by", {"healthy_mib": healthy / MIB, "leak_mib": leaking / MIB})]
