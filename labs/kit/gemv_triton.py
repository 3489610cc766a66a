"""A matrix times one vector as a decode step needs it, in one Triton kernel with what goes before and after.

Before the product: RMSNorm of the input. After it: a residual added, or SwiGLU of two halves. A program makes
`rows` results and reads whole rows, `block` columns at a time. Weights are read once, so they are marked for
eviction first.

With `ahead` the kernel starts before the one in front of it has ended (programmatic dependent launch): it
fetches its first weights, which nobody writes, and waits only then for its input.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from triton import knobs
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from labs.kit.quantise import Matrix
from labs.kit.tilings import Tiling

NATIVE = torch.version.cuda is not None and not knobs.runtime.interpret
"""Whether PTX instructions can be named: not on AMD, and not in Triton's interpreter."""


@triton.jit
def _fetch(place, at, ROW: tl.constexpr, MASKED: tl.constexpr):  # type: ignore[no-untyped-def]
    """A tile of weights or words; `place` points at the rows' starts, `at` counts within a row."""
    if MASKED:
        tile = tl.load(
            place[:, None] + at[None, :], mask=(at < ROW)[None, :], other=0, eviction_policy="evict_first"
        )
    else:
        tile = tl.load(place[:, None] + at[None, :], eviction_policy="evict_first")
    return tile


@triton.jit
def _input(x, at, K: tl.constexpr, MASKED: tl.constexpr):  # type: ignore[no-untyped-def]
    found = tl.load(x + at, mask=at < K, other=0.0) if MASKED else tl.load(x + at)
    return found.to(tl.float32)


@triton.jit
def _bits(words, MASK: tl.constexpr, NATIVE: tl.constexpr):  # type: ignore[no-untyped-def]
    """Some bits of each word as part of a float32's fraction: 1 + those bits / 2²³."""
    if NATIVE:  # (words & MASK) | 1.0 in one instruction; left to itself the compiler takes two
        found = tl.inline_asm_elementwise(
            "lop3.b32 $0, $1, $2, $3, 0xEA;",
            "=r,r,r,r",
            [words, MASK, 0x3F800000],
            dtype=tl.int32,
            is_pure=True,
            pack=1,
        )
    else:
        found = (words & MASK) | 0x3F800000
    return found.to(tl.float32, bitcast=True)


@triton.jit
def _byte(words, byte: tl.constexpr, NATIVE: tl.constexpr):  # type: ignore[no-untyped-def]
    """1 + a byte / 2¹⁵: the byte becomes bits 8 to 15 of a float32."""
    if NATIVE:  # one permutation of bytes
        found = tl.inline_asm_elementwise(
            "prmt.b32 $0, $1, $2, $3;",
            "=r,r,r,r",
            [words, 0x3F800000, 0x7604 + 16 * byte],
            dtype=tl.int32,
            is_pure=True,
            pack=1,
        ).to(tl.float32, bitcast=True)
    elif byte == 0:
        found = _bits(words << 8, 0xFF00, False)
    else:
        found = _bits(words >> (8 * byte - 8), 0xFF00, False)
    return found


@triton.jit
def _nibble(words, nibble: tl.constexpr, NATIVE: tl.constexpr):  # type: ignore[no-untyped-def]
    """1 + a nibble / `_nibble_unit`: four shifts bring each of the eight to bits 12 to 15 or 16 to 19."""
    if nibble < 2:
        words = words << 12
    elif nibble == 2:
        words = words << 8
    elif nibble == 7:
        words = words >> 12
    elif nibble > 4:
        words = words >> 8
    if nibble == 0 or nibble == 3 or nibble == 5:
        found = _bits(words, 0xF000, NATIVE)
    else:
        found = _bits(words, 0xF0000, NATIVE)
    return found


@triton.jit
def _nibble_unit(nibble: tl.constexpr):  # type: ignore[no-untyped-def]
    return 2048.0 if nibble == 0 or nibble == 3 or nibble == 5 else 128.0


