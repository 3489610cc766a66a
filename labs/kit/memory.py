"""How much memory is free where a lab runs, and a clear word where it isn't enough."""

from __future__ import annotations

import psutil
import torch

from labs.kit.lab import DeviceType, LabFailed


def free_bytes(device: DeviceType) -> int:
    """Bytes that can be taken now: of the GPU, or of this machine without swapping."""
    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    return int(psutil.virtual_memory().available)


def require(needed: int, device: DeviceType, *, what: str, instead: str) -> None:
    """Raises LabFailed where fewer than `needed` bytes are free; `instead` says what to do."""
    free = free_bytes(device)
    if needed > free:
        place = "The GPU" if device == "cuda" else "This machine"
        raise LabFailed(
            "out_of_memory",
            f"{what} needs {needed / 1e9:.1f} GB of memory. {place} has {free / 1e9:.1f} GB free. {instead}",
        )
