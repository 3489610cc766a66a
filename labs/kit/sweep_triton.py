"""Passes over memory in Triton: one launch goes over its working set several times, so that launching and
starting up don't count and a cache shows what it gives."""

from __future__ import annotations

from typing import Literal

import torch
import triton
import triton.language as tl

Access = Literal["read", "write", "copy"]

_BLOCK, _WARPS = 1024, 4
_PROGRAMS_PER_MULTIPROCESSOR = 16


@triton.jit
def _sweep(  # type: ignore[no-untyped-def]
    source, target, sums, blocks, visits,
    READ: tl.constexpr, WRITE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for visit in range(program, visits, tl.num_programs(0)):
        at = (visit % blocks).to(tl.int64) * BLOCK + lane
        data = lane.to(tl.float32)
        if READ:
            # .cg: not from the multiprocessor's own L1, which is no part of the way to memory
            data = tl.load(source + at, cache_modifier=".cg")
        if WRITE:
            tl.store(target + at, data)
        else:
            total += data
    if not WRITE:
        tl.store(sums + program, tl.sum(total))


@triton.jit
def _copy(source, target, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    data = tl.load(source + at, eviction_policy="evict_first")
    tl.store(target + at, data, eviction_policy="evict_first")


def sweep(
    source: torch.Tensor, target: torch.Tensor, sums: torch.Tensor, access: Access, passes: int
) -> None:
    """Goes `passes` times over `source` (read, copy) and `target` (write, copy): flat float32 tensors of one
    length, a multiple of 1024. `sums` has room for a value of each of `programs()`; a single
    pass, over what no cache holds, starts a program for each block where nothing is to be summed up."""
    blocks = source.numel() // _BLOCK
    visits = blocks * passes
    started = visits if passes == 1 and access != "read" else min(visits, sums.numel())
    _sweep[(started,)](
        source, target, sums, blocks, visits,
        READ=access != "write", WRITE=access != "read", BLOCK=_BLOCK, num_warps=_WARPS,
    )  # fmt: skip


def programs() -> int:
    """How many programs a sweep starts at most: enough to fill every multiprocessor."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return _PROGRAMS_PER_MULTIPROCESSOR * int(properties.multi_processor_count)


def copy(source: torch.Tensor, target: torch.Tensor, *, block: int = 1024, warps: int = 4) -> None:
    """Copies a flat float32 tensor whose length is a multiple of `block`, each element once."""
    _copy[(source.numel() // block,)](source, target, BLOCK=block, num_warps=warps)
