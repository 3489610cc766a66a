"""A Llama in plain torch operations on packed weights: reads prompts, and is the reference in float32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import embedding, linear, scaled_dot_product_attention, silu

from labs.kit.packed_llama import PackedLlama
from labs.kit.quantise import Matrix


@dataclass(frozen=True, slots=True)
class Cache:
    """Keys and values of one sequence: layers × kv_heads × capacity × head_dim."""

    keys: torch.Tensor
    values: torch.Tensor

    @classmethod
    def empty(cls, llama: PackedLlama, capacity: int, dtype: torch.dtype) -> Cache:
        shape = (len(llama.layers), llama.kv_heads, capacity, llama.head_dim)
        # zeros, not whatever was there: a masked NaN would still spoil a sum
        return cls(*(torch.zeros(shape, dtype=dtype, device=llama.device) for _ in range(2)))


def product(matrix: Matrix, x: torch.Tensor) -> torch.Tensor:
    """x · matrixᵀ with the weights dequantised to x's dtype."""
    return linear(x, matrix.dequantised(x.dtype))


@torch.no_grad()
def forward(
    llama: PackedLlama,
    tokens: torch.Tensor,
    cache: Cache,
    start: int,
    *,
    last: int = 1,
    multiply: Callable[[Matrix, torch.Tensor], torch.Tensor] = product,
) -> torch.Tensor:
    """Logits (last × vocabulary, float32) after the last `last` of `tokens`.

    `tokens` is a vector; the first stands at position `start`, after what the cache holds, which gets their
    keys and values. Computes in the cache's dtype, the norms and rotary positions in float32.
    """
    dtype, count = cache.keys.dtype, tokens.shape[0]
    end = start + count
    x = embedding(tokens, llama.embedding).to(dtype)
    cos, sin = llama.cos[start:end, None, :], llama.sin[start:end, None, :]
    sizes = [llama.heads * llama.head_dim, llama.kv_heads * llama.head_dim, llama.kv_heads * llama.head_dim]
    causal = None
    if count > 1:
        causal = torch.ones(count, end, dtype=torch.bool, device=x.device).tril(start)
    for number, layer in enumerate(llama.layers):
        q, k, v = (
            part.view(count, -1, llama.head_dim)
            for part in multiply(layer.qkv, _norm(x, layer.input_norm, llama.eps)).split(sizes, dim=-1)
        )
        q, k = _rotated(q, cos, sin), _rotated(k, cos, sin)
        keys, values = cache.keys[number], cache.values[number]
        keys[:, start:end], values[:, start:end] = k.transpose(0, 1), v.transpose(0, 1)
        mixed = scaled_dot_product_attention(
            q.transpose(0, 1)[None],
            keys[None, :, :end],
            values[None, :, :end],
            attn_mask=causal,
            enable_gqa=llama.heads != llama.kv_heads,
        )
        x = x + multiply(layer.o, mixed[0].transpose(0, 1).reshape(count, -1))
        gate, up = multiply(layer.gate_up, _norm(x, layer.post_norm, llama.eps)).chunk(2, dim=-1)
        x = x + multiply(layer.down, silu(gate) * up)
    return multiply(llama.head, _norm(x[-last:], llama.norm, llama.eps)).float()


def _norm(x: torch.Tensor, gain: torch.Tensor, eps: float) -> torch.Tensor:
    wide = x.float()
    wide = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    return (wide * gain.float()).to(x.dtype)


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    low, high = x.float().chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1).to(x.dtype)
