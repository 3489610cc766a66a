"""Decides where a lab runs: on the GPU or on the CPU, and says why not."""

from __future__ import annotations

from types import ModuleType
from typing import Literal

from engine.measure.hardware import Machine, torch_build
from labs.kit.lab import DeviceType, Lab, LabFailed

Wanted = Literal["auto", "cuda", "cpu"]


def choose(lab: Lab, wanted: Wanted, machine: Machine) -> DeviceType:
    """The device by what is known before torch is loaded. Raises LabFailed."""
    if wanted != "auto" and wanted not in lab.devices:
        raise LabFailed(
            "unsupported", f"{lab.name} doesn't run on {wanted}: only on {', '.join(lab.devices)}."
        )
    reason = why_no_gpu(lab, machine)
    if wanted == "cpu" or (
        wanted == "auto" and ("cuda" not in lab.devices or (reason and "cpu" in lab.devices))
    ):
        return "cpu"
    if reason:
        raise LabFailed("needs_gpu", needs_gpu(lab, reason))
    return "cuda"


def why_no_gpu(lab: Lab, machine: Machine) -> str | None:
    """Why the lab can't use a GPU here, as far as known without torch; None where it can."""
    if not machine.gpus:
        return machine.why_no_gpu or "No GPU was found."
    if not lab.uses_torch:
        return None
    build = torch_build()
    needed = "hip" if machine.gpus[0].vendor == "amd" else "cuda"
    if build and needed not in build:
        kind = "ROCm" if needed == "hip" else "CUDA"
        return (
            f"There is a GPU ({machine.gpus[0].name}), but the installed torch {build.get('torch', '')} was "
            f"built without {kind}: install torch's {kind} build (see pytorch.org)."
        )
    return None


def needs_gpu(lab: Lab, reason: str) -> str:
    """The message of a `needs_gpu` failure: what is wrong and what to do."""
    if "cpu" in lab.devices:
        return f"{reason} Run it with --device cpu, or on a machine with a GPU."
    return f"{reason} {lab.name} measures GPUs only: run it on a machine that has one."


def try_gpu(torch: ModuleType) -> str | None:
    """Runs a first small kernel. Why torch can't use the GPU; None where it can. Creates a GPU context."""
    if not torch.cuda.is_available():
        return "torch finds no usable GPU (is the driver too old for it? `nvidia-smi` shows its version)."
    try:
        torch.ones(8, device="cuda").sum().item()
    except RuntimeError as error:
        if "out of memory" in str(error):
            raise  # the GPU works, others have filled it
        return f"The GPU can't be used: {str(error).splitlines()[0]}"
    return None
