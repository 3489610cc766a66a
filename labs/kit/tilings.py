"""How each kernel of the hand-written step is cut: the fastest of those timed on one H200.

`tests/bench/gemv.py` times them. What it taught: a program does best with 2 to 8 KB of weights on their way
for each of its warps; with fewer bits a weight it should make more results, as the input is read once for
all of them; and where there are few rows, they must be spread over many programs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from labs.kit.packed_llama import PackedLlama
from labs.kit.quantise import Matrix

_SHORT, _LONG, _VERY_LONG = 2048, 4096, 8192
"""Columns up to which a row counts as short, and above which as long."""
_FEW, _MANY = 4096, 24000
"""Rows up to which they are few, and from which many (an LM head's)."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """A program's share of a product: `rows` results, `block` columns at a time, on `warps` × 32 threads."""

    rows: int
    block: int
    warps: int = 4


@dataclass(frozen=True, slots=True)
class Chunking:
    """Tokens a program attends to, a power of two, on `warps` × 32 threads."""

    tokens: int
    warps: int


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The cut of each kernel, and whether kernels start ahead of their forerunner's end."""

    qkv: Tiling
    o: Tiling
    gate_up: Tiling
    down: Tiling
    head: Tiling
    attention: Chunking
    ahead: bool


def plan_for(llama: PackedLlama, capacity: int) -> StepPlan:
    """The plan for that model on the current GPU."""
    layer = llama.layers[0]
    return StepPlan(
        qkv=tiling(layer.qkv),
        o=tiling(layer.o),
        gate_up=tiling(layer.gate_up, gated=True),
        down=tiling(layer.down),
        head=tiling(llama.head),
        attention=chunking(capacity),
        ahead=starts_ahead(),
    )


def starts_ahead() -> bool:
    """Whether the current GPU knows programmatic dependent launch: NVIDIA's from compute capability 9.0."""
    if torch.version.hip or not torch.cuda.is_available():
        return False
    return bool(torch.cuda.get_device_capability() >= (9, 0))


def chunking(capacity: int) -> Chunking:
    """A context of up to 256 tokens whole, a longer one in chunks that many programs share."""
    if capacity <= 256:
        return Chunking(_power(max(capacity, 16)), 8)
    return Chunking(64, 4)


def tiling(matrix: Matrix, *, gated: bool = False) -> Tiling:
    """The cut of a product with that matrix. A block is never much longer than a row."""
    rows, columns = matrix.rows, matrix.columns
    cut = {"plain": _plain, "int8": _int8, "int4": _int4}[matrix.kind](rows, columns, gated)
    return Tiling(cut.rows, min(cut.block, _power(columns)), cut.warps)


def _plain(rows: int, columns: int, gated: bool) -> Tiling:
    if gated:
        return Tiling(2, 1024 if columns <= _SHORT else 2048)
    if columns <= _SHORT:
        return Tiling(2 if rows <= _FEW // 2 else 4, 1024)
    if columns <= _LONG:
        return Tiling(2, 4096)
    return Tiling(4, 2048, 8) if columns <= _VERY_LONG else Tiling(2, 2048)


def _int8(rows: int, columns: int, gated: bool) -> Tiling:
    if gated:
        return Tiling(2, 2048) if columns <= _SHORT else Tiling(4, 4096)
    if columns <= _SHORT:
        return Tiling(8 if rows >= _MANY else 2, 2048)
    if columns <= _LONG:
        return Tiling(8, 4096)
    return Tiling(4, 2048) if columns <= _VERY_LONG else Tiling(8, 2048)


def _int4(rows: int, columns: int, gated: bool) -> Tiling:
    if gated:
        return Tiling(2, 2048, 2) if columns <= _SHORT else Tiling(4, 4096)
    if columns <= _SHORT:
        return Tiling(8 if rows >= _MANY else 2, 2048, 2)
    if columns <= _LONG:
        return Tiling(4 if rows <= _FEW else 8, 4096)
    return Tiling(4, 8192) if columns <= _VERY_LONG else Tiling(4, 4096)


def _power(number: int) -> int:
    """The smallest power of two that isn't smaller."""
    return 1 << (number - 1).bit_length()
