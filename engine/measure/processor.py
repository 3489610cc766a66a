"""The CPU of this machine: model, cores, caches, memory."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import psutil

from engine.measure.device import Device

_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def this_processor(root: Path = Path("/")) -> Device:
    """The CPU as a device; `root` is where /proc and /sys lie. What can't be found out stays None."""
    return Device(
        type="cpu",
        name=_name(root),
        vendor="cpu",
        memory_bytes=psutil.virtual_memory().total,
        sm_count=psutil.cpu_count(logical=False) or psutil.cpu_count(),
        l2_bytes=_last_level_cache(root),
        capability=platform.machine() or None,
    )


def _name(root: Path) -> str:
    try:
        text = (root / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux
        text = ""
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", text, flags=re.MULTILINE)
    name = found.group(1) if found else _sysctl("machdep.cpu.brand_string") or platform.processor()
    return re.sub(r"\s+", " ", name).strip() or platform.machine() or "CPU"


def _last_level_cache(root: Path) -> int | None:
    """Bytes of the cache that lies before memory, one copy of it (a chip may have several)."""
    sizes: dict[int, int] = {}
    for cache in (root / "sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            kind = (cache / "type").read_text(encoding="ascii").strip()
            level = int((cache / "level").read_text(encoding="ascii"))
            size = re.fullmatch(r"(\d+)([KMG])", (cache / "size").read_text(encoding="ascii").strip())
        except (OSError, ValueError):  # a virtual machine may leave a file out
            continue
        if kind != "Instruction" and size:
            sizes[level] = int(size.group(1)) * _UNITS[size.group(2)]
    if sizes:
        return sizes[max(sizes)]
    found = _sysctl("hw.perflevel0.l2cachesize") or _sysctl("hw.l3cachesize")
    return int(found) if found and found.isdecimal() else None


def _sysctl(name: str) -> str | None:
    if sys.platform != "darwin":
        return None
    try:
        return subprocess.run(
            ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=True
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # the key doesn't exist on this Mac
        return None
