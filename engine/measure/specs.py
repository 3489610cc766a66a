"""What the datasheets promise: memory bandwidth and dense matrix rates of the GPUs that labs may meet.

A row tells variants apart by the driver's name, the memory and the count of multiprocessors. Its second
source is the chip itself: `bus_bits` × `pin_gbps` gives the bandwidth, and `tensor_flops` a multiprocessor
and clock × `boost_mhz` the rate; a test holds both within 2.5 % of the datasheet's figures.

Rates are dense (datasheets print twice that "with sparsity") and with FP32 accumulation, which torch uses:
GeForce cards reach only half of their FP16-accumulate rate with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.measure import spec_table

GIB = 1024**3
_MEMORY_SHARE = 0.08
"""A driver reports up to this much less or more than the nominal memory (ECC, reserved pages)."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A GPU by its datasheet. Bandwidth in B/s, rates in FLOP/s (int8 in OP/s), sizes in bytes.

    A rate is None where the hardware has no such matrix unit or the datasheet doesn't say.
    """

    key: str
    name: str
    pattern: str
    """Matches the whole of the driver's name, without its vendor."""
    memory_bytes: int
    sm_count: int
    l2_bytes: int
    """The last cache before memory, all of it (AMD: the Infinity Cache where there is one)."""
    bandwidth: float
    peak_bf16: float | None
    peak_fp16: float
    peak_fp8: float | None
    peak_int8: float | None
    source: str
    """Title and date of the datasheet."""
    note: str
    bus_bits: int
    pin_gbps: float
    tensor_flops: int | None
    boost_mhz: int | None

    def peak(self, dtype: str) -> float | None:
        """The dense rate for `bf16`, `fp16`, `fp8` or `int8` in FLOP/s; None where there is none."""
        rates = {
            "bf16": self.peak_bf16,
            "fp16": self.peak_fp16,
            "fp8": self.peak_fp8,
            "int8": self.peak_int8,
        }
        return rates.get(dtype)


@cache
def specs() -> tuple[Spec, ...]:
    """Every row of the table."""
    return tuple(_spec(row) for row in spec_table.ROWS)


def spec(key: str) -> Spec | None:
    """The row of that key (`h100-sxm`), None where there is none."""
    return next((row for row in specs() if row.key == key), None)


@lru_cache(maxsize=1024)
def match(name: str, memory_bytes: int | None = None, sm_count: int | None = None) -> Spec | None:
    """The datasheet of the GPU that its driver calls `name`; None where no row is certain.

    Memory and multiprocessors, where given, must fit: a MIG slice, a laptop's or a cut-down GPU of the same
    name has no row.
    """
    plain = re.sub(r"^(NVIDIA |AMD |Tesla |Quadro )+", "", re.sub(r"\s+", " ", name.strip()))
    for row in specs():
        if not re.fullmatch(row.pattern, plain, flags=re.IGNORECASE):
            continue
        if memory_bytes is not None and abs(memory_bytes / row.memory_bytes - 1) > _MEMORY_SHARE:
            continue
        if sm_count is not None and sm_count != row.sm_count:
            continue
        return row
    return None


def disagreement(row: Spec, bus_bandwidth: float | None) -> float | None:
    """How far the driver's clock × bus width lies off the datasheet, as a share; None up to 5 %."""
    if bus_bandwidth is None:
        return None
    share = bus_bandwidth / row.bandwidth - 1
    return share if abs(share) > 0.05 else None


def _spec(row: spec_table.Row) -> Spec:
    return Spec(
        key=row.key,
        name=row.name,
        pattern=row.pattern,
        memory_bytes=row.memory_gib * GIB,
        sm_count=row.sms,
        l2_bytes=round(row.l2_mib * 1024**2),
        bandwidth=row.gbs * 1e9,
        peak_bf16=_tera(row.bf16),
        peak_fp16=row.fp16 * 1e12,
        peak_fp8=_tera(row.fp8),
        peak_int8=_tera(row.int8),
        source=row.source,
        note=row.note,
        bus_bits=row.bus_bits,
        pin_gbps=row.pin_gbps,
        tensor_flops=row.tensor_flops,
        boost_mhz=row.boost_mhz,
    )


def _tera(value: float | None) -> float | None:
    return None if value is None else value * 1e12
