"""The decode step recorded once as a CUDA graph, by hand, and replayed for every token."""

from __future__ import annotations

from typing import Any

import torch

from labs.kit.decode import Decoder, Mode
from labs.kit.lab import LabFailed

_WARM_UP = 4


class GraphedDecoder(Decoder):
    """A decoder whose whole step becomes one CUDA graph with `record`: the same kernels, launched at once.

    Until then it decodes as its mode says. The graph reads the token from a place of its own, and leaves the
    next one there. The mode needs a static cache: a graph holds addresses.
    """

    def __init__(self, model: Any, prompt: torch.Tensor, mode: Mode, capacity: int) -> None:
        super().__init__(model, prompt, mode, capacity)
        self.replays = True
        """False: it decodes as its mode says although it has recorded its graph."""
        self._graph: torch.cuda.CUDAGraph | None = None
        self._token = torch.zeros(prompt.shape[0], 1, dtype=prompt.dtype, device=prompt.device)
        self._logits = self._token

    def record(self) -> None:
        """Runs the step a few times on a side stream, then records it. What torch raises is let through."""
        token = self.prefill()
        self.replays = True
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            self._token.copy_(token)
            for _ in range(_WARM_UP):
                self._token.copy_(self._step(self._token)[0])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            following, self._logits = self._step(self._token)
            self._token.copy_(following)
        self._graph = graph

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The next token and the logits; once recorded they are the graph's own until the next step."""
        if self._graph is None or not self.replays:
            return super().step(token)
        if self.length >= self.capacity:
            raise LabFailed(
                "unsupported", f"The cache holds {self.capacity} tokens a sequence and is full: decode fewer."
            )
        self.length += 1
        if token is not self._token:
            self._token.copy_(token)
        self._graph.replay()
        return self._token, self._logits
