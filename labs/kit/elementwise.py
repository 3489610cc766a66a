"""The card's three elementwise operations and the ways to run them: eager, compiled, hand-written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F

from labs.kit.ceilings import DTYPES
from labs.kit.lab import DeviceType
from labs.kit.timing import Call
from labs.kit.traffic import Gelu, Operands

Variant = Literal["eager", "compiled", "triton"]
Operand: TypeAlias = torch.Tensor | float
Function = Callable[[torch.Tensor, Operand, Operand], torch.Tensor]

_MOST_BUFFERS = 96
_CACHES_COVERED = 4
"""The buffers taken in turn are this many times the cache, so that an input always comes from memory."""


@dataclass(slots=True)
class Work:
    """The tensors of one case. Inputs and outputs are taken in turn; a call frees its slot's old output."""

    side: int
    dtype: str
    gelu: Gelu
    operands: Operands
    inputs: list[torch.Tensor]
    scale: Operand
    bias: Operand
    outputs: list[torch.Tensor | None] = field(default_factory=list)

    @property
    def tensor_bytes(self) -> int:
        return int(self.inputs[0].nbytes)

    def calls(self, function: Function) -> list[Call]:
        """One call for each buffer."""
        self.outputs = [None] * len(self.inputs)

        def call(slot: int) -> None:
            self.outputs[slot] = function(self.inputs[slot], self.scale, self.bias)

        return [lambda slot=slot: call(slot) for slot in range(len(self.inputs))]  # type: ignore[misc]

    def drop_outputs(self) -> None:
        self.outputs = []


def buffers_for(side: int, item_bytes: int, cache_bytes: int) -> int:
    """How many inputs of side × side it takes to cover the cache several times, two at least."""
    return min(_MOST_BUFFERS, max(2, math.ceil(_CACHES_COVERED * cache_bytes / (side * side * item_bytes))))


def bytes_needed(side: int, item_bytes: int, cache_bytes: int) -> int:
    """Memory that a case takes: inputs, as many outputs, and eager's two intermediates."""
    return side * side * item_bytes * (2 * buffers_for(side, item_bytes, cache_bytes) + 2)


def prepare(
    side: int, *, dtype: str, gelu: Gelu, operands: Operands, device: DeviceType, cache_bytes: int
) -> Work:
    """Random inputs of side × side; scale and bias are numbers or random rows."""
    kind = DTYPES[dtype]
    generator = torch.Generator(device=device).manual_seed(side)
    count = buffers_for(side, kind.itemsize, cache_bytes)
    inputs = [torch.randn(side, side, dtype=kind, device=device, generator=generator) for _ in range(count)]
    scale: Operand = 1.25
    bias: Operand = 0.125
    if operands == "row":
        scale, bias = (torch.randn(side, dtype=kind, device=device, generator=generator) for _ in range(2))
    return Work(side, dtype, gelu, operands, inputs, scale, bias)


def eager(gelu: Gelu) -> Function:
    """As the card writes it: three operations, each a kernel of its own."""
    approximate = _approximate(gelu)

    def run(x: torch.Tensor, scale: Operand, bias: Operand) -> torch.Tensor:
        x = x * scale
        x = x + bias
        return F.gelu(x, approximate=approximate)

    return run


def compiled(gelu: Gelu) -> Function:
    """The same through torch.compile; a graph break is an error, not a slow success."""
    function: Function = torch.compile(eager(gelu), fullgraph=True, dynamic=False)
    return function


def separate_operations(gelu: Gelu) -> dict[str, Function]:
    """Each operation alone."""
    approximate = _approximate(gelu)
    return {
        "multiply": lambda x, scale, bias: x * scale,
        "add": lambda x, scale, bias: x + bias,
        "gelu": lambda x, scale, bias: F.gelu(x, approximate=approximate),
    }


def without_gelu() -> Function:
    """Multiply and add alone in one compiled kernel: what is missing from a copy's speed is not GELU's."""
    function: Function = torch.compile(lambda x, scale, bias: x * scale + bias, fullgraph=True, dynamic=False)
    return function


def into_kept_memory(gelu: Gelu, work: Work) -> Function:
    """Eager's three operations into tensors that are there already: no fresh memory from the system."""
    approximate = _approximate(gelu)
    first, second = torch.empty_like(work.inputs[0]), torch.empty_like(work.inputs[0])
    first.zero_()
    second.zero_()  # touched, so that the pages exist

    def run(x: torch.Tensor, scale: Operand, bias: Operand) -> torch.Tensor:
        torch.mul(x, scale, out=first)
        torch.add(first, bias, out=second)
        result: torch.Tensor = torch._C._nn.gelu(second, approximate=approximate, out=first)
        return result

    return run


def _approximate(gelu: Gelu) -> str:
    return "none" if gelu == "erf" else "tanh"
