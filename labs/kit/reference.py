"""What the three operations must give, in float64, and how far a result is from it."""

from __future__ import annotations

import math

import torch

from labs.kit.traffic import Gelu

TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 2e-3}
"""Relative error by Frobenius norm. Three roundings to bf16 (2⁻⁹ each at most) give about 3e-3."""
_CHUNK = 2**24
"""Elements checked at a time, so that float64 copies take a few hundred megabytes at most."""


def relative_error(
    result: torch.Tensor, x: torch.Tensor, scale: torch.Tensor | float, bias: torch.Tensor | float, gelu: Gelu
) -> float:
    """‖result − gelu(x · scale + bias)‖ / ‖gelu(x · scale + bias)‖ in float64.

    `x` and `result` are rows × columns, `scale` and `bias` numbers or row vectors. NaN where the result
    holds one, infinity where the shape or the dtype is not x's.
    """
    if result.shape != x.shape or result.dtype != x.dtype:
        return math.inf
    rows = max(1, _CHUNK // x.shape[1])
    wide = [operand.double() if isinstance(operand, torch.Tensor) else operand for operand in (scale, bias)]
    off, whole = 0.0, 0.0
    for start in range(0, x.shape[0], rows):
        expected = gelu_float64(x[start : start + rows].double() * wide[0] + wide[1], gelu)
        off += float((result[start : start + rows].double() - expected).square_().sum())
        whole += float(expected.square_().sum())
    return math.sqrt(off / whole) if whole else math.inf


def gelu_float64(x: torch.Tensor, gelu: Gelu) -> torch.Tensor:
    """GELU by its definition (Hendrycks and Gimpel 2016), not by the library that is under test."""
    if gelu == "tanh":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    # erfc keeps its digits where 1 + erf(x) cancels
    return 0.5 * x * torch.special.erfc(-x / math.sqrt(2))
