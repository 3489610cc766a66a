"""What the GPU's clock and temperature were while something was timed. Reads only, changes nothing."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

import torch

from labs.kit.lab import Bench

_THROTTLES = {
    # nvmlClocksEventReasons of NVML 12 and later: those that slow a loaded GPU down
    0x0000000000000004: "power cap",
    0x0000000000000008: "hardware slowdown",
    0x0000000000000020: "software thermal slowdown",
    0x0000000000000040: "hardware thermal slowdown",
    0x0000000000000080: "power brake",
}


@dataclass(slots=True)
class ClockWatch:
    """Gathers one reading after each timing; silent where the GPU has no NVML (AMD, some virtual GPUs)."""

    _nvml: Any = None
    _handle: Any = None
    sm_mhz: list[int] = field(default_factory=list)
    temperature_c: list[int] = field(default_factory=list)
    throttles: set[str] = field(default_factory=set)
    highest_mhz: int | None = None

    @classmethod
    def start(cls) -> ClockWatch:
        """Watches torch's current GPU."""
        if not torch.cuda.is_available() or torch.version.hip:
            return cls()
        try:
            nvml = importlib.import_module("pynvml")
        except ImportError:  # without it the clock stays unknown, and nothing else is lost
            return cls()
        try:
            nvml.nvmlInit()
            uuid = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid)
            handle = nvml.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith("GPU-") else f"GPU-{uuid}")
            highest = int(nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM))
        except nvml.NVMLError:  # a MIG slice, a virtual GPU: no clock to read
            return cls()
        return cls(nvml, handle, highest_mhz=highest)

    def read(self) -> None:
        """Takes one reading."""
        if self._nvml is None:
            return
        nvml = self._nvml
        try:
            self.sm_mhz.append(int(nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_SM)))
            self.temperature_c.append(
                int(nvml.nvmlDeviceGetTemperature(self._handle, nvml.NVML_TEMPERATURE_GPU))
            )
            reasons = int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle))
        except nvml.NVMLError:  # some drivers answer only a part; what was read is kept
            return
        self.throttles |= {name for bit, name in _THROTTLES.items() if reasons & bit}

    def report(self, bench: Bench) -> None:
        """The median with lowest and highest reading as metrics, and a finding where the GPU was slowed."""
        for name, values, unit in (
            ("sm_clock", self.sm_mhz, "MHz"),
            ("temperature", self.temperature_c, "°C"),
        ):
            if values:
                middle = sorted(values)[len(values) // 2]
                bench.metric(name, middle, unit, samples=len(values), low=min(values), high=max(values))
        if self.throttles:
            bench.finding(
                "throttled",
                reasons=", ".join(sorted(self.throttles)),
                lowest_mhz=min(self.sm_mhz),
                highest_mhz=self.highest_mhz,
            )
