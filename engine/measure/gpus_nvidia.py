"""NVIDIA GPUs by NVML (`nvidia-ml-py`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from engine.measure.device import Device

# CUDA cores of one SM by compute capability (CUDA C++ Programming Guide 13.0, arithmetic throughput).
_CORES_PER_SM = {"6.0": 64, "7.0": 64, "7.2": 64, "7.5": 64, "8.0": 64}
_CORES_PER_SM_ELSE = 128


def find(environ: Mapping[str, str], nvml: Any = None) -> tuple[tuple[Device, ...], str | None]:
    """The GPUs that CUDA would show, in the order of the PCI bus, or none and the reason.

    `nvml` is the module `pynvml`, imported here where it is not handed in.
    """
    if nvml is None:
        try:
            nvml = importlib.import_module("pynvml")
        except ImportError:
            return (), "The package nvidia-ml-py is missing: install requirements.txt."
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return (), _why_not(nvml, error)
    try:
        driver = _ask(nvml, nvml.nvmlSystemGetDriverVersion)
        handles = [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())]
        devices = [_device(nvml, handle, driver) for handle in handles]
    except nvml.NVMLError as error:
        return (), f"The NVIDIA driver doesn't answer for its GPUs ({error}). `nvidia-smi` shows more."
    finally:
        nvml.nvmlShutdown()
    if not devices:
        return (), "The NVIDIA driver runs but has no GPU."
    visible = _visible(devices, environ.get("CUDA_VISIBLE_DEVICES"))
    return visible, None if visible else (
        f"CUDA_VISIBLE_DEVICES={environ['CUDA_VISIBLE_DEVICES']!r} hides every GPU. Unset it to use one."
    )


def _why_not(nvml: Any, error: Exception) -> str:
    if isinstance(error, nvml.NVMLError_LibraryNotFound):
        return "No NVIDIA driver is installed."
    if isinstance(error, nvml.NVMLError_DriverNotLoaded):
        return "The NVIDIA driver is installed but not loaded: load it (`sudo modprobe nvidia`) or restart."
    if isinstance(error, nvml.NVMLError_LibRmVersionMismatch):
        return "The NVIDIA driver was updated and the old one still runs: restart this machine."
    if isinstance(error, nvml.NVMLError_NoPermission):
        return "This user may not use the GPU: ask for access to /dev/nvidia*."
    return f"The NVIDIA driver doesn't answer ({error}). `nvidia-smi` shows more."


def _ask(nvml: Any, question: Callable[..., Any], *args: Any) -> Any:
    """The answer, or None where this GPU or driver has none."""
    try:
        answer = question(*args)
    except nvml.NVMLError:  # a vGPU, a MIG slice or an old driver answers only some questions
        return None
    return answer.decode() if isinstance(answer, bytes) else answer


def _device(nvml: Any, handle: Any, driver: str | None) -> Device:
    memory = _ask(nvml, nvml.nvmlDeviceGetMemoryInfo, handle)
    capability = _ask(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle)
    version = f"{capability[0]}.{capability[1]}" if capability else None
    cores = _ask(nvml, nvml.nvmlDeviceGetNumGpuCores, handle)
    per_sm = _CORES_PER_SM.get(version or "", _CORES_PER_SM_ELSE)
    mig = _ask(nvml, nvml.nvmlDeviceGetMigMode, handle)
    return Device(
        type="cuda",
        name=str(nvml.nvmlDeviceGetName(handle)),
        vendor="nvidia",
        memory_bytes=memory.total if memory else None,
        sm_count=cores // per_sm if cores else None,
        uuid=_ask(nvml, nvml.nvmlDeviceGetUUID, handle),
        driver=driver,
        bus_width_bits=_ask(nvml, nvml.nvmlDeviceGetMemoryBusWidth, handle),
        memory_clock_mhz=_ask(nvml, nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_MEM),
        capability=version,
        mig=bool(mig and mig[0]),
    )


def _visible(devices: list[Device], setting: str | None) -> tuple[Device, ...]:
    """CUDA's rule: indices or UUID prefixes, cut off at the first that names no GPU or repeats one."""
    if setting is None:
        return tuple(devices)
    chosen: list[Device] = []
    for token in (part.strip() for part in setting.split(",")):
        if token.isdecimal() and int(token) < len(devices):
            device = devices[int(token)]
        elif token.startswith("GPU-"):
            found = [device for device in devices if (device.uuid or "").startswith(token)]
            if len(found) != 1:
                break
            device = found[0]
        elif token.startswith("MIG-"):
            sliced = [device for device in devices if device.mig]
            if not sliced:
                break
            device = sliced[0]
        else:
            break
        if device in chosen:
            break
        chosen.append(device)
    return tuple(chosen)
