"""In which precision a device decodes: the one its weights are read fastest in."""

from __future__ import annotations

import torch
from torch.nn.functional import linear

from labs.kit.lab import DeviceType
from labs.kit.timing import Call, time_calls

_VECTOR_SIDE, _MATRIX_SIDE = 4096, 256
_CLEARLY = 0.8


def weight_type(device: DeviceType) -> torch.dtype:
    """bf16 on a GPU that has it, else fp16. On a CPU bf16 only where it is clearly faster than fp32 there, in
    a matrix product too: half the bytes don't help a CPU that has to convert every weight."""
    if device == "cuda":
        known = torch.version.hip or torch.cuda.get_device_capability()[0] >= 8
        return torch.bfloat16 if known else torch.float16
    for rows, side in ((_MATRIX_SIDE, _MATRIX_SIDE), (1, _VECTOR_SIDE)):
        fp32, bf16 = (_linear_ms(rows, side, dtype) for dtype in (torch.float32, torch.bfloat16))
        if bf16 > _CLEARLY * fp32:
            return torch.float32
    return torch.bfloat16


def _linear_ms(rows: int, side: int, dtype: torch.dtype) -> float:
    weights = [torch.randn(side, side).to(dtype) for _ in range(2)]
    given = torch.randn(rows, side).to(dtype)
    calls: list[Call] = [lambda w=w: linear(given, w) for w in weights]  # type: ignore[misc]
    return time_calls(calls, device="cpu", budget_s=0.05).median_ms
