"""Two kernels whose occupancy is set from outside, compiled here by torch through NVRTC.

Each runs on a grid of so many blocks per multiprocessor, so that the grid alone says how many warps are
resident.

- `gemv`: bf16 weights times a vector, a row a warp, four loads of 16 bytes in flight in each thread, or one.
- `chase`: each warp follows a random permutation; the next address is the value just loaded, so that a warp
  has one load in flight and only other warps can hide the latency of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch

Name = Literal["gemv", "chase"]
LOADS = 4
"""Loads in flight in a thread of the GEMV. They take registers: some 55 a thread, so that half of the warps
that would fit stay out."""
THREADS_OF_LOADS = 1024
"""Threads of the GEMV that a multiprocessor holds for certain with its loads in flight: what the kernel's
launch bounds promise."""
VECTOR = 8
"""bf16 numbers in a load of 16 bytes."""
WARP = 32
SECTOR_BYTES = 32
"""What a load of 4 bytes at a random address moves at least: one sector of the L2."""

_SOURCE = """
__device__ float dot(unsigned w, unsigned x) {
    // two bf16 in one word: a bf16 is the upper half of a float
    return __uint_as_float(w << 16) * __uint_as_float(x << 16)
         + __uint_as_float(w & 0xffff0000u) * __uint_as_float(x & 0xffff0000u);
}

// a second argument of 1 lets the compiler spend registers on loads in flight; by itself it saves them
extern "C" __global__ void __launch_bounds__(1024, BLOCKS)
gemv(const uint4* __restrict__ weights, const uint4* __restrict__ x, float* __restrict__ y,
     int rows, int vectors) {
    const int lane = threadIdx.x & 31;
    const int warps = (gridDim.x * blockDim.x) >> 5;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row < rows; row += warps) {
        const uint4* w = weights + (long long)row * vectors;
        float sum = 0.0f;
        #pragma unroll 1
        for (int at = lane; at < vectors; at += 32 * LOADS) {
            uint4 got[LOADS];
            #pragma unroll
            for (int k = 0; k < LOADS; ++k) got[k] = __ldcs(w + at + 32 * k);
            #pragma unroll
            for (int k = 0; k < LOADS; ++k) {
                const uint4 v = x[at + 32 * k];
                sum += dot(got[k].x, v.x) + dot(got[k].y, v.y) + dot(got[k].z, v.z) + dot(got[k].w, v.w);
            }
        }
        #pragma unroll
        for (int away = 16; away; away >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, away);
        if (lane == 0) y[row] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
chase(const int* __restrict__ next, int* __restrict__ last, int mask, int hops) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int at = (warp * 2654435761u) & mask;  // Knuth's multiplicative hash: starts far apart
    #pragma unroll 1
    for (int hop = 0; hop < hops; ++hop) at = next[at];
    if ((threadIdx.x & 31) == 0) last[warp] = at;
}
"""


@dataclass(frozen=True, slots=True)
class Geometry:
    """How many threads a multiprocessor holds: `block` threads in a block, `blocks` of them."""

    block: int
    blocks: int

    @property
    def threads(self) -> int:
        return self.block * self.blocks


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled kernel with its data. `run` launches it once; `bytes` is what one launch reads, `threads`
    the most of its threads that a multiprocessor holds."""

    name: Name
    bytes: int
    threads: int
    run: Callable[[Geometry], None]


def source(loads: int) -> str:
    """The CUDA source, for so many loads in flight in a thread of the GEMV."""
    blocks = 1 if loads > 1 else 2
    return _SOURCE.replace("LOADS", str(loads)).replace("BLOCKS", str(blocks))


class CannotCompile(Exception):
    """torch has no compiler for CUDA sources here; the message says what it lacks."""


def compile_kernel(name: Name, loads: int = LOADS) -> Any:
    """The kernel, compiled for the GPU here. Raises CannotCompile."""
    compiler = getattr(torch.cuda, "_compile_kernel", None)
    if compiler is None:
        raise CannotCompile(f"torch {torch.__version__} has none; torch 2.11 and newer do.")
    try:
        return compiler(source(loads), name)
    except (OSError, RuntimeError) as error:  # NVRTC isn't installed, or is too old for this GPU
        raise CannotCompile(str(error).splitlines()[0][:300] if str(error) else "NVRTC failed.") from error


def multiprocessors() -> int:
    """How many the GPU has."""
    return int(torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count)


def threads_held() -> int:
    """The threads that a multiprocessor of the GPU holds at most."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return int(properties.max_threads_per_multi_processor)


def gemv(weights: torch.Tensor, x: torch.Tensor, loads: int = LOADS) -> tuple[Kernel, torch.Tensor]:
    """`weights` (rows × columns, bf16) times `x` (columns, bf16); the product (rows, fp32) is rewritten by
    each launch. Columns must be a multiple of 256 × loads."""
    rows, columns = weights.shape
    if columns % (WARP * loads * VECTOR):
        raise ValueError(f"{columns} columns are no multiple of {WARP * loads * VECTOR}")
    y = torch.empty(rows, device=weights.device, dtype=torch.float32)
    function, count = compile_kernel("gemv", loads), multiprocessors()

    def run(geometry: Geometry) -> None:
        grid = (count * geometry.blocks, 1, 1)
        function(grid=grid, block=(geometry.block, 1, 1), args=[weights, x, y, rows, columns // VECTOR])

    held = threads_held() if loads == 1 else min(threads_held(), THREADS_OF_LOADS)
    return Kernel("gemv", weights.nbytes + x.nbytes + y.nbytes, held, run), y


def chase(order: torch.Tensor, loads: int) -> tuple[Kernel, torch.Tensor]:
    """Follows `order` (a permutation of 2ⁿ indices, int32) by `loads` loads of a warp in all, whatever the
    geometry; where each warp ended (int32) is rewritten by each launch."""
    mask, count = order.numel() - 1, multiprocessors()
    if order.numel() & mask:
        raise ValueError(f"{order.numel()} is no power of two")
    last = torch.zeros(count * threads_held() // WARP, device=order.device, dtype=torch.int32)
    function = compile_kernel("chase")

    def run(geometry: Geometry) -> None:
        hops = loads * WARP // (count * geometry.threads)
        grid = (count * geometry.blocks, 1, 1)
        function(grid=grid, block=(geometry.block, 1, 1), args=[order, last, mask, hops])

    return Kernel("chase", loads * SECTOR_BYTES, threads_held(), run), last
