"""The two ceilings that measurements are set against: the datasheet's, and the one measured on this device.

Measured once per device and kept (`engine.measure.ceilings`); a lab that needs one measures what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from engine.folders import data_folder
from engine.measure import ceilings as kept
from engine.measure import specs
from engine.measure.ceilings import Ceilings
from engine.measure.device import Device
from engine.measure.fault import MeasureError
from engine.measure.hardware import environment, this_machine
from labs.kit.lab import Bench, DeviceType
from labs.kit.memory import free_bytes
from labs.kit.timing import Call, time_calls

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
_CPU_CACHE_IF_UNKNOWN = 32 * 1024**2
_NOISE = 2**22


@dataclass(frozen=True, slots=True)
class Limits:
    """What this device allows. Bandwidths in B/s, rates in FLOP/s; None where no datasheet is known."""

    copy: float
    read: float
    datasheet: float | None
    matmul: float
    """Measured, in the dtype asked for."""
    peak: float | None
    """The datasheet's dense rate in that dtype."""
    dtype: str
    cache_bytes: int
    source: str
    """Title and date of the datasheet, empty where there is none."""
    on_cpu: bool = False

    @property
    def reading(self) -> float:
        """B/s at which data that is only read can come from memory: what was copied or summed up fastest.

        On a CPU a copy also reads what it overwrites and so moves more than is counted; the two are close on
        a GPU, where the copy stands for both.
        """
        return max(self.copy, self.read) if self.on_cpu else self.copy

    @property
    def ridge_measured(self) -> float:
        """FLOP per byte above which the matrix units limit and no longer the memory, as measured here."""
        return self.matmul / self.copy

    @property
    def ridge_datasheet(self) -> float | None:
        return self.peak / self.datasheet if self.peak and self.datasheet else None


def limits_here(bench: Bench, dtype: str, progress: Callable[[str], None]) -> Limits:
    """The ceilings of the device the lab runs on; measures and keeps those not known yet.

    `progress` is told a stage code before each measurement. The ceilings are reported as metrics.
    """
    device, data = this_device_of(bench), data_folder()
    try:
        known = kept.load(data, device) or Ceilings()
    except MeasureError as error:  # a broken file: say so and measure anew
        bench.log(str(error))
        known = Ceilings()
    fresh = _measure_missing(known, bench.device, dtype, progress)
    limits = limits_of(bench, known if fresh is None else keep(bench, fresh, known), dtype)
    _report(bench, limits)
    return limits


def keep(bench: Bench, fresh: Ceilings, known: Ceilings | None = None) -> Ceilings:
    """Keeps what was measured on the bench's device, with the versions it was measured with.

    Returns all that is known of the device now; where the disk refuses, what was measured and `known`.
    """
    versions = {
        key: str(value) for key, value in environment().items() if key in ("torch", "driver", "cuda", "hip")
    }
    fresh = replace(fresh, versions=versions)
    try:
        return kept.save(data_folder(), this_device_of(bench), fresh)
    except MeasureError as error:  # a full or read-only disk must not cost the measurement
        bench.log(str(error))
        known = known or Ceilings()
        return Ceilings(
            copy_bandwidth=fresh.copy_bandwidth or known.copy_bandwidth,
            read_bandwidth=fresh.read_bandwidth or known.read_bandwidth,
            matmul_rate={**known.matmul_rate, **fresh.matmul_rate},
        )


def spec_of(bench: Bench) -> specs.Spec | None:
    """The datasheet of the GPU the lab runs on; None for a CPU, a slice of a GPU, or one not in the table."""
    device = this_device_of(bench)
    if device.type != "cuda" or device.mig:
        return None
    return specs.match(device.name, device.memory_bytes, device.sm_count)


def limits_of(bench: Bench, known: Ceilings, dtype: str) -> Limits:
    """What is known of the device, as limits in that dtype. Raises KeyError where its rate isn't known."""
    row = spec_of(bench)
    return Limits(
        copy=known.copy_bandwidth or 0.0,
        read=known.read_bandwidth or 0.0,
        datasheet=row.bandwidth if row else None,
        matmul=known.matmul_rate[dtype],
        peak=row.peak(dtype) if row else None,
        dtype=dtype,
        cache_bytes=cache_bytes(bench.device),
        source=row.source if row else "",
        on_cpu=bench.device == "cpu",
    )


def this_device_of(bench: Bench) -> Device:
    """The device the lab runs on, as `engine.measure.hardware` knows it."""
    machine = this_machine()
    return machine.gpus[0] if bench.device == "cuda" and machine.gpus else machine.cpu


