"""The kernels that a learner meets in a decode step, each with its FLOP and bytes counted on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from labs.kit.ceilings import DTYPES
from labs.kit.lab import DeviceType
from labs.kit.memory import free_bytes
from labs.kit.models import Shape
from labs.kit.timing import Call

BATCHES = tuple(2**power for power in range(13))
"""Of the matrix product: 1 to 4096."""
_CACHES_COVERED = 4
_MOST_BUFFERS = 64


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel at one size. `calls` do the same on buffers of their own, several times the cache in all."""

    name: str
    batch: int | None
    flop: int
    bytes: int
    reads: float
    """The share of the bytes that is read."""
    calls: list[Call]

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flop / self.bytes


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and with what the kernels run."""

    device: DeviceType
    dtype: str
    shape: Shape
    context: int
    cache_bytes: int

    @property
    def kind(self) -> torch.dtype:
        return DTYPES[self.dtype]

    def buffers(self, each: int) -> int:
        """How many buffers of that many bytes cover the cache several times."""
        return min(_MOST_BUFFERS, max(2, math.ceil(_CACHES_COVERED * self.cache_bytes / each)))

    def random(self, *size: int) -> torch.Tensor:
        return torch.randn(*size, device=self.device, dtype=self.kind)


def products(setting: Setting) -> Iterator[Kernel]:
    """The model's gate projection, hidden × intermediate, on 1 to 4096 rows: y = x Wᵀ."""
    hidden, wide = setting.shape.hidden, setting.shape.intermediate
    item = setting.kind.itemsize
    count = setting.buffers(hidden * wide * item)
    weights = [setting.random(wide, hidden) for _ in range(count)]
    for batch in BATCHES:
        x = setting.random(batch, hidden)
        moved = (hidden * wide + batch * (hidden + wide)) * item
        yield Kernel(
            name="gemm",
            batch=batch,
            flop=2 * batch * hidden * wide,
            bytes=moved,
            reads=1 - batch * wide * item / moved,
            calls=[lambda x=x, weight=weight: F.linear(x, weight) for weight in weights],  # type: ignore[misc]
        )


def attentions(setting: Setting, batches: tuple[int, ...]) -> Iterator[Kernel]:
    """One new token's attention over `context` tokens of keys and values, the model's heads and KV heads."""
    shape, item = setting.shape, setting.kind.itemsize
    for batch in batches:
        one = batch * shape.kv_heads * setting.context * shape.head_dim * item
        count = setting.buffers(2 * one)
        if 2 * one * count > free_bytes(setting.device) // 2:
            return
        query = setting.random(batch, shape.heads, 1, shape.head_dim)
        held = [
            tuple(setting.random(batch, shape.kv_heads, setting.context, shape.head_dim) for _ in range(2))
            for _ in range(count)
        ]
        moved = 2 * one + 2 * query.nbytes
        yield Kernel(
            name="attention",
            batch=batch,
            flop=4 * batch * shape.heads * setting.context * shape.head_dim,
            bytes=moved,
            reads=1 - query.nbytes / moved,
            calls=[lambda q=query, k=k, v=v: _attend(q, k, v) for k, v in held],  # type: ignore[misc]
        )
        del held


def elementwise(setting: Setting, chain: Callable[..., torch.Tensor] | None) -> Iterator[Kernel]:
    """Multiplying, adding two tensors, GELU, and where given the fused chain, on one large tensor.

    FLOP as in `labs.kit.traffic`: one for each operation, erf counted as one.
    """
    item = setting.kind.itemsize
    size = min(max(_CACHES_COVERED * setting.cache_bytes, 2**26), free_bytes(setting.device) // 16)
    rows = max(1, size // (item * setting.shape.hidden))
    x, other, out = (setting.random(rows, setting.shape.hidden) for _ in range(3))
    elements, moved = x.numel(), x.nbytes
    # into memory that is there: fresh memory would be mapped page by page on a CPU
    operations: list[tuple[str, int, int, Call]] = [
        ("multiply", 1, 2, lambda: torch.mul(x, 1.25, out=out)),
        ("residual_add", 1, 3, lambda: torch.add(x, other, out=out)),
        ("gelu", 5, 2, lambda: torch._C._nn.gelu(x, out=out)),
    ]
    if chain is not None:
        operations.append(("fused_chain", 7, 2, lambda: chain(x)))
    for name, flop, transfers, call in operations:
        yield Kernel(
            name=name,
            batch=None,
            flop=flop * elements,
            bytes=transfers * moved,
            reads=1 - 1 / transfers,
            calls=[call],
        )


def _attend(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Queries that share a KV head stay together, so that keys and values are read once, not once a head."""
    return F.scaled_dot_product_attention(query, keys, values, enable_gqa=True)
