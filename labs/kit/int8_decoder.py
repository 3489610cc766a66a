"""Decoding on a CPU with int8 weights: the library's dynamic int8 products, everything else in float.

`linear_dynamic` holds weights as int8 with a scale a row, rounds each input to 8 bits as it comes (its own
scale each time), multiplies whole numbers and gives float32. So here the inputs are quantised too.
"""

from __future__ import annotations

import warnings

import torch

from labs.kit.decode import Mode
from labs.kit.lab import LabFailed
from labs.kit.llama_math import Cache, forward
from labs.kit.packed_llama import PackedLlama
from labs.kit.quantise import Matrix, int8_rows


class Int8Decoder:
    """One sequence, greedily. `llama` holds int8 weights. Raises LabFailed for more than one sequence."""

    def __init__(self, llama: PackedLlama, prompt: torch.Tensor, mode: Mode, capacity: int) -> None:
        if prompt.shape[0] != 1:
            raise LabFailed("unsupported", "The int8 step decodes one sequence: set batch=1.")
        self.mode = mode
        self.capacity = capacity
        self.length = 0
        self._llama = llama
        self._prompt = prompt[0]
        self._cache = Cache.empty(llama, capacity, torch.float32)
        matrices = [matrix for layer in llama.layers for matrix in layer.matrices] + [llama.head]
        self._products = {id(matrix): _prepared(matrix) for matrix in matrices}

    def prefill(self) -> torch.Tensor:
        self.length = 0
        return self._forward(self._prompt)[0]

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.length >= self.capacity:
            raise LabFailed(
                "unsupported", f"The cache holds {self.capacity} tokens a sequence and is full: decode fewer."
            )
        return self._forward(token[0])

    def _forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = forward(self._llama, tokens, self._cache, self.length, multiply=self._multiply)
        self.length += tokens.shape[0]
        return logits.argmax(dim=-1, keepdim=True), logits

    def _multiply(self, matrix: Matrix, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = torch.ops.quantized.linear_dynamic(x, self._products[id(matrix)], True)
        return made


def _prepared(matrix: Matrix) -> object:
    """The weights as the library's int8 kernel wants them."""
    rows, scales = int8_rows(matrix)
    zeros = torch.zeros(matrix.rows, dtype=torch.int64)
    with warnings.catch_warnings():
        # torch means to drop this way to hand weights over; once it has, the rung fails and says so
        warnings.filterwarnings(
            "ignore", message=".*quantized tensor creation functions", category=UserWarning
        )
        whole = torch._make_per_channel_quantized_tensor(rows, scales.double(), zeros, 0)
    return torch.ops.quantized.linear_prepack(whole, None)
