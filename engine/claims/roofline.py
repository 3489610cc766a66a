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


@dataclass(frozen=True, slots=True)
class Work:
    """What a kernel has to do at least: bytes that cross DRAM once, and floating-point operations."""

    bytes: int
    flop: int

    @property
    def intensity(self) -> float:
        """FLOP a byte."""
        return self.flop / self.bytes


@dataclass(frozen=True, slots=True)
class Expected:
    """Percent of the datasheet's peaks (0 to 100), the least time in seconds, and which side is the limit."""

    memory_percent: float
    compute_percent: float
    seconds: float
    ridge: float
    limit: Literal["memory", "compute"]


def matmul(*, m: int, n: int, k: int, item_bytes: int) -> Work:
    """(m × k) · (k × n): every operand read once, the result written once. m is 1 in a GEMV of decode."""
    return Work(bytes=(m * k + k * n + m * n) * item_bytes, flop=2 * m * n * k)


def expect(work: Work, hardware: Hardware, dtype: str) -> Expected | None:
    """The roofline's expectation; None where bandwidth or matrix rate of the hardware isn't known."""
    bandwidth = hardware.quantities.get("memory_bandwidth")
    rate = hardware.quantities.get(f"peak_{dtype}")
    if bandwidth is None or rate is None or min(work.bytes, work.flop) <= 0:
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