def cache_bytes(device: DeviceType) -> int:
    """The last cache before memory: a GPU's L2, a CPU's last level."""
    if device == "cuda":
        return int(torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size)
    return this_machine().cpu.l2_bytes or _CPU_CACHE_IF_UNKNOWN


def measure_copy(device: DeviceType, size: int | None = None, budget_s: float = 0.5) -> float:
    """B/s of copying a large buffer to another, bytes read plus bytes written."""
    pairs = [(noise(device, size), noise(device, size)) for _ in range(2)]
    calls: list[Call] = [lambda a=a, b=b: b.copy_(a) for a, b in pairs]  # type: ignore[misc]
    timing = time_calls(calls, device=device, budget_s=budget_s)
    return float(2 * pairs[0][0].nbytes / (timing.median_ms / 1e3))


def measure_read(device: DeviceType, size: int | None = None, budget_s: float = 0.5) -> float:
    """B/s of summing up a large buffer: bytes read, next to nothing written."""
    buffers = [noise(device, size) for _ in range(2)]
    calls: list[Call] = [lambda b=b: b.sum() for b in buffers]  # type: ignore[misc]
    timing = time_calls(calls, device=device, budget_s=budget_s)
    return float(buffers[0].nbytes / (timing.median_ms / 1e3))


def measure_write(device: DeviceType, size: int | None = None, budget_s: float = 0.5) -> float:
    """B/s of filling a large buffer: bytes written."""
    buffers = [noise(device, size) for _ in range(2)]
    calls: list[Call] = [lambda b=b: b.fill_(1.5) for b in buffers]  # type: ignore[misc]
    timing = time_calls(calls, device=device, budget_s=budget_s)
    return float(buffers[0].nbytes / (timing.median_ms / 1e3))


def measure_matmul(device: DeviceType, dtype: str, side: int | None = None, budget_s: float = 0.5) -> float:
    """FLOP/s of a large square matrix product of random numbers."""
    if side is None:
        side = 8192 if device == "cuda" else 1536
    a, b = (torch.randn(side, side, device=device, dtype=DTYPES[dtype]) for _ in range(2))
    timing = time_calls([lambda: a @ b], device=device, budget_s=budget_s)
    return 2 * side**3 / (timing.median_ms / 1e3)


def _measure_missing(
    known: Ceilings, device: DeviceType, dtype: str, progress: Callable[[str], None]
) -> Ceilings | None:
    copy, read, rate = known.copy_bandwidth, known.read_bandwidth, known.matmul_rate.get(dtype)
    if copy and read and rate:
        return None
    if not copy:
        progress("measuring_copy")
        copy = measure_copy(device)
    if not read:
        progress("measuring_read")
        read = measure_read(device)
    if not rate:
        progress("measuring_matmul")
        rate = measure_matmul(device, dtype)
    if device == "cuda":
        torch.cuda.empty_cache()
    return Ceilings(copy_bandwidth=copy, read_bandwidth=read, matmul_rate={dtype: rate})


def noise(device: DeviceType, size: int | None) -> torch.Tensor:
    """A buffer of random numbers, several times the cache unless `size` (bytes) says otherwise."""
    count = max((large_bytes(device) if size is None else size) // 4, 1024)
    some = torch.randn(min(count, _NOISE), device=device, dtype=torch.float32)
    # a CPU takes seconds for a gigabyte of random numbers: a few million of them, over and over, are as good
    return some.repeat(-(-count // some.numel()))[:count].contiguous()


def large_bytes(device: DeviceType) -> int:
    """The size of a buffer that no cache holds, as far as memory has room."""
    wanted = max(8 * cache_bytes(device), 2**30 if device == "cuda" else 2**27)
    return min(wanted, free_bytes(device) // 8)


def _report(bench: Bench, limits: Limits) -> None:
    bench.metric("copy_bandwidth", limits.copy / 1e9, "GB/s")
    bench.metric("read_bandwidth", limits.read / 1e9, "GB/s")
    if limits.datasheet is not None:
        bench.metric("datasheet_bandwidth", limits.datasheet / 1e9, "GB/s")
    bench.metric("matmul_rate", limits.matmul / 1e12, "TFLOP/s", dtype=limits.dtype)
    bench.metric("ridge_point", limits.ridge_measured, "FLOP/B", ceiling="measured", dtype=limits.dtype)
    if limits.ridge_datasheet is not None:
        bench.metric("ridge_point", limits.ridge_datasheet, "FLOP/B", ceiling="datasheet", dtype=limits.dtype)
