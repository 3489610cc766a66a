"""A small caching allocator that keeps segments and blocks by PyTorch's rules and records as it does.

The rules (c10/cuda/CUDACachingAllocator.h): sizes round up to 512 B; up to 1 MiB a block comes out of a
2 MiB segment, below 10 MiB out of a 20 MiB one, above out of one of its own, rounded to 2 MiB; best fit; the
rest of a large block is split off where it is over 1 MiB; neighbours merge when freed; before giving up, the
segments without a block go back to the driver.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class OutOfMemory(Exception):
    """The cap is reached."""


@dataclass
class _Block:
    address: int
    size: int
    requested: int = 0
    used: bool = False
    frames: list[dict[str, Any]] | None = None


class Allocator:
    """Memory of one device under a cap of `cap` bytes. Addresses stand for blocks."""

    def __init__(self, cap: int = 1 << 40) -> None:
        self._cap = cap
        self._segments: dict[int, list[_Block]] = {}
        self._small: set[int] = set()
        self._owner: dict[int, int] = {}
        self._next = 0x7F00_0000_0000
        self._now = 1_780_000_000_000_000
        self._recording = False
        self.events: list[dict[str, Any]] = []

    def record(self) -> None:
        """From here on events are recorded."""
        self._recording = True

    def alloc(self, size: int, call: list[dict[str, Any]] | None = None) -> int:
        rounded = -(-size // 512) * 512
        small = rounded <= MIB
        start, block = self._find(rounded, small) or self._grow(rounded, small, size, call)
        segment = self._segments[start]
        rest = block.size - rounded
        if rest >= (512 if small else MIB + 1):
            segment.insert(segment.index(block) + 1, _Block(block.address + rounded, rest))
            block.size = rounded
        block.used, block.requested, block.frames = True, size, call
        self._owner[block.address] = start
        self._note("alloc", block.address, size, call)
        return block.address

    def free(self, address: int, call: list[dict[str, Any]] | None = None) -> None:
        blocks = self._segments[self._owner.pop(address)]
        at = next(n for n, b in enumerate(blocks) if b.address == address)
        block = blocks[at]
        self._note("free_requested", address, block.requested, call)
        self._note("free_completed", address, block.requested, call)
        block.used, block.frames = False, None
        for neighbour in (at + 1, at - 1):
            if 0 <= neighbour < len(blocks) and not blocks[neighbour].used:
                low, high = sorted((blocks.index(block), neighbour))
                blocks[low].size += blocks[high].size
                block = blocks[low]
                del blocks[high]

    def snapshot(self) -> dict[str, Any]:
        """What `torch.cuda.memory._snapshot()` returns."""
        return {
            "segments": [self._segment(start, blocks) for start, blocks in sorted(self._segments.items())],
            "device_traces": [self.events],
            "allocator_settings": {"expandable_segments": False, "max_split_size": -1},
            "external_annotations": [],
        }

    def _segment(self, start: int, blocks: list[_Block]) -> dict[str, Any]:
        size = sum(b.size for b in blocks)
        used = [b for b in blocks if b.used]
        return {
            "device": 0,
            "address": start,
            "total_size": size,
            "allocated_size": sum(b.size for b in used),
            "active_size": sum(b.size for b in used),
            "requested_size": sum(b.requested for b in used),
            "stream": 0,
            "segment_type": "small" if size <= 2 * MIB else "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                {
                    "address": b.address,
                    "size": b.size,
                    "requested_size": b.requested if b.used else b.size,
                    "state": "active_allocated" if b.used else "inactive",
                    "frames": b.frames or [],
                }
                for b in blocks
            ],
        }

    def _find(self, size: int, small: bool) -> tuple[int, _Block] | None:
        fitting = [
            (b.size, b.address, start, b)
            for start, blocks in self._segments.items()
            if (start in self._small) is small
            for b in blocks
            if not b.used and b.size >= size
        ]
        best = min(fitting, default=None, key=lambda found: found[:2])
        return None if best is None else best[2:]

    def _grow(
        self, size: int, small: bool, asked: int, call: list[dict[str, Any]] | None
    ) -> tuple[int, _Block]:
        length = 2 * MIB if small else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if self._reserved() + length > self._cap:
            for start, blocks in list(self._segments.items()):
                if len(blocks) == 1 and not blocks[0].used:
                    self._note("segment_free", start, blocks[0].size, call)
                    del self._segments[start]
        if self._reserved() + length > self._cap:
            self._now += 1
            if self._recording:
                self.events.append(
                    {
                        "action": "oom",
                        "size": asked,
                        "device_free": self._cap - self._reserved(),
                        "stream": 0,
                        "time_us": self._now,
                        "frames": call or [],
                    }
                )
            raise OutOfMemory
        block = _Block(self._next, length)
        self._segments[block.address] = [block]
        self._next += length + 2 * MIB
        self._note("segment_alloc", block.address, length, call)
        if small:
            self._small.add(block.address)
        return block.address, block

    def _reserved(self) -> int:
        return sum(b.size for blocks in self._segments.values() for b in blocks)

    def _note(self, action: str, address: int, size: int, call: list[dict[str, Any]] | None) -> None:
        self._now += 7
        if self._recording:
            self.events.append(
                {
                    "action": action,
                    "addr": address,
                    "size": size,
                    "stream": 0,
                    "time_us": self._now,
                    "frames": call or [],
                }
            )


def stack(file: str, line: int, function: str) -> list[dict[str, Any]]:
    """A stack as recorded with C++ calls: the unwinder and torch above the program's own call."""
    libraries = "/opt/venv/lib/python3.11/site-packages/torch"
    return [
        {"name": "torch::unwind::unwind()", "filename": "??", "line": 0},
        {"name": "at::_ops::empty::call", "filename": "??", "line": 0},
        {"name": "_call_impl", "filename": f"{libraries}/nn/modules/module.py", "line": 1790},
        {"name": function, "filename": f"/home/me/server/{file}", "line": line},
        {"name": "main", "filename": "/home/me/server/main.py", "line": 9},
        {"name": "_start", "filename": "??", "line": 0},
    ]


def rng(seed: int) -> random.Random:
    return random.Random(seed)
