"""The rate of square matrix products by dtype and size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from labs.kit.lab import DeviceType
from labs.kit.memory import free_bytes
from labs.kit.timing import time_calls

SIDES = {"cuda": (512, 1024, 2048, 4096, 8192, 16384), "cpu": (128, 256, 512, 1024, 2048)}
LONGEST_MS = {"cuda": 25.0, "cpu": 80.0}
"""A product that would take longer is left out: a dozen of each is needed."""
_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}


def dtypes_here(device: DeviceType) -> tuple[str, ...]:
    """The dtypes whose products this device may have units for, the widest first."""
    if device == "cpu":
        return ("fp32", "bf16")
    if torch.version.hip:
        return ("fp32", "fp16", "bf16")
    major, minor = torch.cuda.get_device_capability()
    names = ["fp32"]
    if major >= 8:
        names.append("tf32")
    names.append("fp16")
    if major >= 8:
        names.append("bf16")
    if (major, minor) >= (8, 9):
        names.append("fp8")
    if (major, minor) >= (7, 5):
        names.append("int8")
    return tuple(names)


def fits(dtype: str, side: int, device: DeviceType) -> bool:
    """Whether operands, result and the float32 they are made from have room."""
    return side * side * (3 * _BYTES[dtype] + 8) < free_bytes(device) // 2


def measure_rate(dtype: str, side: int, device: DeviceType, budget_s: float) -> float:
    """FLOP/s (int8: OP/s) of a side × side product of random numbers.

    Raises RuntimeError where torch has no such product on this device.
    """
    with _tf32(dtype == "tf32"):
        timing = time_calls([_product(dtype, side, device)], device=device, budget_s=budget_s)
    return 2 * side**3 / (timing.median_ms / 1e3)


@contextmanager
def _tf32(wanted: bool) -> Iterator[None]:
    """Float32 products with or without tensor cores, as asked, not as the process was set."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = wanted
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _product(dtype: str, side: int, device: DeviceType) -> Callable[[], torch.Tensor]:
    if dtype == "int8":
        a, b = (torch.randint(-127, 128, (side, side), device=device, dtype=torch.int8) for _ in range(2))
        turned = b.t()
        return lambda: torch._int_mm(a, turned)
    a, b = (torch.randn(side, side, device=device, dtype=torch.float32) for _ in range(2))
    if dtype == "fp8":
        one = torch.ones((), device=device)
        left, right = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn).t()
        # fast accumulation is what the datasheet's rate is reached with
        return lambda: torch._scaled_mm(
            left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )
    if dtype in ("fp16", "bf16"):
        kind = torch.float16 if dtype == "fp16" else torch.bfloat16
        a, b = a.to(kind), b.to(kind)
    return lambda: a @ b
