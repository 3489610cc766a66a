"""The products of a decode step, cut in several ways: `python -m tests.bench.gemv [MODEL]` (needs a GPU).

Baseline: the library's product of the same bf16 weights, in the same run. Each is timed in a CUDA graph over
copies that together are several times the cache, one starting ahead of the other where the GPU can. The cut
that `labs/kit/tilings.py` chooses is marked; where another is clearly faster, that table should change.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import partial

import torch

from labs.kit.models import SHAPES, Shape
from labs.kit.quantise import Kind, Matrix, plain, quantised
from labs.kit.tilings import Tiling, starts_ahead, tiling
from labs.kit.timing import time_calls

ENOUGH = 5e8
"""Bytes of all copies together."""


def main(model: str = "llama-3-8b") -> int:
    if not torch.cuda.is_available():
        print("needs a GPU: nothing was timed")
        return 0
    for name, rows, columns, gated in products(SHAPES[model]):
        full = [plain(weights) for weights in copies(rows, columns)]
        x = torch.randn(1, columns, device="cuda", dtype=torch.bfloat16)
        calls = [partial(torch.nn.functional.linear, x, matrix.weights) for matrix in full]
        base = time_calls(calls, device="cuda")
        print(f"{name} {rows}×{columns}: library {base.median_ms * 1e3:.1f} µs")
        kinds: tuple[Kind, ...] = ("plain", "int8", "int4")
        for kind in kinds:
            matrices = full if kind == "plain" else [quantised(matrix.weights, kind) for matrix in full]
            chosen = tiling(matrices[0], gated=gated)
            timed = [(time_of(matrices, x, cut, gated=gated), cut) for cut in cuts(chosen)]
            shown = "; ".join(
                f"{'→ ' if cut == chosen else ''}{cut.rows}×{cut.block}/{cut.warps} {ms * 1e3:.1f} µs "
                f"({matrices[0].nbytes / ms / 1e9:.2f} TB/s, {base.median_ms / ms:.2f}×)"
                for ms, cut in sorted(timed, key=lambda one: one[0])
            )
            print(f"  {kind}: {shown}")
    return 0


def products(shape: Shape) -> Iterator[tuple[str, int, int, bool]]:
    kv = shape.kv_heads * shape.head_dim
    yield "qkv", shape.hidden + 2 * kv, shape.hidden, False
    yield "o", shape.hidden, shape.hidden, False
    yield "gate+up", 2 * shape.intermediate, shape.hidden, True
    yield "down", shape.hidden, shape.intermediate, False
    yield "head", shape.vocabulary, shape.hidden, False


def copies(rows: int, columns: int) -> list[torch.Tensor]:
    count = max(2, math.ceil(ENOUGH / (rows * columns / 2)))  # enough in int4 too
    return [torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(count)]


def cuts(chosen: Tiling) -> list[Tiling]:
    """The chosen cut and its neighbours."""
    near = {chosen}
    for rows in (chosen.rows // 2, chosen.rows * 2):
        near.add(Tiling(max(rows, 1), chosen.block, chosen.warps))
    near.add(Tiling(chosen.rows, chosen.block, 4 if chosen.warps == 8 else 8))
    near.add(Tiling(chosen.rows, max(chosen.block // 2, 1024), chosen.warps))
    return sorted(near, key=lambda cut: (cut.rows, cut.block, cut.warps))


def time_of(matrices: list[Matrix], x: torch.Tensor, cut: Tiling, *, gated: bool) -> float:
    """Milliseconds of one product."""
    from labs.kit.gemv_triton import Around, gemv

    rows = matrices[0].rows // 2 if gated else matrices[0].rows
    given = x[0] if matrices[0].kind == "plain" else x[0].float()
    out = torch.empty(rows, device="cuda", dtype=given.dtype)
    around, ahead = Around(gated=gated), starts_ahead()
    calls = [partial(gemv, matrix, given, out, cut, around, ahead=ahead) for matrix in matrices]
    return time_calls(calls, device="cuda", budget_s=0.1).median_ms


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
