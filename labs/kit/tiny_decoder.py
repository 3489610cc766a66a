"""A Llama of a given shape as a small decode server holds it: weights, a fixed KV cache, a CUDA graph a step.

The weights are random. One sequence at a time; the token of a step is fed back on the device.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from labs.kit.models import Shape

_BLOCK = 2**22
"""Random numbers that are repeated: drawing a billion of them would take longer than the rest of the load."""


@dataclass(frozen=True, slots=True)
class _Layer:
    qkv: torch.Tensor
    out: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


class Decoder:
    """Made by `load`. `token` and `position` (both int64, one number) are what the next step works on."""

    def __init__(
        self, shape: Shape, layers: list[_Layer], embedding: torch.Tensor, head: torch.Tensor
    ) -> None:
        self.shape = shape
        self._layers = layers
        self._embedding = embedding
        self._head = head
        self._room = layers[0].keys.shape[1]
        device = embedding.device
        angles = _angles(shape, self._room, device)
        half = shape.head_dim // 2
        self._cosine, self._sine = angles.cos(), angles.sin()
        self._sine[:, :half] *= -1  # of the turn (−x₂, x₁): the half that comes first is taken negative
        self._places = torch.arange(self._room, device=device)
        self.token = torch.zeros(1, dtype=torch.int64, device=device)
        self.position = torch.zeros(1, dtype=torch.int64, device=device)
        self.logits = torch.zeros(1, shape.vocabulary, dtype=torch.bfloat16, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None

    @property
    def weight_bytes(self) -> int:
        """What a step reads of weights, in bytes."""
        parts = [w for layer in self._layers for w in (layer.qkv, layer.out, layer.gate_up, layer.down)]
        return sum(weight.nbytes for weight in (*parts, self._head))

    @torch.no_grad()
    def prefill(self, prompt: torch.Tensor) -> None:
        """Fills the cache with the prompt's tokens (int64, on the GPU) and chooses the first new one."""
        positions = self._places[: prompt.numel()]
        self.logits.copy_(self._forward(prompt, positions)[-1:])
        self.token.copy_(self.logits.argmax(-1))
        self.position.fill_(prompt.numel())

    @torch.no_grad()
    def step(self) -> None:
        """One token, each kernel launched by itself."""
        self.logits.copy_(self._forward(self.token, self.position))
        self.token.copy_(self.logits.argmax(-1))
        self.position.add_(1)

    def replay(self) -> None:
        """One token, as one launch of the graph."""
        if self._graph is None:
            raise RuntimeError("replay before capture")
        self._graph.replay()

    def capture(self) -> None:
        """Records the step into a CUDA graph; token, position and cache are as before afterwards."""
        token, position = self.token.clone(), self.position.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.step()
                self.position.copy_(position)
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self.step()
        self.token.copy_(token)
        self.position.copy_(position)

    def _forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Logits (tokens × vocabulary)."""
        shape, count = self.shape, tokens.numel()
        wide, narrow = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        x = self._embedding[tokens]
        unseen = self._places[None, :] > positions[:, None]
        mask = torch.zeros(unseen.shape, dtype=x.dtype, device=x.device).masked_fill(unseen, -torch.inf)
        cosine, sine = self._cosine[positions][:, None], self._sine[positions][:, None]
        for layer in self._layers:
            qkv = linear(rms_norm(x, (shape.hidden,), eps=shape.norm_eps), layer.qkv)
            qk = qkv[:, : wide + narrow].view(count, -1, shape.head_dim)
            qk = torch.addcmul(qk * cosine, qk.roll(shape.head_dim // 2, dims=-1), sine).transpose(0, 1)
            v = qkv[:, wide + narrow :].view(count, -1, shape.head_dim).transpose(0, 1)
            layer.keys.index_copy_(1, positions, qk[shape.heads :])
            layer.values.index_copy_(1, positions, v)
            mixed = scaled_dot_product_attention(
                qk[None, : shape.heads],
                layer.keys[None],
                layer.values[None],
                attn_mask=mask,
                enable_gqa=True,
            )[0]
            x = x + linear(mixed.transpose(0, 1).reshape(count, wide), layer.out)
            gate, up = linear(rms_norm(x, (shape.hidden,), eps=shape.norm_eps), layer.gate_up).chunk(
                2, dim=-1
            )
            x = x + linear(silu(gate) * up, layer.down)
        return linear(rms_norm(x, (shape.hidden,), eps=shape.norm_eps), self._head)


def load(shape: Shape, room: int, device: str = "cuda") -> Decoder:
    """Copies the weights from this machine's memory to the GPU, as a server does when it starts.

    `room` is the number of tokens the KV cache holds. One block of random numbers stands for all weights, so
    that making them takes no longer than copying them.
    """
    wide, narrow = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    largest = max(2 * shape.intermediate * shape.hidden, shape.vocabulary * shape.hidden)
    numbers = torch.empty(_BLOCK, dtype=torch.bfloat16)
    numbers.normal_(0.0, 0.02, generator=torch.Generator().manual_seed(1))
    block = numbers.repeat(-(-largest // _BLOCK))

    def weight(rows: int, columns: int) -> torch.Tensor:
        return block[: rows * columns].view(rows, columns).to(device, copy=True)

    def cache() -> torch.Tensor:
        return torch.zeros(shape.kv_heads, room, shape.head_dim, dtype=torch.bfloat16, device=device)

    layers = [
        _Layer(
            qkv=weight(wide + 2 * narrow, shape.hidden),
            out=weight(shape.hidden, wide),
            gate_up=weight(2 * shape.intermediate, shape.hidden),
            down=weight(shape.hidden, shape.intermediate),
            keys=cache(),
            values=cache(),
        )
        for _ in range(shape.layers)
    ]
    return Decoder(
        shape, layers, weight(shape.vocabulary, shape.hidden), weight(shape.vocabulary, shape.hidden)
    )


def _angles(shape: Shape, room: int, device: torch.device) -> torch.Tensor:
    """Rotary angles (room × head_dim), as in transformers' LlamaRotaryEmbedding."""
    half = torch.arange(0, shape.head_dim, 2, device=device) / shape.head_dim
    angles = torch.arange(room, device=device)[:, None] / shape.rope_theta**half
    return torch.cat((angles, angles), dim=-1).to(torch.bfloat16)
