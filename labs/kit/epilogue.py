"""A matrix product with bias and GELU behind it: apart, partly fused, and all in one kernel.

Here fusing does change what limits: the elementwise work moves to where every byte is used hundreds of times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from labs.kit.ceilings import DTYPES
from labs.kit.lab import DeviceType
from labs.kit.reference import gelu_float64
from labs.kit.traffic import ADD, GELU, Gelu

DEPTHS = {"cuda": (128, 256, 512, 1024, 2048, 4096), "cpu": (16, 32, 128)}
VARIANTS = {"cuda": ("apart", "linear", "cublaslt", "triton"), "cpu": ("apart", "linear", "tiled")}
FUSED = ("cublaslt", "triton", "tiled")
"""Those that write nothing between product and result."""
_TILE_BYTES = 2**21
"""Of a tile of rows on a CPU: it stays in the cache until GELU has been done on it."""
_CHECKED_ROWS = 64

Function = Callable[[], torch.Tensor]


@dataclass(frozen=True, slots=True)
class Size:
    """y = gelu(x Wᵀ + b): x is rows × depth, W columns × depth, b one row, y rows × columns."""

    rows: int
    columns: int
    depth: int
    item_bytes: int

    def bytes(self, variant: str) -> int:
        """What the variant moves on paper: operands once, and the result once for each pass over it."""
        passes = {"apart": 5, "linear": 3}.get(variant, 1)
        operands = self.rows * self.depth + self.columns * self.depth + self.columns
        return (operands + passes * self.rows * self.columns) * self.item_bytes

    def flop(self, gelu: Gelu) -> int:
        """As in `labs.kit.traffic`: erf and tanh count as one."""
        return self.rows * self.columns * (2 * self.depth + ADD.flop + GELU[gelu].flop)

    def intensity(self, variant: str, gelu: Gelu) -> float:
        """FLOP per byte of all kernels of the variant together."""
        return self.flop(gelu) / self.bytes(variant)

    def bytes_between(self, variant: str) -> int:
        """What the variant leaves in memory between product and result."""
        tensors = {"apart": 2, "linear": 1}.get(variant, 0)
        return tensors * self.rows * self.columns * self.item_bytes


@dataclass(slots=True)
class Layer:
    """The tensors of one size."""

    size: Size
    gelu: Gelu
    x: torch.Tensor
    weight: torch.Tensor
    bias: torch.Tensor
    out: torch.Tensor

    def function(self, variant: str) -> Function:
        """The variant as a function of nothing. Raises KeyError for one that is not known."""
        approximate = "none" if self.gelu == "erf" else "tanh"
        return {
            "product": lambda: self.x @ self.weight.t(),
            "apart": lambda: F.gelu(self.x @ self.weight.t() + self.bias, approximate=approximate),
            "linear": lambda: F.gelu(F.linear(self.x, self.weight, self.bias), approximate=approximate),
            # cuBLASLt's own epilogue; it has only the tanh form
            "cublaslt": lambda: torch._addmm_activation(self.bias, self.x, self.weight.t(), use_gelu=True),
            "triton": self._in_triton,
            "tiled": lambda: self._in_tiles(approximate),
        }[variant]

    def gelu_of(self, variant: str) -> Gelu:
        """The form of GELU that the variant computes."""
        return "tanh" if variant == "cublaslt" else self.gelu

    def relative_error(self, variant: str, result: torch.Tensor) -> float:
        """Against float64 by the Frobenius norm, over rows from all parts of the result."""
        rows = torch.linspace(0, self.size.rows - 1, min(_CHECKED_ROWS, self.size.rows)).long()
        x = self.x[rows.to(self.x.device)].double()
        expected = gelu_float64(x @ self.weight.double().t() + self.bias.double(), self.gelu_of(variant))
        off = result[rows.to(result.device)].double() - expected
        return float(off.norm() / expected.norm())

    def launched(self) -> Any:
        """Runs the Triton kernel into `out` and returns it, compiled."""
        from labs.kit.epilogue_triton import linear_gelu
        from labs.kit.fused_triton import SHORT_GELU

        names = {kind: name for name, kind in DTYPES.items()}
        form = SHORT_GELU[names[self.x.dtype]] if self.gelu == "erf" else self.gelu
        return linear_gelu(self.x, self.weight, self.bias, self.out, gelu=form)

    def _in_triton(self) -> torch.Tensor:
        self.launched()
        return self.out

    def _in_tiles(self, approximate: str) -> torch.Tensor:
        """Product, bias and GELU on a few rows at a time, which stay in the cache in between."""
        step = max(1, _TILE_BYTES // (self.size.columns * self.size.item_bytes))
        turned = self.weight.t()
        for start in range(0, self.size.rows, step):
            tile = self.out[start : start + step]
            torch.addmm(self.bias, self.x[start : start + step], turned, out=tile)
            torch._C._nn.gelu_(tile, approximate=approximate)
        return self.out


def layer(side: int, depth: int, *, dtype: str, gelu: Gelu, device: DeviceType) -> Layer:
    """Random tensors; the product's values have a spread of one, so that GELU bends them."""
    kind = DTYPES[dtype]
    generator = torch.Generator(device=device).manual_seed(depth)

    def random(*size: int) -> torch.Tensor:
        return torch.randn(*size, dtype=kind, device=device, generator=generator)

    return Layer(
        size=Size(rows=side, columns=side, depth=depth, item_bytes=kind.itemsize),
        gelu=gelu,
        x=random(side, depth) / depth**0.5,
        weight=random(side, depth),
        bias=random(side),
        out=random(side, side),
    )
