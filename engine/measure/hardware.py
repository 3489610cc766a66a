"""The hardware of this machine, found without torch: NVIDIA by NVML, AMD by /sys, the CPU by /proc and /sys.

A missing or broken driver is a reason in words, never an exception.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from engine.measure import gpus_amd, gpus_nvidia
from engine.measure.device import Device
from engine.measure.processor import this_processor


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
    release = platform.release().split("-")[0]  # what follows names the builder of the kernel, not the system
    found["platform"] = f"{platform.system()} {release} {platform.machine()}"
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
