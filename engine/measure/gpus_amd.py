"""AMD GPUs by the kernel's files (amdgpu's compute topology, no ROCm needed)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.measure.device import Device

# PCI device ids (Linux: drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c and the pci.ids list), for the GPUs whose
# product name the kernel doesn't give.
_NAMES = {
    0x738C: "AMD Instinct MI100",
    0x7408: "AMD Instinct MI250X",
    0x740C: "AMD Instinct MI250X",
    0x740F: "AMD Instinct MI210",
    0x74A0: "AMD Instinct MI300A",
    0x74A1: "AMD Instinct MI300X",
    0x74A5: "AMD Instinct MI325X",
    0x744C: "AMD Radeon RX 7900 XTX",
}


def find(
    environ: Mapping[str, str], sys_folder: Path = Path("/sys")
) -> tuple[tuple[Device, ...], str | None]:
    """The GPUs that ROCm would show, or none and the reason (None where there is no sign of an AMD GPU)."""
    nodes = sorted(
        (sys_folder / "class/kfd/kfd/topology/nodes").glob("*"),
        key=lambda node: int(node.name) if node.name.isdecimal() else -1,
    )
    devices = [device for device in (_device(node, sys_folder) for node in nodes) if device]
    if not devices:
        return (), None
    for variable in ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
        setting = environ.get(variable)
        if setting is None:
            continue
        numbers = [part.strip() for part in setting.split(",")]
        devices = [
            devices[int(number)] for number in numbers if number.isdecimal() and int(number) < len(devices)
        ]
        if not devices:
            return (), f"{variable}={setting!r} hides every GPU. Unset it to use one."
    return tuple(devices), None


def _device(node: Path, sys_folder: Path) -> Device | None:
    properties = _properties(node / "properties")
    simds, per_unit = properties.get("simd_count", 0), properties.get("simd_per_cu", 0)
    if not simds or not per_unit:  # a CPU's node
        return None
    banks = [_properties(bank) for bank in sorted((node / "mem_banks").glob("*/properties"))]
    memory = [bank for bank in banks if bank.get("heap_type") in (1, 2)]  # frame buffer, public or private
    l2 = [
        cache["size"] * 1024
        for cache in map(_properties, sorted((node / "caches").glob("*/properties")))
        if cache.get("level") == 2 and cache.get("size")
    ]
    card = sys_folder / f"class/drm/renderD{properties.get('drm_render_minor', 0)}/device"
    name = _line(card / "product_name") or _NAMES.get(properties.get("device_id", 0))
    architecture = properties.get("gfx_target_version", 0)
    unique = properties.get("unique_id")
    return Device(
        type="cuda",
        name=name or f"AMD GPU {properties.get('device_id', 0):#06x}",
        vendor="amd",
        memory_bytes=sum(bank.get("size_in_bytes", 0) for bank in memory) or None,
        sm_count=simds // per_unit,
        l2_bytes=max(l2, default=None),
        uuid=f"GPU-{unique:016x}" if unique else None,
        driver=_line(sys_folder / "module/amdgpu/version"),
        bus_width_bits=memory[0].get("width") if memory else None,
        memory_clock_mhz=memory[0].get("mem_clk_max") if memory else None,
        capability=_architecture(architecture),
    )


def _architecture(version: int) -> str | None:
    """`gfx_target_version` 90402 is gfx942: major × 10000 + minor × 100 + step, the last two in hex."""
    if not version:
        return None
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _properties(path: Path) -> dict[str, int]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # a node that this user may not read is a GPU that this user may not use
        return {}
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}


def _line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:  # most cards have no product name there
        return None
