"""The hardware of this machine, found without torch: NVIDIA by NVML, AMD by /sys, the CPU by /proc and /sys.

A missing or broken driver is a reason in words, never an exception.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

Vendor = Literal["nvidia", "amd", "cpu"]


@dataclass(frozen=True, slots=True)
class Device:
    """A device that labs run on. `type` is torch's name for it: `cuda` for NVIDIA and for AMD GPUs.

    Sizes are in bytes, clocks in MHz. A field that can't be found out is None.
    """

    type: Literal["cuda", "cpu"]
    name: str
    vendor: Vendor
    memory_bytes: int | None = None
    sm_count: int | None = None
    """Streaming multiprocessors, compute units (AMD) or physical cores (CPU)."""
    l2_bytes: int | None = None
    """The L2 of a GPU, the last-level cache of a CPU."""
    uuid: str | None = None
    driver: str | None = None
    bus_width_bits: int | None = None
    memory_clock_mhz: int | None = None
    capability: str | None = None
    """NVIDIA's compute capability ("9.0") or AMD's architecture ("gfx942")."""
    mig: bool = False
    """A slice of a GPU, or a GPU with MIG on: datasheet ceilings don't apply."""

    @property
    def key(self) -> str:
        """Tells devices of this machine apart: letters, digits and hyphens, fit for a file name."""
        name = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or self.vendor
        part = re.sub(r"[^a-z0-9]", "", (self.uuid or "").lower().removeprefix("gpu-"))[:8]
        return f"{name[:80]}-{part}" if part else name[:80]

    @property
    def bus_bandwidth(self) -> float | None:
        """B/s by the driver's memory clock and bus width, two transfers a clock; None where unknown."""
        if not self.bus_width_bits or not self.memory_clock_mhz:
            return None
        return self.memory_clock_mhz * 1e6 * 2 * self.bus_width_bits / 8

    def as_event(self) -> dict[str, Any]:
        """The `device` object of a `started` event and of a result file."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Machine:
    """The GPUs that a process started now would see, in torch's order, and the CPU."""

    gpus: tuple[Device, ...]
    cpu: Device
    why_no_gpu: str | None
    """In words, where `gpus` is empty."""

    @property
    def device(self) -> Device:
        """What a lab runs on by default."""
        return self.gpus[0] if self.gpus else self.cpu


@cache
def this_machine() -> Machine:
    """This machine, looked at once per process (`this_machine.cache_clear()` looks again)."""
    from engine.measure import gpus_amd, gpus_nvidia
    from engine.measure.processor import this_processor

    gpus, why_no_gpu = gpus_nvidia.find(os.environ)
    if not gpus:
        gpus, why_not_amd = gpus_amd.find(os.environ)
        why_no_gpu = why_not_amd or why_no_gpu
    return Machine(gpus=gpus, cpu=this_processor(), why_no_gpu=None if gpus else why_no_gpu)


def this_device() -> Device:
    """The first GPU that is visible (`CUDA_VISIBLE_DEVICES` is respected), else the CPU."""
    return this_machine().device


def environment() -> dict[str, Any]:
    """Versions of what a measurement stands on, without importing any of it. What is missing isn't listed."""
    found: dict[str, Any] = {}
    for package in ("torch", "transformers", "triton"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found |= torch_build()
    driver = next((gpu.driver for gpu in this_machine().gpus if gpu.driver), None)
    if driver:
        found["driver"] = driver
    found["python"] = platform.python_version()
    found["platform"] = f"{platform.system()} {platform.release()} {platform.machine()}"
    return found


def torch_build() -> dict[str, str]:
    """`torch`, and `cuda` or `hip` where torch was built for it, read from its version file."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return {}
    try:
        text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    except OSError:  # a torch without the file says its version by its package alone
        return {}
    pattern = r"^(__version__|cuda|hip)\b[^=\n]*=\s*['\"]([^'\"]+)['\"]"
    return {
        "torch" if name == "__version__" else name: value
        for name, value in re.findall(pattern, text, flags=re.MULTILINE)
    }


def torch_is_installed() -> bool:
    return "torch" in sys.modules or importlib.util.find_spec("torch") is not None
