"""Builds the ways to run the three operations, and experiments that take something away from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import torch

from labs.kit.compiling import compile_in_this_process, forget_generated, generated_kernels
from labs.kit.elementwise import Function, Variant, Work, compiled, eager, without_gelu
from labs.kit.kernels import profile
from labs.kit.lab import DeviceType
from labs.kit.timing import time_calls
from labs.kit.traffic import Gelu, Operands

if TYPE_CHECKING:
    from labs.kit.fused_triton import Tiling
    from labs.kit.kernel_resources import Resources

_TUNING_S = 0.04


@dataclass(slots=True)
class Variants:
    """The variants of one run. The Triton kernel's tiling is chosen once for each kind of operands."""

    device: DeviceType
    gelu: Gelu
    names: tuple[Variant, ...]
    tilings: dict[Operands, Tiling] = field(default_factory=dict)

    def build(self, variant: Variant, work: Work) -> Function:
        """The variant as a function of x, scale and bias. Whatever the compiler raises is let through."""
        if variant == "eager":
            return eager(self.gelu)
        if variant == "compiled":
            compile_in_this_process()
            forget_generated()
            return compiled(self.gelu)
        return self._triton(work, self._short_gelu(work))

    def kernels(self, variant: Variant, function: Function, work: Work) -> tuple[int, int | None]:
        """Kernels that one call starts and the launches of the CPU, by the profiler.

        On a CPU the loops that the compiler wrote, and no launches.
        """
        if self.device == "cpu":
            return (3 if variant == "eager" else generated_kernels()), None
        seen = profile(lambda: function(work.inputs[0], work.scale, work.bias), 1)
        return seen.kernels, seen.launches

    def resources(self, work: Work) -> Resources:
        """What the hand-written kernel takes of a multiprocessor, in the tiling that was chosen."""
        from labs.kit.fused_triton import launch
        from labs.kit.kernel_resources import of_triton

        x = work.inputs[0]
        return of_triton(
            launch(
                x,
                torch.empty_like(x),
                work.scale,
                work.bias,
                gelu=self._short_gelu(work),
                tiling=self.tilings[work.operands],
            )
        )

    def experiments(self, work: Work) -> dict[str, Function]:
        """Fused kernels with less or more to compute: `without_gelu`, and `library_erf` for Triton's."""
        if "triton" in self.names:
            found = {"without_gelu": self._triton(work, "none")}
            if self.gelu == "erf":
                found["library_erf"] = self._triton(work, "library")
            return found
        return {"without_gelu": without_gelu()} if "compiled" in self.names else {}

    def _short_gelu(self, work: Work) -> str:
        from labs.kit.fused_triton import SHORT_GELU

        return SHORT_GELU[work.dtype] if self.gelu == "erf" else self.gelu

    def _triton(self, work: Work, gelu: str) -> Function:
        from labs.kit.fused_triton import TILINGS, scale_bias_gelu

        if work.operands not in self.tilings:
            timed = [
                (
                    time_calls(
                        work.calls(partial(scale_bias_gelu, gelu=gelu, tiling=tiling)),
                        device=self.device,
                        budget_s=_TUNING_S,
                    ).median_ms,
                    number,
                )
                for number, tiling in enumerate(TILINGS)
            ]
            self.tilings[work.operands] = TILINGS[min(timed)[1]]
        return partial(scale_bias_gelu, gelu=gelu, tiling=self.tilings[work.operands])
