"""The rungs of the ladder: which a device offers, how each is built, and what its tokens must agree with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from labs.kit.compiling import why_no_compiler
from labs.kit.decode import (
    BEST,
    COMPILED,
    EAGER,
    INT4,
    INT8,
    INT8_CPU,
    REDUCE_OVERHEAD,
    STATIC,
    Decoder,
    Decoding,
    Mode,
    Reference,
)
from labs.kit.lab import Bench, DeviceType
from labs.kit.llama_math import Cache, forward
from labs.kit.models import StepBytes, step_bytes
from labs.kit.packed_llama import PackedLlama, in_fewer_bits, packed

WANTED: dict[str, tuple[str, ...]] = {
    "all": ("eager", "static", "compiled", "reduce-overhead", "best", "int8", "int4"),
    "eager": ("eager", "static"),
    "compiled": ("eager", "compiled", "reduce-overhead"),
    "best": ("eager", "best"),
    "int8": ("eager", "best", "int8"),
    "int4": ("eager", "best", "int4"),
}
"""What each value of the lever `rungs` climbs: eager always, as the measure of the others."""

_INT8_INPUTS = 0.3
"""How far logits may be where the library rounds every input to 7 bits as well (0.11 over four layers)."""


def rungs(bench: Bench, batch: int) -> tuple[Mode, ...]:
    """The rungs that are wanted and that this device has. Says which of the wanted it hasn't, and why."""
    wanted = WANTED[str(bench.params["rungs"])]
    missing = why_no_compiler(bench.device)
    offered = [EAGER, STATIC]
    if bench.device == "cuda":
        offered += [] if missing else [REDUCE_OVERHEAD, BEST, INT8, INT4]
    else:
        offered += [INT8_CPU] if missing else [COMPILED, INT8_CPU]
    modes = [mode for mode in offered if mode.name in wanted]
    if missing and set(wanted) - {mode.name for mode in modes} - (
        {"best", "int4"} if bench.device == "cpu" else set()
    ):
        bench.finding("compiler_missing", message=missing)
    if bench.device == "cpu" and {"best", "int4"} & set(wanted):
        bench.finding("rungs_need_gpu")
    if batch > 1 and any(_own_step(mode) for mode in modes):
        bench.finding("one_sequence_only", batch=batch)
        modes = [mode for mode in modes if not _own_step(mode)]
    return tuple(modes)


def _own_step(mode: Mode) -> bool:
    return mode.kernels != "library"


@dataclass(slots=True)
class Builder:
    """Builds the decoder of each rung from one model. Projections are joined once, quantised for one rung."""

    model: Any
    prompt: torch.Tensor
    capacity: int
    device: DeviceType
    _packed: PackedLlama | None = None
    _quantised: dict[str, PackedLlama] = field(default_factory=dict)

    def build(self, mode: Mode) -> Decoding:
        """Raises LabFailed where the model or the batch can't be run this way."""
        if mode.kernels == "library":
            return Decoder(self.model, self.prompt, mode, self.capacity)
        llama = self._llama(mode)
        if mode.kernels == "int8":
            from labs.kit.int8_decoder import Int8Decoder

            return Int8Decoder(llama, self.prompt, mode, self.capacity)
        from labs.kit.fast_decoder import FastDecoder

        return FastDecoder(llama, self.prompt, mode, self.capacity)

    def read(self, mode: Mode, context: int) -> StepBytes:
        """What a step of that rung must read."""
        whole = step_bytes(self.model, batch=self.prompt.shape[0], context=context)
        return whole if mode.kind == "plain" else StepBytes(self._llama(mode).weight_bytes, whole.kv)

    def expected(self, mode: Mode, of_eager: Reference) -> Reference:
        """What the rung's tokens must agree with: eager's, or for quantised weights those of a float32 model
        that multiplies with the same dequantised weights, fed the same tokens."""
        if mode.kind == "plain":
            return of_eager
        llama = self._llama(mode)
        tokens = torch.cat([self.prompt[0], *(token[0] for token in of_eager.fed)])
        cache = Cache.empty(llama, tokens.shape[0], torch.float32)
        logits = forward(llama, tokens, cache, 0, last=len(of_eager.fed))
        tolerance = _INT8_INPUTS if mode.kernels == "int8" else of_eager.tolerance
        return Reference(of_eager.fed, tuple(row[None] for row in logits), tolerance)

    def forget(self, mode: Mode) -> None:
        """Gives back what was made for that rung alone."""
        if self._quantised.pop(mode.kind, None) is not None and self.device == "cuda":
            torch.cuda.empty_cache()

    def _llama(self, mode: Mode) -> PackedLlama:
        if self._packed is None:
            self._packed = packed(self.model, self.capacity)
        if mode.kind == "plain":
            return self._packed
        if mode.kind not in self._quantised:
            self._quantised[mode.kind] = in_fewer_bits(self._packed, mode.kind)
        return self._quantised[mode.kind]
