"""Weights in fewer bits, packed for the GEMV kernels: int8 with a scale a row, int4 with a scale a group.

Both packings put columns that lie 16 apart into one 32-bit word, so that a kernel that takes the words of 16
columns apart reads its input side by side. All weights of a word share a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from labs.kit.lab import LabFailed

Kind = Literal["plain", "int8", "int4"]

APART = 16
"""Columns between neighbours in a word."""
GROUP = 128
"""Columns that share one of int4's scales; also what 16 neighbouring words of 8 columns span."""
INT8_CENTRE, INT4_CENTRE = 128, 8
"""What is stored for a weight of 0."""
_AT_ONCE = 2**24
"""Weights that are turned at a time."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Weights of a projection, `rows` × `columns`, in one of three forms.

    `plain`: rows × columns in the model's dtype. `int8`: rows × columns/4 words, and a float32 scale a row.
    `int4`: rows × columns/8 words, and a bfloat16 scale a row and group, rows × columns/128.
    """

    kind: Kind
    weights: torch.Tensor
    rows: int
    columns: int
    scales: torch.Tensor
    """Empty for `plain`."""

    @property
    def nbytes(self) -> int:
        """Bytes that a product reads: the weights and their scales, once."""
        return int(self.weights.nbytes + self.scales.nbytes)

    def dequantised(self, dtype: torch.dtype) -> torch.Tensor:
        """The weights as a product with them uses them, rows × columns."""
        if self.kind == "plain":
            return self.weights.to(dtype)
        whole = torch.empty(self.rows, self.columns, dtype=dtype, device=self.weights.device)
        for part in _parts(self.rows, self.columns):
            whole[part] = _int8_floats(self, part) if self.kind == "int8" else _int4_floats(self, part)
        return whole


def plain(weights: torch.Tensor) -> Matrix:
    """The weights as they are; rows × columns, contiguous."""
    return Matrix("plain", weights, weights.shape[0], weights.shape[1], weights.new_empty(0))


def quantised(weights: torch.Tensor, kind: Kind) -> Matrix:
    """The weights (rows × columns) rounded to nearest. Raises LabFailed where rows can't be parted evenly."""
    columns = weights.shape[1]
    if kind == "plain":
        return plain(weights)
    step = 4 * APART if kind == "int8" else GROUP
    if columns % step:
        raise LabFailed(
            "unsupported", f"{kind} needs rows of a multiple of {step} weights; this model has {columns}."
        )
    pack = _int8 if kind == "int8" else _int4
    packed = [pack(weights[part]) for part in _parts(*weights.shape)]
    words, scales = (torch.cat(pieces) for pieces in zip(*packed, strict=True))
    return Matrix(kind, words, weights.shape[0], columns, scales)


def int8_rows(matrix: Matrix) -> tuple[torch.Tensor, torch.Tensor]:
    """An int8 matrix unpacked: whole numbers (rows × columns, int8) and the scale of each row."""
    if matrix.kind != "int8":
        raise ValueError(f"a matrix of {matrix.kind} weights has no int8 rows")
    return (_bytes(matrix, slice(None)) - float(INT8_CENTRE)).to(torch.int8), matrix.scales


def _parts(rows: int, columns: int) -> Iterator[slice]:
    """Rows in parts, so that what is made on the way takes a few hundred megabytes at most."""
    step = max(1, _AT_ONCE // columns)
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _int8(weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Words and scales."""
    wide = weights.float()
    scales = (wide.abs().amax(dim=1) / 127).clamp_min(torch.finfo(torch.float32).tiny)
    stored = (wide / scales[:, None]).round_().clamp_(-127, 127).add_(INT8_CENTRE).to(torch.uint8)
    # byte i of word j of a chunk is column 16 i + j of it
    chunks = stored.view(stored.shape[0], -1, 4, APART).transpose(2, 3).contiguous()
    return chunks.view(torch.int32).flatten(1), scales


def _int4(weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Words and scales."""
    groups = weights.float().view(weights.shape[0], -1, GROUP)
    scales = (groups.abs().amax(dim=2) / 7).clamp_min(torch.finfo(torch.float32).tiny).bfloat16()
    stored = (groups / scales.float()[:, :, None]).round_().clamp_(-8, 7).add_(INT4_CENTRE).to(torch.uint8)
    # nibble i of word j of a group is column 16 i + j of it; a byte holds two nibbles, the lower one first
    chunks = stored.view(stored.shape[0], -1, 8, APART).transpose(2, 3)
    pairs = (chunks[..., 0::2] | (chunks[..., 1::2] << 4)).contiguous()
    return pairs.view(torch.int32).flatten(1), scales


def _int8_floats(matrix: Matrix, part: slice) -> torch.Tensor:
    return (_bytes(matrix, part) - float(INT8_CENTRE)) * matrix.scales[part, None]


def _int4_floats(matrix: Matrix, part: slice) -> torch.Tensor:
    pairs = matrix.weights[part].view(torch.uint8).unflatten(1, (-1, APART, 4))
    nibbles = torch.stack((pairs & 15, pairs >> 4), dim=-1).flatten(3)
    groups = nibbles.transpose(2, 3).flatten(2).float() - float(INT4_CENTRE)
    return (groups * matrix.scales[part].float()[:, :, None]).flatten(1)


def _bytes(matrix: Matrix, part: slice) -> torch.Tensor:
    chunks = matrix.weights[part].view(torch.uint8).unflatten(1, (-1, APART, 4))
    return chunks.transpose(2, 3).flatten(1).float()
