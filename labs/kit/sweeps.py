"""Reading, writing and copying a working set over and over: what each cache gives, and what memory gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch

from labs.kit.ceilings import noise
from labs.kit.lab import DeviceType
from labs.kit.memory import free_bytes
from labs.kit.timing import Call, time_calls
from labs.kit.triton_here import why_no_triton

if TYPE_CHECKING:
    from collections.abc import Sequence

Access = Literal["read", "write", "copy"]
ACCESSES: tuple[Access, ...] = ("read", "write", "copy")

MIB = 2**20
_SIZES = {"cuda": range(12), "cpu": range(-2, 9)}
"""Working sets as powers of two, in MiB: from within the cache to many times its size."""
_LAUNCH_BYTES = 2**28
"""A launch on a GPU moves at least this much, so that starting it doesn't count."""
_BLOCK_BYTES = 2048 * 4


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Measures on one device. `in_triton`: one launch passes over the working set several times."""

    device: DeviceType
    in_triton: bool

    @classmethod
    def on(cls, device: DeviceType) -> Sweeper:
        return cls(device, device == "cuda" and why_no_triton() is None)

    def sizes(self) -> Sequence[int]:
        """Working sets in bytes, as far as a quarter of the free memory reaches."""
        room = free_bytes(self.device) // 4
        return [size for power in _SIZES[self.device] if (size := int(2.0**power * MIB)) <= room]

    def measure(self, access: Access, working_set: int, budget_s: float) -> float:
        """B/s: bytes read plus bytes written. A copy's working set is source and target together."""
        each = working_set // 2 if access == "copy" else working_set
        each -= each % _BLOCK_BYTES
        source = noise(self.device, each)
        target = torch.zeros_like(source) if access == "copy" else source
        moved = 2 * each if access == "copy" else each
        if not self.in_triton:
            call = _operation(access, source, target)
            return moved / (time_calls([call], device=self.device, budget_s=budget_s).median_ms / 1e3)
        from labs.kit.sweep_triton import programs, sweep

        passes = max(1, _LAUNCH_BYTES // moved)
        sums = torch.zeros(programs(), device=self.device)
        call = lambda: sweep(source, target, sums, access, passes)  # noqa: E731  # as the others are made
        timing = time_calls([call], device=self.device, budget_s=budget_s)
        return passes * moved / (timing.median_ms / 1e3)


def _operation(access: Access, source: torch.Tensor, target: torch.Tensor) -> Call:
    if access == "read":
        return lambda: source.sum()
    if access == "write":
        return lambda: target.fill_(1.5)
    return lambda: target.copy_(source)
