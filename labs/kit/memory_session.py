"""A run of `oom_fragmentation` on a GPU: children run the programs, their snapshots alone tell the story."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch

from engine.measure.analyse.memory import MemoryAnalysis, analyse_snapshot
from engine.measure.events import Artifact, Event, Metric, Progress
from labs.kit.event_child import events_of
from labs.kit.lab import Bench, LabFailed
from labs.kit.memory import free_bytes
from labs.kit.memory_child import SNAPSHOT
from labs.kit.memory_findings import cures, price_of_pages, told
from labs.kit.memory_order import Order
from labs.kit.memory_plans import GIB
from labs.kit.pictures import pictures
from labs.kit.steps import Steps

SETTINGS = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
"""The variables that an allocator reads at its start; which one counts depends on torch's version."""
EXPANDABLE = "expandable_segments:True"
ANALYSIS = "application/json"
_ROOM = 2 * GIB
"""Beside the cap: the GPU contexts of the lab and its child."""
_ORDERS: dict[str, tuple[str, ...]] = {
    "default": (
        "sawtooth",
        "leak",
        "small_survivors",
        "large_survivors",
        "small_survivors.pool",
        "large_survivors.pool",
    ),
    "expandable": ("small_survivors", "large_survivors"),
}


@dataclass(slots=True)
class Session:
    """What has been measured so far, by pattern and allocator."""

    bench: Bench
    steps: Steps
    cap: int
    metrics: dict[tuple[str, str, str], float] = field(default_factory=dict)
    later: list[Event] = field(default_factory=list)
    """Metrics of the snapshots: said last, the first ones are what a chart shows."""


def run_allocators(bench: Bench) -> None:
    """Runs every program and says what its snapshot shows. Raises LabFailed where the GPU has no room."""
    steps = Steps(bench, 2 + 2 * sum(map(len, _ORDERS.values())))
    steps.next("preparing")
    session = Session(bench, steps, _cap(bench))
    bench.metric("cap", session.cap, "B")
    bench.finding("cap_is_a_limit", cap=session.cap // GIB)
    for allocator in _ORDERS:
        for reported in _child(session, allocator):
            _take(session, reported)
    for event in (*session.later, *cures(session.metrics), *price_of_pages(session.metrics)):
        bench.emit(event)


def _cap(bench: Bench) -> int:
    """The cap that was asked for, halved until it fits beside what else is on the GPU."""
    wanted = int(bench.params["cap_gib"] or 0) * GIB
    free = free_bytes("cuda")
    cap = wanted
    while cap + _ROOM > free and cap > GIB:
        cap //= 2
    if cap + _ROOM > free:
        raise LabFailed(
            "out_of_memory",
            f"The GPU has {free / GIB:.1f} GiB free; the lab needs {(cap + _ROOM) / GIB:.0f} GiB. End what "
            "else uses it.",
        )
    if cap < wanted:
        bench.finding("smaller_cap", wanted=wanted // GIB, cap=cap // GIB, free=free / GIB)
    return cap


def _child(session: Session, allocator: str) -> Iterator[Event]:
    bench = session.bench
    order = Order(
        allocator=allocator,
        programs=_ORDERS[allocator],
        cap=session.cap,
        seed=int(bench.params["seed"] or 0),
        folder=str(bench.artifacts),
    )
    session.steps.next(f"starting_{allocator}")
    chosen = dict.fromkeys(SETTINGS, EXPANDABLE) if allocator == "expandable" else {}
    return events_of("labs.kit.memory_child", [order.to_json()], set_to=chosen, without=SETTINGS)


def _take(session: Session, event: Event) -> None:
    match event:
        case Progress(label=label):
            session.steps.next(label)
        case Metric(name=name, value=value, labels=labels):
            session.bench.emit(event)
            session.metrics[name, str(labels.get("pattern")), str(labels.get("allocator"))] = value
        case Artifact(media_type=kind) if kind == SNAPSHOT:
            session.bench.emit(event)
            session.steps.next("reading_snapshot")
            _read(session, event)
        case _:
            session.bench.emit(event)


def _read(session: Session, artifact: Artifact) -> None:
    """What the snapshot shows by itself, set beside what the program is known to do."""
    bench, path = session.bench, Path(artifact.path)
    pattern, _, allocator = artifact.name.partition(".")
    analysis = analyse_snapshot(path)
    _keep(bench, artifact.name, analysis)
    memory = next(one for one in analysis.devices if one.device == torch.cuda.current_device())
    if allocator != "pool":
        for series in pictures(memory, pattern, allocator, session.cap):
            bench.emit(series)
    served = session.metrics.get(("served", pattern, allocator))
    for said in told(memory, pattern, allocator, cap=session.cap, served=served):
        if isinstance(said, Metric):
            session.later.append(said)
        else:
            bench.emit(said)


def _keep(bench: Bench, name: str, analysis: MemoryAnalysis) -> None:
    path = bench.artifacts / f"{name}.analysis.json"
    path.write_text(json.dumps(analysis.to_json(), indent=1), encoding="utf-8")
    bench.artifact(f"{name}.analysis", path, ANALYSIS)
