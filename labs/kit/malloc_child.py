"""The process in which `oom_fragmentation` runs on a CPU: glibc's malloc under a cap on its address space.

`python -m labs.kit.malloc_child ORDER`, as `labs.kit.memory_child`. It loads no torch: it stays small.
"""

from __future__ import annotations

import ctypes
import sys

from engine.measure.events import Metric, Progress, Scalar
from labs.kit import memory_plans as plans
from labs.kit.glibc_heap import Heap, NoRoom
from labs.kit.memory_account import Account, pool_map
from labs.kit.memory_order import Order, end_with_parent
from labs.kit.memory_plans import KV_PER_TOKEN, SLACK, Give, Take
from labs.kit.page_pool import PAGE, PagePool
from labs.kit.streams import EventStream, standard_output_apart

TOKENS = 2000
_REQUEST_KEY = -1
_POOL_KEY = -2


def main() -> None:
    """Runs the order; a traceback on standard error and exit code 1 where it can't."""
    order = Order.from_json(sys.argv[1])
    end_with_parent()
    with standard_output_apart() as output:
        Child(order, EventStream(output)).run()


class Child:
    """Runs the programs of an order one after the other on one heap, which is empty at each one's start."""

    def __init__(self, order: Order, stream: EventStream) -> None:
        self._order = order
        self._stream = stream
        self._heap = Heap(cap=order.cap)

    def run(self) -> None:
        for number, program in enumerate(self._order.programs):
            pattern, _, pool = program.partition(".")
            self._stream.emit(
                Progress(done=number, total=len(self._order.programs), label=f"running_{pattern}")
            )
            if pool:
                self._on_pages(pattern)
            elif pattern in ("sawtooth", "leak"):
                self._serve(pattern)
            else:
                self._on_malloc(pattern)
            self._heap.give_all()

    def _serve(self, pattern: str) -> None:
        if pattern == "sawtooth":
            before = self._heap.state().allocated
            self._heap.run(Take(-key, "kv", KV_PER_TOKEN) for key in range(1, TOKENS + 1))
            grown = self._heap.state().allocated - before
            self._heap.run(Give(-key) for key in range(1, TOKENS + 1))
            self._metric("kv_per_request", grown, "B", pattern=pattern, tokens=TOKENS)
            self._metric("kv_per_token", grown / TOKENS, "B", pattern=pattern)
        account = Account(self._heap)
        account.run(plans.lab_server(self._order.seed, leaks=pattern == "leak"))
        self._stream.emit(account.timeline(pattern, "malloc"))
        self._metric("left_at_the_end", self._heap.state().allocated, "B", pattern=pattern)

    def _on_malloc(self, pattern: str) -> None:
        request = plans.request_bytes(self._order.cap)
        account = Account(self._heap)
        account.run(plans.small_survivors(self._order.seed, cap=self._order.cap))
        state = self._heap.state()
        largest = self._heap.largest(below=request)
        self._held(
            pattern,
            "malloc",
            largest_free_block=largest,
            free_total=state.free,
            allocated=state.allocated,
            reserved=state.reserved,
            request=request,
        )
        try:
            account.run([Take(_REQUEST_KEY, "request", request)])
            served = 1
        except NoRoom:
            served = 0
        self._metric("served", served, "", pattern=pattern)
        self._stream.emit(account.timeline(pattern, "malloc"))

    def _on_pages(self, pattern: str) -> None:
        """The pool is one piece of malloc's; a byte at both ends of each page is written and read back."""
        order = self._order
        request = plans.request_bytes(order.cap)
        pool = PagePool((order.cap - SLACK) // PAGE, None)
        self._heap.run([Take(_POOL_KEY, "weights", pool.pages * PAGE)])
        account = Account(pool)
        account.run(plans.small_survivors(order.seed, cap=order.cap))
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
        account.run([Take(_REQUEST_KEY, "request", request)])
        served = _writable(self._heap.address(_POOL_KEY), pool.pages_of(_REQUEST_KEY))
        self._metric("served", int(served), "", pattern=pattern, allocator="pool")
        self._stream.emit(account.timeline(pattern, "pool", reserved=pool.pages * PAGE))
        self._stream.emit(pool_map(pool, pattern, cap=order.cap))

    def _held(self, pattern: str, allocator: str, **amounts: int) -> None:
        for name, amount in amounts.items():
            self._metric(name, amount, "B", pattern=pattern, allocator=allocator)
        share = 100 * amounts["allocated"] / self._order.cap
        self._metric("allocated_share", share, "%", pattern=pattern, allocator=allocator)

    def _metric(self, name: str, value: float, unit: str, **labels: Scalar) -> None:
        labels.setdefault("allocator", "malloc")
        self._stream.emit(Metric(name=name, value=value, unit=unit, labels=labels))


def _writable(start: int, pages: list[int]) -> bool:
    ends = [start + page * PAGE + at for page in pages for at in (0, PAGE - 1)]
    for place, address in enumerate(ends):
        ctypes.c_ubyte.from_address(address).value = place % 251
    return all(ctypes.c_ubyte.from_address(address).value == n % 251 for n, address in enumerate(ends))


if __name__ == "__main__":
    main()
