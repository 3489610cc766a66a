"""Whether Triton works on this GPU: a small kernel is compiled and run."""

from __future__ import annotations

from functools import cache

import torch

from labs.kit.compiling import why_no_compiler

_COUNT = 1024


@cache
def why_no_triton() -> str | None:
    """Why not, in words; None where it works. It may lack what no look at the machine shows (Python.h, a
    compiler that is too old), so it is tried, once a process."""
    missing = why_no_compiler("cuda")
    if missing:
        return missing
    try:
        from labs.kit.sweep_triton import copy

        source = torch.arange(_COUNT, device="cuda", dtype=torch.float32)
        target = torch.zeros_like(source)
        copy(source, target)
        same = torch.equal(target, source)
    except Exception as error:  # noqa: BLE001  # a compiler may raise anything; it costs Triton, not the lab
        return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
    return None if same else "A first kernel by Triton gave a wrong result on this GPU."
