"""Weights in fewer bits, packed for the GEMV kernels: int8 with a scale a row, int4 with a scale a group.

Both packings put columns that lie 16 apart into one 32-bit word, so that a kernel that takes the words of 16
columns apart reads its input side by side. All weights of a word share a group.
"""

from __future__ import annotations

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
        if self.kind == "int8":
            return ((_bytes(self) - float(INT8_CENTRE)) * self.scales[:, None]).to(dtype)
        groups = (_nibbles(self) - float(INT4_CENTRE)).view(self.rows, -1, GROUP)
        return (groups * self.scales.float()[:, :, None]).view(self.rows, self.columns).to(dtype)


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
    return _int8(weights) if kind == "int8" else _int4(weights)


def int8_rows(matrix: Matrix) -> tuple[torch.Tensor, torch.Tensor]:
    """An int8 matrix unpacked: whole numbers (rows × columns, int8) and the scale of each row."""
    if matrix.kind != "int8":
        raise ValueError(f"a matrix of {matrix.kind} weights has no int8 rows")
    return (_bytes(matrix) - float(INT8_CENTRE)).to(torch.int8), matrix.scales


def _int8(weights: torch.Tensor) -> Matrix:
    rows, columns = weights.shape
    wide = weights.float()
    scales = (wide.abs().amax(dim=1) / 127).clamp_min(torch.finfo(torch.float32).tiny)
    stored = (wide / scales[:, None]).round_().clamp_(-127, 127).add_(INT8_CENTRE).to(torch.uint8)
    # byte i of word j of a chunk is column 16 i + j of it
    chunks = stored.view(rows, -1, 4, APART).transpose(2, 3).contiguous()
    return Matrix("int8", chunks.view(torch.int32).view(rows, columns // 4), rows, columns, scales)


def _int4(weights: torch.Tensor) -> Matrix:
    rows, columns = weights.shape
    groups = weights.float().view(rows, -1, GROUP)
    scales = (groups.abs().amax(dim=2) / 7).clamp_min(torch.finfo(torch.float32).tiny).bfloat16()
    stored = (groups / scales.float()[:, :, None]).round_().clamp_(-8, 7).add_(INT4_CENTRE).to(torch.uint8)
    # nibble i of word j of a group is column 16 i + j of it; a byte holds two nibbles, the lower one first
    chunks = stored.view(rows, -1, 8, APART).transpose(2, 3)
    pairs = (chunks[..., 0::2] | (chunks[..., 1::2] << 4)).contiguous()
    return Matrix("int4", pairs.view(torch.int32).view(rows, columns // 8), rows, columns, scales)


def _bytes(matrix: Matrix) -> torch.Tensor:
    chunks = matrix.weights.view(torch.uint8).view(matrix.rows, -1, APART, 4)
    return chunks.transpose(2, 3).reshape(matrix.rows, matrix.columns).float()


def _nibbles(matrix: Matrix) -> torch.Tensor:
    pairs = matrix.weights.view(torch.uint8).view(matrix.rows, -1, APART, 4)
    chunks = torch.stack((pairs & 15, pairs >> 4), dim=-1).view(matrix.rows, -1, APART, 8)
    return chunks.transpose(2, 3).reshape(matrix.rows, matrix.columns).float()
