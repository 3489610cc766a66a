"""What is known of a device that labs run on."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
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
        """The `device` object of a `started` event and of a result file, which people share: no serial."""
        return {key: value for key, value in asdict(self).items() if value is not None and key != "uuid"}