@triton.jit
def _gemv(  # type: ignore[no-untyped-def]
    x, squares, weights, scales, added, gain, out, scaled, new_squares, eps, N,
    K: tl.constexpr, KIND: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, PARTS: tl.constexpr,
    GATED: tl.constexpr, ADD: tl.constexpr, SCALED: tl.constexpr, CHECKED: tl.constexpr,
    NATIVE: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    PER: tl.constexpr = 8 if KIND == "int4" else (4 if KIND == "int8" else 1)
    ROW: tl.constexpr = K // PER
    WIDTH: tl.constexpr = BLOCK // PER
    TILES: tl.constexpr = (K + BLOCK - 1) // BLOCK
    # what a thread loads at once: 16 bytes
    RUN: tl.constexpr = 8 if KIND == "plain" else 4
    WIDE: tl.constexpr = 2 * ROWS if GATED else ROWS
    if AHEAD:
        gdc_launch_dependents()
    first = tl.program_id(0) * ROWS
    lane = tl.arange(0, WIDE)
    # each gate beside its up
    rows = first + lane // 2 if GATED else first + lane
    if CHECKED:
        rows = tl.minimum(rows, N - 1)
    if GATED:
        rows += (lane % 2) * N
    place = weights + rows.to(tl.int64) * ROW
    units = tl.arange(0, WIDTH)
    tile = _fetch(place, units, ROW, WIDTH > ROW)
    if AHEAD:
        gdc_wait()
    total = tl.zeros([WIDE, WIDTH // RUN], tl.float32)
    shift = tl.zeros([WIDTH // RUN], tl.float32)
    for step in tl.static_range(TILES):
        at = step * WIDTH + units
        current = tile
        if step + 1 < TILES:
            tile = _fetch(place, at + WIDTH, ROW, (step + 2) * WIDTH > ROW)
        if KIND == "plain":
            found = _input(x, at, K, (step + 1) * WIDTH > ROW)
            product = current.to(tl.float32) * found[None, :]
            total += tl.sum(tl.reshape(product, [WIDE, WIDTH // RUN, RUN]), axis=2)
        elif KIND == "int8":
            for byte in tl.static_range(4):
                column = (at // 16) * 64 + byte * 16 + at % 16
                found = _input(x, column, K, (step + 1) * WIDTH > ROW)
                part = _byte(current, byte, NATIVE) * found[None, :]
                if byte == 0:
                    product = part
                    sums = found
                else:
                    product += part
                    sums += found
            total += tl.sum(tl.reshape(product, [WIDE, WIDTH // RUN, RUN]), axis=2)
            shift += tl.sum(tl.reshape(sums, [WIDTH // RUN, RUN]), axis=1)
        else:
            for nibble in tl.static_range(8):
                column = (at // 16) * 128 + nibble * 16 + at % 16
                found = _input(x, column, K, (step + 1) * WIDTH > ROW)
                unit = _nibble_unit(nibble)
                part = _nibble(current, nibble, NATIVE) * (found * unit)[None, :]
                if nibble == 0:
                    product = part
                    offset = found * (unit + 8.0)
                else:
                    product += part
                    offset += found * (unit + 8.0)
            runs = tl.sum(tl.reshape(product, [WIDE, WIDTH // RUN, RUN]), axis=2)
            runs -= tl.sum(tl.reshape(offset, [WIDTH // RUN, RUN]), axis=1)[None, :]
            group = step * (WIDTH // 16) + tl.arange(0, WIDTH // RUN) // 4
            scale = scales + rows.to(tl.int64)[:, None] * (K // 128) + group[None, :]
            if (step + 1) * WIDTH > ROW:
                total += runs * tl.load(scale, mask=(group < K // 128)[None, :], other=0.0).to(tl.float32)
            else:
                total += runs * tl.load(scale).to(tl.float32)
    if KIND == "int8":
        total = 32768.0 * (total - shift[None, :]) - 128.0 * shift[None, :]
    result = tl.sum(total, axis=1)
    if KIND == "int8":
        result = result * tl.load(scales + rows)
    if PARTS > 0:
        EVERY: tl.constexpr = triton.next_power_of_2(PARTS)
        part_at = tl.arange(0, EVERY)
        if EVERY == PARTS:
            square = tl.sum(tl.load(squares + part_at), axis=0)
        else:
            square = tl.sum(tl.load(squares + part_at, mask=part_at < PARTS, other=0.0), axis=0)
        result = result * tl.rsqrt(square / K + eps)
    if GATED:
        gate, up = tl.split(tl.reshape(result, [ROWS, 2]))
        result = gate / (1.0 + tl.exp(-gate)) * up
    row = first + tl.arange(0, ROWS)
    inside = row < N
    if ADD:
        result += tl.load(added + row, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row, result.to(out.dtype.element_ty), mask=inside)
    if SCALED:
        wide = tl.where(inside, result, 0.0)
        tl.store(new_squares + tl.program_id(0), tl.sum(wide * wide, axis=0))
        longer = result * tl.load(gain + row, mask=inside, other=0.0).to(tl.float32)
        tl.store(scaled + row, longer.to(scaled.dtype.element_ty), mask=inside)


@triton.jit
def _begin(  # type: ignore[no-untyped-def]
    table, token, gain, out, scaled, squares, SIZE: tl.constexpr, BLOCK: tl.constexpr, AHEAD: tl.constexpr
):
    if AHEAD:
        gdc_launch_dependents()
    at = tl.arange(0, BLOCK)
    inside = at < SIZE
    row = tl.load(table + tl.load(token).to(tl.int64) * SIZE + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + at, row.to(out.dtype.element_ty), mask=inside)
    longer = row * tl.load(gain + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(scaled + at, longer.to(scaled.dtype.element_ty), mask=inside)
    tl.store(squares, tl.sum(row * row, axis=0))


@dataclass(frozen=True, slots=True)
class Norm:
    """An RMSNorm parted between two kernels: the first writes its result times `gain` to `scaled` and sums of
    squares to `squares`, one a program; the second reads both and divides by the root of the mean."""

    gain: torch.Tensor
    scaled: torch.Tensor
    squares: torch.Tensor
    eps: float


@dataclass(frozen=True, slots=True)
class Around:
    """What is fused around a product.

    Before it the second half of a norm (`before`: x is then its `scaled`), of which `parts` sums of squares
    count; after it SwiGLU (`gated`), a residual (`added`), the first half of the next norm.
    """

    before: Norm | None = None
    parts: int = 0
    gated: bool = False
    added: torch.Tensor | None = None
    after: Norm | None = None


def gemv(
    matrix: Matrix, x: torch.Tensor, out: torch.Tensor, tiling: Tiling, around: Around, *, ahead: bool = False
) -> int:
    """out = matrix · x with what is around it, summed in float32; gives how many programs took part.

    `x` has the matrix's columns, `out` its rows, half of them where it is gated. `ahead` needs a GPU that
    knows programmatic dependent launch (NVIDIA Hopper and later).
    """
    results = matrix.rows // 2 if around.gated else matrix.rows
    programs: int = triton.cdiv(results, tiling.rows)
    launch = {"launch_pdl": True} if ahead else {}
    before, after = around.before, around.after
    _gemv[(programs,)](
        x,
        before.squares if before else x,
        matrix.weights,
        matrix.scales,
        around.added if around.added is not None else x,
        after.gain if after else x,
        out,
        after.scaled if after else out,
        after.squares if after else out,
        before.eps if before else 0.0,
        results,
        K=matrix.columns,
        KIND=matrix.kind,
        ROWS=tiling.rows,
        BLOCK=tiling.block,
        PARTS=around.parts if before else 0,
        GATED=around.gated,
        ADD=around.added is not None,
        SCALED=after is not None,
        CHECKED=results % tiling.rows != 0,
        NATIVE=NATIVE,
        AHEAD=ahead,
        num_warps=tiling.warps,
        **launch,
    )
    return programs


def begin(
    table: torch.Tensor, token: torch.Tensor, out: torch.Tensor, norm: Norm, *, ahead: bool = False
) -> int:
    """The token's row of the embedding into `out`, and the first half of the norm; one program."""
    size = table.shape[1]
    _begin[(1,)](
        table,
        token,
        norm.gain,
        out,
        norm.scaled,
        norm.squares,
        SIZE=size,
        BLOCK=triton.next_power_of_2(size),
        AHEAD=ahead,
        num_warps=8,
    )
    return 1
