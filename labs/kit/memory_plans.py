"""What the programs of the lab `oom_fragmentation` take and give back, step by step, without torch.

The same plan runs on tensors under either allocator and on a pool of pages: only the allocator differs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

SLACK = 8 * MIB
"""What the plans leave of the cap."""
KV_PER_TOKEN = 128 * KIB
"""Llama 3 8B: 2 (K and V) × 32 layers × 8 heads × 128 × 2 bytes."""
SHARED_SEGMENT = 20 * MIB
"""Blocks over 1 and under 10 MiB are carved out of segments of this size; it is also the size of the pages
that expandable segments map (c10/cuda/CUDACachingAllocator.h, kLargeBuffer)."""

Purpose = Literal[
    "weights", "kv", "prefill", "result", "temporary", "session", "long_prompt", "chat", "request"
]


@dataclass(frozen=True, slots=True)
class Take:
    """Take `size` bytes in one piece, known as `key` from then on."""

    key: int
    purpose: Purpose
    size: int


@dataclass(frozen=True, slots=True)
class Give:
    """Give the piece back."""

    key: int


Step = Take | Give


def server(
    seed: int,
    *,
    requests: int,
    tokens: tuple[int, int],
    block: int = KV_PER_TOKEN,
    kept: float = 0.0,
    at_once: int = 1,
    weights: int = 512 * MIB,
) -> Iterator[Step]:
    """Requests whose KV cache grows by `KV_PER_TOKEN` a token, in pieces of `block` bytes, and is released.

    `tokens`: least and most of a request. `at_once`: requests that overlap. `kept`: the share of the requests
    whose result is never given back: the leak.
    """
    draw = random.Random(seed)  # noqa: S311  # sizes, no secrets
    size = draw.choice((512 * KIB, MIB + 256 * KIB, 3 * MIB))
    key = 0
    yield Take(key, "weights", weights)
    running: list[tuple[list[int], int]] = []
    started = 0
    while started < requests or running:
        if started < requests and len(running) < at_once:
            started += 1
            length = draw.randint(*tokens)
            key += 1
            yield Take(key, "prefill", length * 16 * KIB)
            yield Give(key)
            running.append(([], -(-length * KV_PER_TOKEN // block)))
        for cache, wanted in list(running):
            steps = 1 if at_once > 1 else wanted
            for _ in range(steps):
                key += 1
                cache.append(key)
                yield Take(key, "kv", block)
            if len(cache) >= wanted:
                running.remove((cache, wanted))
                if draw.random() < kept:
                    key += 1
                    yield Take(key, "result", size)
                for piece in cache:
                    yield Give(piece)


def lab_server(seed: int, *, leaks: bool) -> Iterator[Step]:
    """The server of the lab: requests short enough for a run of a minute."""
    return server(seed, requests=24, tokens=(60, 400), kept=1.0 if leaks else 0.0)


def small_survivors(seed: int, *, cap: int) -> Iterator[Step]:
    """Beside each request's temporary memory a small state of its session lives on: one in every page.

    The sizes are 7 and 3 MiB with the seed 0, other ones with other seeds.
    """
    draw = random.Random(seed)  # noqa: S311  # sizes, no secrets
    state = draw.choice((2, 3, 4)) * MIB if seed else 3 * MIB
    pairs = 2 * ((cap - SLACK) // SHARED_SEGMENT)
    order = list(range(pairs))
    for number in order:
        yield Take(2 * number, "temporary", SHARED_SEGMENT // 2 - state - draw.randrange(64) * KIB)
        yield Take(2 * number + 1, "session", state - draw.randrange(64) * KIB)
    draw.shuffle(order)
    for number in order:
        yield Give(2 * number)


def large_survivors(seed: int, *, cap: int) -> Iterator[Step]:
    """Long prompts give way to chats; of each four chats one stays, larger than a page."""
    draw = random.Random(seed)  # noqa: S311  # sizes, no secrets
    prompt = long_prompt(cap)
    count = (cap - SLACK) // prompt
    for number in range(count):
        yield Take(number, "long_prompt", prompt)
    for number in range(count):
        yield Give(number)
    chats = range(count, count + 4 * count)
    for number in chats:
        yield Take(number, "chat", prompt // 4 - draw.randrange(64) * KIB)
    stay = {count + 4 * place + draw.randrange(4) for place in range(count)}
    leaving = [number for number in chats if number not in stay]
    draw.shuffle(leaving)
    for number in leaving:
        yield Give(number)


def long_prompt(cap: int) -> int:
    """Bytes of a long prompt's cache: a 32nd of the cap."""
    return cap // 32


def request_bytes(cap: int) -> int:
    """The large request that comes last: a sixteenth of the cap."""
    return cap // 16
