"""An explicit decode loop: a token in, a token out, eager or compiled, on a growing or a fixed cache."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch

from labs.kit.lab import LabFailed
from labs.kit.quantise import Kind

CacheKind = Literal["dynamic", "static"]


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to run the step. `compile_mode` is torch.compile's; None runs without it.

    `kernels`: the library's, ours in Triton, or the library's for int8. `kind`: how the weights are held.
    """

    name: str
    cache: CacheKind
    compile_mode: str | None = None
    kernels: Literal["library", "triton", "int8"] = "library"
    kind: Kind = "plain"

    @property
    def wants_graphs(self) -> bool:
        """Whether the whole step is meant to be one CUDA graph."""
        return self.compile_mode in ("reduce-overhead", "max-autotune") or self.kernels == "triton"


EAGER = Mode("eager", "dynamic")
STATIC = Mode("static", "static")
REDUCE_OVERHEAD = Mode("reduce-overhead", "static", "reduce-overhead")
COMPILED = Mode("compiled", "static", "default")
BEST = Mode("best", "static", kernels="triton")
INT8 = Mode("int8", "static", kernels="triton", kind="int8")
INT4 = Mode("int4", "static", kernels="triton", kind="int4")
INT8_CPU = Mode("int8", "static", kernels="int8", kind="int8")

Step = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Takes tokens (batch × 1), gives the next tokens (batch × 1) and the logits (batch × vocabulary)."""


class Decoding(Protocol):
    """What every rung of the ladder is to those who check and time it."""

    @property
    def mode(self) -> Mode: ...

    def prefill(self) -> torch.Tensor:
        """Starts over: reads the prompt and gives the first token (batch × 1)."""

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The next token and the logits (batch × vocabulary), both the caller's only until the next step."""


def run(decoder: Decoding, token: torch.Tensor, steps: int) -> torch.Tensor:
    """Decodes `steps` tokens from `token` and gives the last one."""
    for _ in range(steps):
        token, _ = decoder.step(token)
    return token


