"""A decode step's attention and its choice of token, each in one Triton kernel.

Attention: rotary positions, the cache's new entry and the attention itself. A program takes one head and one
chunk of the context; where the context has several chunks, the head's last program puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from labs.kit.tilings import Chunking


@triton.jit
def _attend(  # type: ignore[no-untyped-def]
    qkv, keys, values, cos, sin, position, out, tops, sums, parts, arrived, scale,
    HEADS: tl.constexpr, GROUP: tl.constexpr, HALF: tl.constexpr, CAPACITY: tl.constexpr,
    CHUNK: tl.constexpr, CHUNKS: tl.constexpr, MOST: tl.constexpr, AHEAD: tl.constexpr,
):  # fmt: skip
    if AHEAD:
        gdc_launch_dependents()
    SIZE: tl.constexpr = 2 * HALF
    head = tl.program_id(0)
    chunk = tl.program_id(1)
    shared = head // GROUP
    now = tl.load(position)
    token = chunk * CHUNK + tl.arange(0, CHUNK)
    half = tl.arange(0, HALF)
    whole = tl.arange(0, SIZE)
    # what earlier steps wrote: it can be fetched before the kernel in front has ended
    old = (token < now)[:, None]
    start = shared * CAPACITY * SIZE
    key_at = keys + start + token[:, None] * SIZE + half[None, :]
    low = tl.load(key_at, mask=old, other=0.0)
    high = tl.load(key_at + HALF, mask=old, other=0.0)
    value = tl.load(values + start + token[:, None] * SIZE + whole[None, :], mask=old, other=0.0)
    c = tl.load(cos + now * HALF + half)
    s = tl.load(sin + now * HALF + half)
    if AHEAD:
        gdc_wait()
    if chunk * CHUNK <= now:
        query_at = qkv + head * SIZE + half
        q_low, q_high = tl.load(query_at).to(tl.float32), tl.load(query_at + HALF).to(tl.float32)
        q_low, q_high = q_low * c - q_high * s, q_high * c + q_low * s
        new_at = qkv + (HEADS + shared) * SIZE + half
        k_low, k_high = tl.load(new_at).to(tl.float32), tl.load(new_at + HALF).to(tl.float32)
        k_low, k_high = k_low * c - k_high * s, k_high * c + k_low * s
        # as the cache will hold them
        k_low, k_high = k_low.to(keys.dtype.element_ty), k_high.to(keys.dtype.element_ty)
        new_value = tl.load(qkv + (HEADS + HEADS // GROUP + shared) * SIZE + whole).to(
            values.dtype.element_ty
        )
        scores = tl.sum(low.to(tl.float32) * q_low[None, :] + high.to(tl.float32) * q_high[None, :], axis=1)
        newest = tl.sum(k_low.to(tl.float32) * q_low + k_high.to(tl.float32) * q_high, axis=0)
        scores = tl.where(token == now, newest, scores) * scale
        scores = tl.where(token <= now, scores, float("-inf"))
        top = tl.max(scores, axis=0)
        weight = tl.exp(scores - top)
        total = tl.sum(weight, axis=0)
        mixed = tl.sum(weight[:, None] * value.to(tl.float32), axis=0)
        mixed += tl.sum(tl.where(token == now, weight, 0.0), axis=0) * new_value.to(tl.float32)
        if (head % GROUP == 0) & (now < (chunk + 1) * CHUNK):
            entry = start + now * SIZE
            tl.store(keys + entry + half, k_low)
            tl.store(keys + entry + HALF + half, k_high)
            tl.store(values + entry + whole, new_value)
        if CHUNKS == 1:
            tl.store(out + head * SIZE + whole, (mixed / total).to(out.dtype.element_ty))
        else:
            place = head * CHUNKS + chunk
            tl.store(tops + place, top)
            tl.store(sums + place, total)
            tl.store(parts + place * SIZE + whole, mixed)
            tl.debug_barrier()
            used = now // CHUNK + 1
            if tl.atomic_add(arrived + head, 1) == used - 1:
                every = tl.arange(0, MOST)
                at = head * CHUNKS + every
                there = every < used
                # past the first cache: other multiprocessors wrote these
                all_tops = tl.load(tops + at, mask=there, other=float("-inf"), cache_modifier=".cg")
                all_sums = tl.load(sums + at, mask=there, other=0.0, cache_modifier=".cg")
                share = tl.exp(all_tops - tl.max(all_tops, axis=0))
                spread = parts + at[:, None] * SIZE + whole[None, :]
                every_part = tl.load(spread, mask=there[:, None], other=0.0, cache_modifier=".cg")
                joined = tl.sum(every_part * share[:, None], axis=0) / tl.sum(all_sums * share, axis=0)
                tl.store(out + head * SIZE + whole, joined.to(out.dtype.element_ty))
                tl.store(arrived + head, 0)


@dataclass(frozen=True, slots=True)
class Scratch:
    """What the programs of one step leave for each other; zeroed once, then kept in order by the kernels."""

    tops: torch.Tensor
    sums: torch.Tensor
    parts: torch.Tensor
    arrived: torch.Tensor
    best: torch.Tensor
    done: torch.Tensor

    @classmethod
    def for_(cls, heads: int, head_dim: int, chunks: int, device: torch.device) -> Scratch:
        return cls(
            tops=torch.zeros(heads, chunks, device=device),
            sums=torch.zeros(heads, chunks, device=device),
            parts=torch.zeros(heads, chunks, head_dim, device=device),
            arrived=torch.zeros(heads, dtype=torch.int32, device=device),
            best=torch.full((1,), _LOWEST, dtype=torch.int64, device=device),
            done=torch.zeros(1, dtype=torch.int32, device=device),
        )


_LOWEST = -(2**63)


def attend(
    qkv: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    position: torch.Tensor,
    out: torch.Tensor,
    scratch: Scratch,
    chunking: Chunking,
    *,
    ahead: bool = False,
) -> None:
    """Attention of one token: `qkv`, queries, keys and values of all heads side by side, into `out`.

    `out` is heads × size; `keys` and `values` are kv_heads × capacity × size and get the token's entry at
    `position`; `cos` and `sin` are positions × size/2 in float32.
    """
    kv_heads, capacity, size = keys.shape
    heads = out.numel() // size
    chunks = triton.cdiv(capacity, chunking.tokens)
    launch = {"launch_pdl": True} if ahead else {}
    _attend[(heads, chunks)](
        qkv,
        keys,
        values,
        cos,
        sin,
        position,
        out,
        scratch.tops,
        scratch.sums,
        scratch.parts,
        scratch.arrived,
        size**-0.5,
        HEADS=heads,
        GROUP=heads // kv_heads,
        HALF=size // 2,
        CAPACITY=capacity,
        CHUNK=chunking.tokens,
        CHUNKS=chunks,
        MOST=triton.next_power_of_2(chunks),
        AHEAD=ahead,
        num_warps=chunking.warps,
        **launch,
    )


@triton.jit
def _choose(logits, token, position, best, done, V, BLOCK: tl.constexpr, AHEAD: tl.constexpr):  # type: ignore[no-untyped-def]
    if AHEAD:
        gdc_launch_dependents()
        gdc_wait()
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scores = tl.load(logits + at, mask=at < V, other=float("-inf")).to(tl.float32)
    bits = scores.to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    # the higher score first, and of equal ones the lower index
    key = (ordered.to(tl.int64) << 32) | (0x7FFFFFFF - at).to(tl.int64)
    tl.atomic_max(best, tl.max(key, axis=0))
    if tl.atomic_add(done, 1) == tl.num_programs(0) - 1:
        winner = tl.atomic_max(best, tl.full((), -0x8000000000000000, tl.int64))
        tl.store(token, 0x7FFFFFFF - (winner & 0xFFFFFFFF))
        tl.store(position, tl.load(position) + 1)
        tl.store(best, tl.full((), -0x8000000000000000, tl.int64))
        tl.store(done, 0)


def choose(
    logits: torch.Tensor,
    token: torch.Tensor,
    position: torch.Tensor,
    scratch: Scratch,
    *,
    ahead: bool = False,
) -> None:
    """Writes the index of the highest of `logits` (vocabulary) to `token`, and moves `position` on by one."""
    block = 2048
    launch = {"launch_pdl": True} if ahead else {}
    _choose[(triton.cdiv(logits.numel(), block),)](
        logits,
        token,
        position,
        scratch.best,
        scratch.done,
        logits.numel(),
        BLOCK=block,
        AHEAD=ahead,
        num_warps=4,
        **launch,
    )
