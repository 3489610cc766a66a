"""The kernels' cuts fit what they cut."""

from __future__ import annotations

import pytest
import torch

from labs.kit.models import SHAPES
from labs.kit.quantise import Kind, Matrix
from labs.kit.tilings import chunking, starts_ahead, tiling

_PER_WORD = {"plain": 1, "int8": 4, "int4": 8}


def matrices(kind: Kind) -> list[tuple[Matrix, bool]]:
    """Each projection of each model, with whether it is gated; no weights, only sizes."""
    nothing = torch.empty(0)
    made = []
    for shape in SHAPES.values():
        kv = shape.kv_heads * shape.head_dim
        for rows, columns, gated in (
            (shape.hidden + 2 * kv, shape.hidden, False),
            (shape.hidden, shape.hidden, False),
            (2 * shape.intermediate, shape.hidden, True),
            (shape.hidden, shape.intermediate, False),
            (shape.vocabulary, shape.hidden, False),
        ):
            made.append((Matrix(kind, nothing, rows, columns, nothing), gated))
    return made


@pytest.mark.parametrize("kind", ["plain", "int8", "int4"])
def test_every_thread_has_16_bytes_to_load_and_no_row_is_left_half_read(kind: Kind) -> None:
    for matrix, gated in matrices(kind):
        cut = tiling(matrix, gated=gated)
        item = 2 if kind == "plain" else 4
        assert cut.block // _PER_WORD[kind] * item >= 16 * 32 * cut.warps, (matrix, cut)
        assert (matrix.rows // (2 if gated else 1)) % cut.rows == 0, (matrix, cut)
        assert cut.block & (cut.block - 1) == 0


@pytest.mark.parametrize("kind", ["plain", "int8", "int4"])
def test_a_block_is_not_longer_than_the_next_power_of_two(kind: Kind) -> None:
    nothing = torch.empty(0)
    assert tiling(Matrix(kind, nothing, 512, 384, nothing)).block == 512


@pytest.mark.parametrize(("capacity", "tokens"), [(10, 16), (170, 256), (256, 256), (257, 64), (8192, 64)])
def test_a_short_context_is_taken_whole(capacity: int, tokens: int) -> None:
    assert chunking(capacity).tokens == tokens


def test_nothing_starts_ahead_without_a_gpu() -> None:
    if not torch.cuda.is_available():
        assert not starts_ahead()
