"""The decode step recorded once as a CUDA graph, by hand, and replayed for every token."""

from __future__ import annotations

from typing import Any

import torch

from labs.kit.decode import Decoder, Mode
from labs.kit.lab import LabFailed

GRAPH = Mode("graph", "static")
FUSED = Mode("fused", "static", "default")
FUSED_GRAPH = Mode("fused_graph", "static", "default")
_WARM_UP = 4


class GraphedDecoder(Decoder):
    """A decoder whose whole step is one CUDA graph: the same kernels as in its mode, launched at once.

    It reads the token from and writes the next one to a place of its own. `record` must be called before the
    first step.
    """

    def __init__(self, model: Any, prompt: torch.Tensor, mode: Mode, capacity: int) -> None:
        super().__init__(model, prompt, mode, capacity)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._token = torch.zeros(prompt.shape[0], 1, dtype=prompt.dtype, device=prompt.device)
        self._following = self._logits = self._token

    def record(self) -> None:
        """Runs the step a few times on a side stream, then records it. Whatever torch raises is let through."""
        token = self.prefill()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            self._token.copy_(token)
            for _ in range(_WARM_UP):
                self._token.copy_(self._step(self._token)[0])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            self._following, self._logits = self._step(self._token)
            self._token.copy_(self._following)
        self._graph = graph

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The next token and the logits: the graph's own memory, overwritten by the next step."""
        if self._graph is None:
            raise LabFailed("crashed", "The step was not recorded before it was replayed.")
        if self.length >= self.capacity:
            raise LabFailed(
                "unsupported", f"The cache holds {self.capacity} tokens a sequence and is full: decode fewer."
            )
        self.length += 1
        if token is not self._token:
            self._token.copy_(token)
        self._graph.replay()
        return self._token, self._logits
