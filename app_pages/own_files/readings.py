"""Which findings of a capture belong to which of the three readings of Nsight Systems."""

from __future__ import annotations

from collections.abc import Mapping

READINGS: Mapping[str, tuple[str, ...]] = {
    "gaps": ("gaps_small", "gaps_api_busy", "gaps_api_quiet", "gaps_api_unknown"),
    "cadence": ("kernel_bound", "launch_bound", "host_bound", "thin_kernels", "long_kernels"),
    "copies": ("copies_periodic", "copies_irregular", "copies_total"),
}