class Decoder:
    """A model with a prompt, decoding greedily in one mode. The cache is built once and reused.

    `capacity` is how many tokens a sequence may have, the prompt among them; more are refused before the
    step runs. Raises LabFailed where the prompt alone is longer.
    """

    def __init__(self, model: Any, prompt: torch.Tensor, mode: Mode, capacity: int) -> None:
        if prompt.shape[1] >= capacity:
            raise LabFailed(
                "unsupported", f"A prompt of {prompt.shape[1]} tokens leaves no room in {capacity}."
            )
        self.mode = mode
        self.capacity = capacity
        self.length = 0
        self._model = model
        self._prompt = prompt
        self._cache = self._new_cache()
        # transformers 5.24 renamed the argument; the old name warns and breaks the compiled graph
        names = inspect.signature(model.forward).parameters
        self._cache_name = "cache" if "cache" in names else "past_key_values"
        self._eager: Step = self._step_once
        self._step: Step = self._eager
        if mode.compile_mode is not None:
            self._step = torch.compile(self._step_once, mode=mode.compile_mode, fullgraph=True, dynamic=False)

    def prefill(self) -> torch.Tensor:
        """Starts over: reads the prompt eagerly and gives the first token (batch × 1)."""
        if self.mode.cache == "static":
            self._cache.reset()
        else:
            self._cache = self._new_cache()
        self.length = self._prompt.shape[1]
        with torch.no_grad():
            return self._eager(self._prompt)[0]

    def step(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The next token and the logits. They are the caller's own only until the next step in a CUDA graph:
        the token is cloned, the logits are not."""
        if self.length >= self.capacity:
            raise LabFailed(
                "unsupported",
                f"The cache holds {self.capacity} tokens a sequence and is full: decode fewer.",
            )
        self.length += 1
        with torch.no_grad():
            if self.mode.wants_graphs:
                torch.compiler.cudagraph_mark_step_begin()
            following, logits = self._step(token)
            # fed back as it is, the token would be overwritten by the graph that reads it (pytorch#170604)
            return following.clone(), logits

    def run(self, token: torch.Tensor, steps: int) -> torch.Tensor:
        """Decodes `steps` tokens from `token` and gives the last one."""
        return run(self, token, steps)

    def _step_once(self, token: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        output = self._model(
            input_ids=token, use_cache=True, logits_to_keep=1, **{self._cache_name: self._cache}
        )
        logits = output.logits[:, -1, :]
        return logits.argmax(dim=-1, keepdim=True), logits

    def _new_cache(self) -> Any:
        from transformers import DynamicCache, StaticCache

        if self.mode.cache == "dynamic":
            return DynamicCache(config=self._model.config)
        return StaticCache(config=self._model.config, max_cache_len=self.capacity)


def random_prompt(model: Any, *, batch: int, tokens: int) -> torch.Tensor:
    """Random token ids, batch × tokens, the same at every call."""
    device = model.get_input_embeddings().weight.device
    generator = torch.Generator(device=device).manual_seed(2)
    vocabulary = model.get_input_embeddings().weight.shape[0]
    return torch.randint(vocabulary, (batch, tokens), device=device, generator=generator)


LOGIT_TOLERANCE = {torch.float32: 1e-3, torch.float16: 2e-2, torch.bfloat16: 0.15}
"""How far a mode's logits may be from eager's, relative to their norm. The roundings of all layers add up:
two correct ways to run 32 random layers in bf16 differ by 0.07."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What eager decoding gave: the tokens fed in, step by step, and the logits that came out.

    Of quantised weights: what a float32 model with the same dequantised weights gives for those tokens.
    """

    fed: tuple[torch.Tensor, ...]
    logits: tuple[torch.Tensor, ...]
    """In float32, of the model's precision."""
    tolerance: float
    """How far logits may be from these."""


def reference(decoder: Decoding, steps: int) -> Reference:
    """Decodes `steps` tokens, one at the least, and keeps everything."""
    token = decoder.prefill()
    fed, logits = [], []
    for _ in range(steps):
        fed.append(token.clone())
        token, scores = decoder.step(token)
        logits.append(scores.float().clone())
    return Reference(tuple(fed), tuple(logits), LOGIT_TOLERANCE[scores.dtype])


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a mode's tokens compare with eager's when both are fed eager's tokens.

    A tie is a token that differs where eager's own scores for the two candidates lie closer together than the
    row's typical difference makes certain; only `wrong` tokens speak against the mode.
    """

    tokens: int
    same: int
    ties: int
    logit_error: float
    """‖logits − eager's‖ / ‖eager's‖ over all steps."""
    tolerance: float

    @property
    def wrong(self) -> int:
        return self.tokens - self.same - self.ties

    @property
    def holds(self) -> bool:
        return self.wrong == 0 and self.logit_error <= self.tolerance


def agreement(decoder: Decoding, expected: Reference) -> Agreement:
    """Feeds eager's tokens and compares each choice."""
    decoder.prefill()
    same = ties = tokens = 0
    off = whole = 0.0
    for fed, wanted in zip(expected.fed, expected.logits, strict=True):
        _, scores = decoder.step(fed)
        got = scores.float()
        off += float((got - wanted).square().sum())
        whole += float(wanted.square().sum())
        chosen, best = got.argmax(dim=-1), wanted.argmax(dim=-1)
        # both candidates are off by the row's typical difference, and were picked from many
        close = 6 * (got - wanted).square().mean(dim=-1).sqrt()
        lead = (wanted.gather(-1, best[:, None]) - wanted.gather(-1, chosen[:, None]))[:, 0]
        tokens += chosen.numel()
        same += int((chosen == best).sum())
        ties += int(((chosen != best) & (lead <= close)).sum())
    error = (off / whole) ** 0.5 if whole else float("inf")
    return Agreement(tokens, same, ties, error, expected.tolerance)
