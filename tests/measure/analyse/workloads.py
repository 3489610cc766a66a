"""Programs whose memory is healthy, leaks or falls to pieces, run on the simulated allocator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.measure.analyse.allocator import KIB, MIB, Allocator, OutOfMemory, rng, stack

WEIGHTS = stack("model.py", 12, "load")
KV = stack("cache.py", 39, "append")
ACTIVATION = stack("model.py", 80, "forward")
HISTORY = stack("trace.py", 27, "keep")
POOL = stack("pool.py", 5, "page")


def _loaded(cap: int = 1 << 40) -> Allocator:
    memory = Allocator(cap)
    for size in (64 * MIB, 33 * MIB, 8 * MIB, 4096):
        memory.alloc(size, WEIGHTS)
    return memory


def server(seed: int, *, leak: float = 0.0, requests: int = 40, cap: int = 1 << 40) -> dict[str, Any]:
    """One request after another: a cache that grows by 128 KiB a token, released at the end.

    `leak`: the share of the requests that leave a copy of their result behind.
    """
    random = rng(seed)
    memory = _loaded(cap)
    memory.record()
    size = random.choice([96 * KIB, 700 * KIB, 3 * MIB])
    try:
        for _ in range(requests):
            cache = []
            for _ in range(random.randint(10, 40)):
                cache.append(memory.alloc(128 * KIB, KV))
                memory.free(memory.alloc(random.randint(1, 4) * MIB, ACTIVATION))
            if random.random() < leak:
                memory.alloc(size + random.randint(0, 4096), HISTORY)
            for block in cache:
                memory.free(block)
    except OutOfMemory:
        pass
    return memory.snapshot()


def batching(seed: int, *, leak: float = 0.0) -> dict[str, Any]:
    """Requests that overlap: the floor is noisy. `leak`: share of requests whose last page is never freed."""
    random = rng(seed)
    memory = _loaded()
    memory.record()
    running: list[list[int]] = []
    for _ in range(500):
        if len(running) < 8 and random.random() < 0.3:
            running.append([])
        for pages in running:
            pages.append(memory.alloc(256 * KIB, KV))
        workspace = [memory.alloc(random.randint(1, 6) * MIB, ACTIVATION) for _ in range(3)]
        for block in workspace:
            memory.free(block)
        done = [pages for pages in running if random.random() < 0.05]
        running = [pages for pages in running if pages not in done]
        for pages in done:
            kept = 1 if random.random() < leak else 0
            for block in pages[kept:]:
                memory.free(block)
    return memory.snapshot()


def rising(seed: int) -> dict[str, Any]:
    """More and more requests at once, each released in full: the floor climbs and nothing leaks."""
    random = rng(seed)
    memory = _loaded()
    memory.record()
    running: list[list[int]] = []
    for step in range(400):
        while len(running) < 2 + step // 30:
            running.append([])
        for pages in running:
            pages.append(memory.alloc(256 * KIB, KV))
            memory.free(memory.alloc(random.randint(1, 4) * MIB, ACTIVATION))
        for pages in [pages for pages in running if random.random() < 0.08]:
            running.remove(pages)
            for block in pages:
                memory.free(block)
    return memory.snapshot()


def cached(seed: int) -> dict[str, Any]:
    """Results kept in a cache of bounded size, one thrown out at random: old blocks, and nothing leaks."""
    random = rng(seed)
    memory = _loaded()
    memory.record()
    kept: list[int] = []
    for _ in range(150):
        blocks = [memory.alloc(random.randint(1, 4) * MIB, ACTIVATION) for _ in range(4)]
        kept.append(memory.alloc(2 * MIB, HISTORY))
        if len(kept) > 20:
            memory.free(kept.pop(random.randrange(len(kept))))
        for block in blocks:
            memory.free(block)
    return memory.snapshot()


def too_large(seed: int) -> dict[str, Any]:
    """A request that no device of that size could serve: little is free."""
    random = rng(seed)
    memory = _loaded(cap=400 * MIB)
    memory.record()
    try:
        for _ in range(12):
            memory.free(memory.alloc(random.randint(10, 60) * MIB, ACTIVATION))
        while True:
            memory.alloc(90 * MIB, KV)
    except OutOfMemory:
        pass
    return memory.snapshot()


def training(seed: int, *, leak: float = 0.0) -> dict[str, Any]:
    """Steps of forward and backward; the optimizer's state comes in the first step and stays."""
    random = rng(seed)
    memory = _loaded()
    memory.record()
    layers = random.randint(6, 16)
    for step in range(random.randint(12, 30)):
        saved = [memory.alloc(random.randint(2, 9) * MIB, ACTIVATION) for _ in range(layers)]
        if step == 0:
            for _ in range(layers):
                memory.alloc(5 * MIB, WEIGHTS)
        if random.random() < leak:
            memory.alloc(random.randint(1, 3) * MIB, HISTORY)
        for block in reversed(saved):
            memory.free(block)
    return memory.snapshot()


def fragmented(seed: int, *, fails: bool = True) -> dict[str, Any]:
    """Pairs out of shared 20 MiB segments, one of each freed, until a large request fails."""
    random = rng(seed)
    cap = random.randint(6, 14) * 128 * MIB
    memory = Allocator(cap)
    memory.record()
    freed, kept = random.choice([(7 * MIB, 3 * MIB), (6 * MIB, 2 * MIB), (5 * MIB + 512 * KIB, 3 * MIB)])
    temporary: list[int] = []
    try:
        while fails or len(temporary) < 40:
            temporary.append(memory.alloc(freed, ACTIVATION))
            memory.alloc(kept + random.randint(0, 64) * KIB, POOL)
    except OutOfMemory:
        pass
    for block in temporary:
        memory.free(block)
    request = 32 * MIB
    try:
        while fails:
            memory.free(memory.alloc(request, KV))
            request = request * random.randint(11, 14) // 10
    except OutOfMemory:
        pass
    return memory.snapshot()


WORKLOADS: tuple[tuple[str, str, Callable[[int], dict[str, Any]]], ...] = (
    ("server", "sawtooth", server),
    ("batching", "sawtooth", batching),
    ("training", "sawtooth", training),
    ("rising load", "sawtooth", rising),
    ("bounded cache", "sawtooth", cached),
    ("server leaks", "leak", partial(server, leak=1.0)),
    ("server leaks at times", "leak", partial(server, leak=0.35)),
    ("batching leaks", "leak", partial(batching, leak=0.6)),
    ("training leaks", "leak", partial(training, leak=1.0)),
    ("leaks until memory is out", "leak", partial(server, leak=1.0, requests=150, cap=170 * MIB)),
    ("large request fails", "fragmentation", fragmented),
    ("in pieces", "fragmentation", partial(fragmented, fails=False)),
    ("too large", "out_of_memory", too_large),
)
"""What the program does, what must be said of it first, and the program by its seed."""
