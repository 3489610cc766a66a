"""What the roofline expects of one kernel of known work on known hardware: Nsight Compute's pair of
percentages, before the report is believed.

The least time is the longer of bytes ÷ memory bandwidth and FLOP ÷ matrix rate, both by the datasheet (S.
Williams, A. Waterman, D. Patterson, "Roofline", CACM 52/4, 2009); at that time the other side idles for the
rest. Start and end of a kernel are left out, so a kernel of a few µs stays below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.claims.hardware_quantities import Hardware

ITEM_BYTES = {"bf16": 2, "fp16": 2}
"""Bytes a number, by type: those whose dense rate is in the spec table for nearly every GPU."""
ALL_ITEM_BYTES = {**ITEM_BYTES, "fp32": 4, "fp64": 8, "fp8, int8": 1}
"""The types of work whose arithmetic isn't predicted: for its bytes the size alone counts."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a kernel has to do at least: bytes that cross DRAM once, and floating-point operations of matrix
    products; `flop` is None where what it computes isn't one, so that no rate of a datasheet applies."""

    bytes: int
    flop: int | None


@dataclass(frozen=True, slots=True)
class Expected:
    """Percent of the datasheet's peaks (0 to 100), the least time in seconds, and which side is the limit.

    `compute_percent` and `ridge` (FLOP a byte) are None where arithmetic isn't predicted.
    """

    memory_percent: float
    compute_percent: float | None
    seconds: float
    ridge: float | None
    limit: Literal["memory", "compute"]


def matmul(*, m: int, n: int, k: int, item_bytes: int) -> Work:
    """(m × k) · (k × n): every operand read once, the result written once. m is 1 in a GEMV of decode."""
    return Work(bytes=(m * k + k * n + m * n) * item_bytes, flop=2 * m * n * k)


def elementwise(*, elements: int, reads: int, writes: int, item_bytes: int) -> Work:
    """`reads` inputs and `writes` outputs of `elements` numbers each, all moved once. A copy is 1 and 1."""
    return Work(bytes=elements * (reads + writes) * item_bytes, flop=None)


def reduction(*, elements: int, results: int, item_bytes: int) -> Work:
    """All numbers read once, the results written once; softmax and norms have as many results as numbers."""
    return Work(bytes=(elements + results) * item_bytes, flop=None)


def attention(
    *,
    batch: int,
    heads: int,
    kv_heads: int,
    queries: int,
    keys: int,
    head_dim: int,
    item_bytes: int,
    causal: bool = False,
) -> Work:
    """Scores and values as one kernel: Q, K and V read once, the output written once, scores never in DRAM.

    Two products of 2 · queries · keys · head_dim each (T. Dao, "FlashAttention-2", 2023, section 4.1, counts
    the same). `causal`: the last query sees every key, each one before it one fewer.
    """
    pairs = queries * keys
    if causal:
        pairs -= queries * (queries - 1) // 2
    return Work(
        bytes=2 * batch * head_dim * (heads * queries + kv_heads * keys) * item_bytes,
        flop=4 * batch * heads * head_dim * pairs,
    )


def expect(work: Work, hardware: Hardware, dtype: str) -> Expected | None:
    """The roofline's expectation; None where bandwidth or matrix rate of the hardware isn't known."""
    bandwidth = hardware.quantities.get("memory_bandwidth")
    if bandwidth is None or work.bytes <= 0:
        return None
    if work.flop is None:
        return Expected(100.0, None, work.bytes / bandwidth[0], None, "memory")
    rate = hardware.quantities.get(f"peak_{dtype}")
    if rate is None or work.flop <= 0:
        return None
    memory_s, compute_s = work.bytes / bandwidth[0], work.flop / rate[0]
    seconds = max(memory_s, compute_s)
    return Expected(
        memory_percent=100 * memory_s / seconds,
        compute_percent=100 * compute_s / seconds,
        seconds=seconds,
        ridge=rate[0] / bandwidth[0],
        limit="memory" if memory_s >= compute_s else "compute",
    )
