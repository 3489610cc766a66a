"""Times kernels at block sizes and occupancies: what a multiprocessor's resident warps buy, and what not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch

from labs.kit import occupancy_kernels
from labs.kit.lab import LabFailed
from labs.kit.memory import free_bytes
from labs.kit.occupancy_kernels import Geometry, Kernel
from labs.kit.timing import Timing, time_calls

COLUMNS = 4096
"""Of the weight: Llama 3 8B's hidden size."""
_LARGEST_ROWS = 131072
"""As many rows as an LM head has; a power of two, so that the last round of warps is nearly full."""
LARGEST_BLOCK = 1024
_LONE = (64, 128, 256, 512, 1024)
"""Blocks of which a multiprocessor holds one: the block size alone sets its occupancy."""
_FILLING = (64, 128, 256, 512, 1024)
"""Blocks of which it holds as many as fit: the block size a colleague would tune."""
_CHASED_BYTES = 2**28
_LOADS_A_WARP = 128
"""Of the chase at full occupancy."""
_BUDGET_S = 0.05
_TOLERANCE = 2e-3
"""Relative error of the GEMV against float64: sums of 4096 products of bf16 in float32, in another order."""

SweptName = Literal["gemv", "gemv_one_load", "chase"]


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel at one geometry. `resident` is the share of a multiprocessor's threads, from 0 to 1."""

    kernel: SweptName
    geometry: Geometry
    resident: float
    fills: bool
    """Whether the blocks fill the multiprocessor, as in production; else there is one block on each."""
    timing: Timing
    bytes: int

    @property
    def bandwidth(self) -> float:
        """B/s."""
        return self.bytes / (self.timing.median_ms / 1e3)


def geometries(threads: int) -> list[tuple[Geometry, bool]]:
    """What is tried of a kernel of which a multiprocessor holds so many threads, and whether it fills it."""
    lone = [(Geometry(block, 1), block >= threads) for block in _LONE if block <= threads]
    filling = [(Geometry(block, threads // block), True) for block in _FILLING if block < threads]
    return [*lone, *filling]


def sweep(progress: Callable[[str], None], seen: Callable[[Point], None]) -> list[Point]:
    """Times every kernel at every geometry; `seen` is told each point at once. Raises LabFailed where the
    GEMV computes something else than float64 does."""
    threads = occupancy_kernels.threads_held()
    found = []
    for name, make in _MAKERS.items():
        progress(f"sweeping_{name}")
        kernel = make()
        for geometry, fills in geometries(kernel.threads):
            timing = time_calls([partial(kernel.run, geometry)], device="cuda", budget_s=_BUDGET_S)
            point = Point(name, geometry, geometry.threads / threads, fills, timing, kernel.bytes)
            seen(point)
            found.append(point)
        del kernel
        torch.cuda.empty_cache()
    return found


def latency_s() -> float:
    """Seconds that one load from memory takes when nothing else is asked of it."""
    kernel = _chase()
    alone = Geometry(occupancy_kernels.WARP, 1)
    timing = time_calls([partial(kernel.run, alone)], device="cuda", budget_s=_BUDGET_S)
    loads = kernel.bytes // occupancy_kernels.SECTOR_BYTES
    return timing.median_ms / 1e3 * occupancy_kernels.multiprocessors() / loads


def _gemv(loads: int) -> Kernel:
    rows = _LARGEST_ROWS
    while 2 * rows * COLUMNS > free_bytes("cuda") // 4:
        rows //= 2
    generator = torch.Generator(device="cuda").manual_seed(1)
    weights = torch.empty(rows, COLUMNS, device="cuda", dtype=torch.bfloat16)
    weights.normal_(0.0, 0.02, generator=generator)
    x = torch.randn(COLUMNS, device="cuda", dtype=torch.bfloat16, generator=generator)
    kernel, product = occupancy_kernels.gemv(weights, x, loads)
    kernel.run(Geometry(256, 4))
    some = slice(0, rows, max(1, rows // 1024))
    wanted = weights[some].double() @ x.double()
    error = float((product[some].double() - wanted).abs().max() / wanted.abs().max())
    if not error <= _TOLERANCE:
        raise LabFailed("unsupported", f"The GEMV of the sweep is off float64 by {error:.2g} here.")
    return kernel


def _chase() -> Kernel:
    count = _CHASED_BYTES // 4
    order = torch.randperm(count, device="cuda", generator=torch.Generator(device="cuda").manual_seed(1))
    warps = occupancy_kernels.multiprocessors() * occupancy_kernels.threads_held() // occupancy_kernels.WARP
    kernel, _ = occupancy_kernels.chase(order.to(torch.int32), warps * _LOADS_A_WARP)
    return kernel


_MAKERS: Mapping[SweptName, Callable[[], Kernel]] = {
    "gemv": partial(_gemv, occupancy_kernels.LOADS),
    "gemv_one_load": partial(_gemv, 1),
    "chase": _chase,
}
