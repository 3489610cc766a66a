"""The hand-written decode step: five Triton kernels a layer, the whole step one CUDA graph."""

from __future__ import annotations

import torch

from labs.kit.attention_triton import Scratch, attend, choose
from labs.kit.decode import Mode
from labs.kit.gemv_triton import Around, Norm, begin, gemv
from labs.kit.lab import LabFailed
from labs.kit.llama_math import Cache, forward
from labs.kit.packed_llama import PackedLlama
from labs.kit.tilings import StepPlan, plan_for


class FastStep:
    """One token's step on buffers of its own: `token` in, `token` and `logits` out, `position` moves on."""

    def __init__(self, llama: PackedLlama, cache: Cache, capacity: int, plan: StepPlan) -> None:
        self.llama, self.cache, self.plan = llama, cache, plan
        device = llama.device
        # the kernels of quantised weights read four columns at a time: float32 gives them 16 bytes
        kind = llama.dtype if llama.kind == "plain" else torch.float32

        def vector(size: int, dtype: torch.dtype = kind) -> torch.Tensor:
            return torch.zeros(size, device=device, dtype=dtype)

        width = llama.heads * llama.head_dim
        self.token = torch.zeros(1, 1, dtype=torch.int64, device=device)
        self.position = torch.zeros(1, dtype=torch.int64, device=device)
        self.logits = vector(llama.head.rows, torch.float32)
        self._stream, self._middle = vector(llama.hidden), vector(llama.hidden)
        self._scaled = vector(llama.hidden)
        # one sum a program, and no program makes less than one result
        self._squares = vector(llama.hidden, torch.float32)
        self._qkv = vector(llama.layers[0].qkv.rows)
        self._mixed, self._inner = vector(width), vector(llama.layers[0].down.columns)
        chunks = -(-capacity // plan.attention.tokens)
        self._scratch = Scratch.for_(llama.heads, llama.head_dim, chunks, device)
        gains = [gain for layer in llama.layers for gain in (layer.input_norm, layer.post_norm)]
        self._norms = [
            Norm(gain.to(kind), self._scaled, self._squares, llama.eps) for gain in (*gains, llama.norm)
        ]

    def enqueue(self) -> None:
        """Puts the step's kernels on the current stream."""
        llama, plan, ahead = self.llama, self.plan, self.plan.ahead
        # the first kernel doesn't start ahead: what the others fetch early was written a step ago
        parts = begin(llama.embedding, self.token, self._stream, self._norms[0], ahead=ahead)
        for number, layer in enumerate(llama.layers):
            before, between, following = self._norms[2 * number : 2 * number + 3]
            gemv(layer.qkv, self._scaled, self._qkv, plan.qkv, Around(before, parts), ahead=ahead)
            attend(
                self._qkv,
                self.cache.keys[number],
                self.cache.values[number],
                llama.cos,
                llama.sin,
                self.position,
                self._mixed,
                self._scratch,
                plan.attention,
                ahead=ahead,
            )
            after_o = Around(added=self._stream, after=between)
            parts = gemv(layer.o, self._mixed, self._middle, plan.o, after_o, ahead=ahead)
            swiglu = Around(between, parts, gated=True)
            gemv(layer.gate_up, self._scaled, self._inner, plan.gate_up, swiglu, ahead=ahead)
            after_down = Around(added=self._middle, after=following)
            parts = gemv(layer.down, self._inner, self._stream, plan.down, after_down, ahead=ahead)
        gemv(llama.head, self._scaled, self.logits, plan.head, Around(self._norms[-1], parts), ahead=ahead)
        choose(self.logits, self.token, self.position, self._scratch, ahead=ahead)


class FastDecoder:
    """Decodes one sequence greedily, on CUDA. The graph is recorded once, at the first step.

    Prompts are read by torch's operations with the same weights (dequantised where they are quantised).
    Raises LabFailed for more than one sequence, or a prompt as long as the capacity.
    """

    def __init__(self, llama: PackedLlama, prompt: torch.Tensor, mode: Mode, capacity: int) -> None:
        if prompt.shape[0] != 1:
            raise LabFailed("unsupported", "The hand-written kernels decode one sequence: set batch=1.")
        if prompt.shape[1] >= capacity:
            raise LabFailed(
                "unsupported", f"A prompt of {prompt.shape[1]} tokens leaves no room in {capacity}."
            )
        self.mode = mode
        self.capacity = capacity
        self.length = 0
        self._prompt = prompt[0]
        self._cache = Cache.empty(llama, capacity, llama.dtype)
        self._one = FastStep(llama, self._cache, capacity, plan_for(llama, capacity))
        self._graph: torch.cuda.CUDAGraph | None = None

    def prefill(self) -> torch.Tensor:
        """Starts over: reads the prompt and gives the first token (1 × 1)."""
        one = self._one
        logits = forward(one.llama, self._prompt, self._cache, 0)
        self.length = self._prompt.shape[0]
        one.position.fill_(self.length)
        one.token.copy_(logits.argmax(dim=-1, keepdim=True))
        return one.token

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The next token (1 × 1) and the logits (1 × vocabulary), both overwritten by the next step.

        Fed back as it is, the token costs no copy.
        """
        if self.length >= self.capacity:
            raise LabFailed(
                "unsupported", f"The cache holds {self.capacity} tokens a sequence and is full: decode fewer."
            )
        one = self._one
        if token.data_ptr() != one.token.data_ptr():
            one.token.copy_(token)
        if self._graph is None:
            self._graph = self._record()
        self.length += 1
        self._graph.replay()
        return one.token, one.logits[None]

    def _record(self) -> torch.cuda.CUDAGraph:
        """Compiles and runs the step once, then records it. The run's own traces are wiped out."""
        one = self._one
        token, position = one.token.clone(), one.position.clone()
        one.enqueue()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            one.enqueue()
        one.token.copy_(token)
        one.position.copy_(position)
        return graph
