"""A matrix product whose tile gets bias and GELU in registers, before it is written: one kernel, no
intermediate in memory."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from labs.kit.fused_triton import gelu_of

BLOCK_ROWS, BLOCK_COLUMNS, BLOCK_DEPTH, GROUP, WARPS = 128, 128, 64, 8, 8

_STAGE_BYTES = (BLOCK_ROWS + BLOCK_COLUMNS) * BLOCK_DEPTH * 2
_MOST_STAGES = 3


@triton.jit
def _linear_gelu(  # type: ignore[no-untyped-def]
    x, weight, bias, out, rows, columns, depth,
    GELU: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    # programs in groups of rows: neighbours share their part of the weights in the L2
    program = tl.program_id(0)
    across = columns // BN
    group = program // (GROUP * across)
    first = group * GROUP
    high = min(rows // BM - first, GROUP)
    row = (first + (program % (GROUP * across)) % high) * BM + tl.arange(0, BM)
    column = (program % (GROUP * across)) // high * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    from_x = x + row[:, None].to(tl.int64) * depth + inner[None, :]
    from_weight = weight + column[None, :].to(tl.int64) * depth + inner[:, None]
    tile = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, depth, BK):
        tile = tl.dot(tl.load(from_x), tl.load(from_weight), tile)
        from_x += BK
        from_weight += BK
    tile = gelu_of(tile + tl.load(bias + column)[None, :].to(tl.float32), GELU)
    tl.store(out + row[:, None].to(tl.int64) * columns + column[None, :], tile.to(out.dtype.element_ty))


def fits(rows: int, columns: int, depth: int) -> bool:
    """Whether the kernel can do it: whole tiles only."""
    return not (rows % BLOCK_ROWS or columns % BLOCK_COLUMNS or depth % BLOCK_DEPTH)


def _stages() -> int:
    """Tiles of the operands that are on their way at a time: 32 KB of shared memory each, as many as fit."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    room = int(getattr(properties, "shared_memory_per_block_optin", 2 * _STAGE_BYTES))  # AMD has 64 KB
    return max(2, min(_MOST_STAGES, room // _STAGE_BYTES))


def linear_gelu(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, out: torch.Tensor, *, gelu: str
) -> Any:
    """out = gelu(x weightᵀ + bias): rows × depth, columns × depth, one row; contiguous, of one 16-bit dtype.

    Sizes as `fits` has them; `gelu` as in `labs.kit.fused_triton`. Returns the compiled kernel.
    """
    rows, depth = x.shape
    columns = weight.shape[0]
    grid = (rows // BLOCK_ROWS * (columns // BLOCK_COLUMNS),)
    return _linear_gelu[grid](
        x, weight, bias, out, rows, columns, depth,
        GELU=gelu, BM=BLOCK_ROWS, BN=BLOCK_COLUMNS, BK=BLOCK_DEPTH, GROUP=GROUP,
        num_warps=WARPS, num_stages=_stages(),
    )  # fmt: skip
