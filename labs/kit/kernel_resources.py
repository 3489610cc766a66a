"""What a compiled kernel takes of a multiprocessor: registers, shared memory, threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from labs.kit.lab import DeviceType

REGISTER_BYTES = 4
_WARP = 32
_REGISTERS_AT_A_TIME = 8
"""A thread's registers are allocated in eights (CUDA Occupancy Calculator, capability 7.0 to 12.0)."""


def known(device: DeviceType) -> bool:
    """Whether registers can be told here: on NVIDIA's GPUs (AMD counts them by wavefronts of its own)."""
    return device == "cuda" and torch.version.hip is None


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """What one multiprocessor of the current GPU has, by the driver's properties."""

    registers: int
    shared_bytes: int
    threads: int
    count: int

    @classmethod
    def here(cls) -> Multiprocessor:
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        return cls(
            registers=int(properties.regs_per_multiprocessor),
            shared_bytes=int(properties.shared_memory_per_multiprocessor),
            threads=int(properties.max_threads_per_multi_processor),
            count=int(properties.multi_processor_count),
        )

    @property
    def register_bytes(self) -> int:
        return self.registers * REGISTER_BYTES


@dataclass(frozen=True, slots=True)
class Resources:
    """Of one kernel: registers a thread, those that went to memory instead, threads and bytes a block."""

    registers: int
    spills: int
    threads: int
    shared_bytes: int

    def blocks_on(self, multiprocessor: Multiprocessor) -> int:
        """How many blocks fit on a multiprocessor at a time, by threads, registers and shared memory."""
        rounded = -(-self.registers // _REGISTERS_AT_A_TIME) * _REGISTERS_AT_A_TIME
        by = [multiprocessor.threads // self.threads, multiprocessor.registers // (rounded * self.threads)]
        if self.shared_bytes:
            by.append(multiprocessor.shared_bytes // self.shared_bytes)
        return max(0, min(by))

    def register_bytes_on(self, multiprocessor: Multiprocessor) -> int:
        """Bytes of one multiprocessor's registers that the kernel's blocks hold while it runs."""
        return self.blocks_on(multiprocessor) * self.threads * self.registers * REGISTER_BYTES


def of_triton(kernel: Any) -> Resources:
    """Of a kernel as a launch returns it."""
    return Resources(
        registers=int(kernel.n_regs),
        spills=int(kernel.n_spills),
        threads=int(kernel.metadata.num_warps) * _WARP,
        shared_bytes=int(kernel.metadata.shared),
    )


def of_compiled() -> Resources | None:
    """Of the last Triton kernel that torch.compile has loaded in this process; None where it tells none."""
    from torch._inductor.codecache import PyCodeCache

    for module in reversed(list(getattr(PyCodeCache, "modules", ()))):
        for value in vars(module).values():
            for launcher in getattr(value, "launchers", ()):
                if getattr(launcher, "n_regs", None) is None:
                    continue
                return Resources(
                    registers=int(launcher.n_regs),
                    spills=int(launcher.n_spills),
                    threads=int(launcher.config.num_warps) * _WARP,
                    shared_bytes=int(launcher.shared),
                )
    return None
