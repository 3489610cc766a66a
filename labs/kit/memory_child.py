"""The process in which programs of `oom_fragmentation` run on a GPU: an allocator is set once, at its start.

`python -m labs.kit.memory_child ORDER`, with ORDER as JSON. It writes a lab's events to standard output: a
progress for each program, its metrics, and an artifact for each snapshot. It ends when its standard input
does, so that it never outlives the lab.
"""

from __future__ import annotations

import gc
import gzip
import pickle
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import torch

from engine.measure.events import Artifact, Finding, Metric, Progress, Scalar
from labs.kit import memory_plans as plans
from labs.kit.memory_account import Account, pool_map
from labs.kit.memory_order import Order, end_with_parent
from labs.kit.memory_plans import KV_PER_TOKEN, SLACK, Give, Step, Take
from labs.kit.memory_tensors import Tensors
from labs.kit.page_pool import PAGE, PagePool
from labs.kit.streams import EventStream, standard_output_apart

SNAPSHOT = "application/x-pytorch-snapshot"
TOKENS = 2000
"""Of the request whose memory is measured: the card's."""
_REQUEST_KEY = -1
_EVENTS = 400_000


def main() -> None:
    """Runs the order; a traceback on standard error and exit code 1 where it can't."""
    order = Order.from_json(sys.argv[1])
    end_with_parent()
    with standard_output_apart() as output:
        Child(order, EventStream(output)).run()


class Child:
    """Runs the programs of an order one after the other, each with the device's cache empty at its start."""

    def __init__(self, order: Order, stream: EventStream) -> None:
        self._order = order
        self._stream = stream
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, order.cap / total))

    def run(self) -> None:
        if self._order.allocator == "expandable" and not _is_expandable():
            self._stream.emit(Finding("expandable_unsupported"))
            return
        for number, program in enumerate(self._order.programs):
            pattern, _, pool = program.partition(".")
            label = f"running_{pattern}"
            self._stream.emit(Progress(done=number, total=len(self._order.programs), label=label))
            if pool:
                self._on_pages(pattern)
            elif pattern in ("sawtooth", "leak"):
                self._serve(pattern)
            else:
                self._on_tensors(pattern)

    def _serve(self, pattern: str) -> None:
        """A server's requests; after healthy ones another of the card's length, whose growth is measured."""
        tensors = Tensors()
        _start_recording()
        tensors.run(plans.lab_server(self._order.seed, leaks=pattern == "leak"))
        if pattern == "sawtooth":
            before = torch.cuda.memory_allocated()
            tensors.run(Take(-key, "kv", KV_PER_TOKEN) for key in range(1, TOKENS + 1))
            grown = torch.cuda.memory_allocated() - before
            tensors.run(Give(-key) for key in range(1, TOKENS + 1))
            self._metric("kv_per_request", grown, "B", pattern=pattern, tokens=TOKENS)
            self._metric("kv_per_token", grown / TOKENS, "B", pattern=pattern)
        self._save(pattern)
        _clean(tensors)

    def _on_tensors(self, pattern: str) -> None:
        """The plan, then the large request; the snapshot is taken where that has failed or been served."""
        order, tensors = self._order, Tensors()
        request = plans.request_bytes(order.cap)
        _start_recording()
        tensors.run(_plan(pattern, order))
        self._state(pattern, request)
        try:
            tensors.run([Take(_REQUEST_KEY, "request", request)])
            served = True
        except torch.OutOfMemoryError:
            served = False
        self._metric("served", int(served), "", pattern=pattern)
        self._save(pattern)
        _clean(tensors)

    def _state(self, pattern: str, request: int) -> None:
        """What the allocator holds when the large request comes."""
        segments = cast("list[dict[str, Any]]", torch.cuda.memory_snapshot())
        free = [b["size"] for s in segments for b in s["blocks"] if not b["state"].startswith("active")]
        self._held(
            pattern,
            self._order.allocator,
            largest_free_block=max(free, default=0),
            free_total=sum(free),
            allocated=torch.cuda.memory_allocated(),
            reserved=torch.cuda.memory_reserved(),
            request=request,
        )
        self._metric("segments", len(segments), "", pattern=pattern)

    def _held(self, pattern: str, allocator: str, **amounts: int) -> None:
        for name, amount in amounts.items():
            self._metric(name, amount, "B", pattern=pattern, allocator=allocator)
        share = 100 * amounts["allocated"] / self._order.cap
        self._metric("allocated_share", share, "%", pattern=pattern, allocator=allocator)

    def _on_pages(self, pattern: str) -> None:
        """The same plan and request on pages of one size, out of one tensor that is never given back."""
        order = self._order
        request = plans.request_bytes(order.cap)
        _start_recording()
        pool = PagePool((order.cap - SLACK) // PAGE, "cuda")
        account = Account(pool)
        account.run(_plan(pattern, order))
        self._held(
            pattern,
            "pool",
            largest_free_block=pool.longest_free_run(),
            free_total=pool.free_bytes,
            allocated=pool.taken_bytes,
            reserved=pool.pages * PAGE,
            request=request,
        )
        self._metric("page_waste", pool.wasted_bytes, "B", pattern=pattern, allocator="pool")
        segments = torch.cuda.memory_snapshot()
        self._metric("segments", len(segments), "", pattern=pattern, allocator="pool")
        account.run([Take(_REQUEST_KEY, "request", request)])
        served = pool.holds_data(_REQUEST_KEY)
        self._metric("served", int(served), "", pattern=pattern, allocator="pool")
        self._stream.emit(account.timeline(pattern, "pool", reserved=pool.pages * PAGE))
        self._stream.emit(pool_map(pool, pattern, cap=order.cap))
        self._save(pattern, allocator="pool")
        del pool, account
        _clean(None)

    def _metric(self, name: str, value: float, unit: str, **labels: Scalar) -> None:
        labels.setdefault("allocator", self._order.allocator)
        self._stream.emit(Metric(name=name, value=value, unit=unit, labels=labels))

    def _save(self, pattern: str, *, allocator: str | None = None) -> None:
        name = f"{pattern}.{allocator or self._order.allocator}"
        path = Path(self._order.folder) / f"{name}.pickle.gz"
        with gzip.open(path, "wb", compresslevel=4) as file:
            pickle.dump(torch.cuda.memory._snapshot(), file)
        self._stream.emit(Artifact(name=name, path=str(path), media_type=SNAPSHOT))


def _plan(pattern: str, order: Order) -> Iterable[Step]:
    plan = plans.small_survivors if pattern == "small_survivors" else plans.large_survivors
    return plan(order.seed, cap=order.cap)


def _is_expandable() -> bool:
    """Whether the setting was taken: some systems do without it and only warn."""
    held = torch.empty(2 * SLACK, dtype=torch.uint8, device="cuda")
    segments = torch.cuda.memory_snapshot()
    del held
    torch.cuda.empty_cache()
    return any(segment.get("is_expandable") for segment in segments)


def _start_recording() -> None:
    torch.cuda.memory._record_memory_history("all", context="all", stacks="python", max_entries=_EVENTS)


def _clean(tensors: Tensors | None) -> None:
    """Nothing of one program is there when the next begins."""
    torch.cuda.memory._record_memory_history(None)
    if tensors is not None:
        tensors.give_all()
    gc.collect()
    torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
