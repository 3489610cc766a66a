"""Llama models by name: their exact shapes with random weights, or real checkpoints through transformers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from labs.kit.lab import DeviceType, LabFailed
from labs.kit.memory import require

_SPARE = 1.15
"""Memory beside weights and cache: activations, the compiler's workspace, the allocator's rounding."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A Llama by its numbers, as in the `config.json` of its checkpoint."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    vocabulary: int
    rope_theta: float
    norm_eps: float
    positions: int
    tied: bool = False

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads

    @property
    def parameters(self) -> int:
        """Every weight, a tied embedding once."""
        attention = self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        layer = attention + 3 * self.hidden * self.intermediate + 2 * self.hidden
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return self.layers * layer + embeddings + self.hidden

    def kv_bytes_per_token(self, item_bytes: int) -> int:
        """Keys and values of one token over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * item_bytes


SHAPES: dict[str, Shape] = {
    # four of TinyLlama's layers: about 1 GB in fp32, more than the caches of nearly every CPU
    "small": Shape(4, 2048, 5632, 32, 4, 32000, 10000.0, 1e-5, 2048),
    # TinyLlama/TinyLlama-1.1B-Chat-v1.0, config.json
    "tinyllama-1.1b": Shape(22, 2048, 5632, 32, 4, 32000, 10000.0, 1e-5, 2048),
    # meta-llama/Llama-2-7b-hf, config.json
    "llama-2-7b": Shape(32, 4096, 11008, 32, 32, 32000, 10000.0, 1e-5, 4096),
    # meta-llama/Meta-Llama-3-8B, config.json
    "llama-3-8b": Shape(32, 4096, 14336, 32, 8, 128256, 500000.0, 1e-5, 8192),
}

CHECKPOINTS = {
    "tinyllama-1.1b": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "llama-2-7b": "meta-llama/Llama-2-7b-hf",
    "llama-3-8b": "meta-llama/Meta-Llama-3-8B",
}
"""Where `weights=pretrained` looks for a model unless a checkpoint is named."""


def random_model(shape: Shape, *, device: DeviceType, dtype: torch.dtype, tokens: int, batch: int) -> Any:
    """A `LlamaForCausalLM` of that shape with random weights, made on the device itself.

    `tokens` × `batch` is the room for keys and values that is reckoned with. Raises LabFailed where memory
    isn't enough.
    """
    needed = shape.parameters * dtype.itemsize + batch * tokens * shape.kv_bytes_per_token(dtype.itemsize)
    require(
        int(needed * _SPARE),
        device,
        what=f"A model of {shape.parameters / 1e9:.2f} billion parameters in {name_of(dtype)}",
        instead="Choose a smaller model (model=small) or end what else uses the memory.",
    )
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        num_hidden_layers=shape.layers,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        vocab_size=shape.vocabulary,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_theta},
        rms_norm_eps=shape.norm_eps,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=shape.tied,
        pad_token_id=None,
    )
    with torch.device("meta"):
        model = LlamaForCausalLM(config).to(dtype)
    model.to_empty(device=device)
    if shape.tied:
        model.tie_weights()
    _fill(model, device)
    # the rotary frequencies are a buffer that is computed, not stored: to_empty left it blank
    model.model.rotary_emb = type(model.model.rotary_emb)(config).to(device)
    return model.eval()


def checkpoint_source(checkpoint: str) -> str:
    """The folder, or the name on the hub. Raises LabFailed where it can be neither."""
    folder = Path(checkpoint).expanduser()
    if folder.is_dir():
        return str(folder)
    if checkpoint.startswith((".", "/", "~")) or checkpoint.count("/") != 1:
        raise LabFailed(
            "unsupported",
            f"checkpoint={checkpoint}: there is no such folder, and it is no name on the hub (owner/model).",
        )
    return checkpoint


def pretrained_model(
    checkpoint: str, *, device: DeviceType, dtype: torch.dtype, say: Callable[[str], None]
) -> Any:
    """The checkpoint of that name on the Hugging Face hub, or in that folder, loaded through transformers.

    Raises LabFailed where it isn't there, can't be fetched, is no causal language model, or doesn't fit.
    """
    source = checkpoint_source(checkpoint)
    from transformers import AutoConfig, AutoModelForCausalLM

    say(f"Loading {source}")
    try:
        config = AutoConfig.from_pretrained(source)
        with torch.device("meta"):
            size = sum(weight.numel() for weight in AutoModelForCausalLM.from_config(config).parameters())
        require(
            int(size * dtype.itemsize * _SPARE),
            device,
            what=f"{source} ({size / 1e9:.2f} billion parameters in {name_of(dtype)})",
            instead="Choose a smaller checkpoint or end what else uses the memory.",
        )
        model = AutoModelForCausalLM.from_pretrained(source, dtype=dtype)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise LabFailed(
            "unsupported",
            f"{source} can't be loaded: {reason} Name a folder that holds the checkpoint "
            "(checkpoint=/path/to/model), or log in to the hub where the model is gated.",
        ) from error
    return model.to(device).eval()


@torch.no_grad()
def _fill(model: Any, device: DeviceType) -> None:
    """Random weights as after training's start: projections of spread 0.02, norms near 1."""
    generator = torch.Generator(device=device).manual_seed(1)
    seen: set[int] = set()
    for name, weight in model.named_parameters():
        if weight.data_ptr() in seen:
            continue
        seen.add(weight.data_ptr())
        weight.normal_(1.0 if "norm" in name else 0.0, 0.02, generator=generator)


@dataclass(frozen=True, slots=True)
class StepBytes:
    """What one decode step must read at least, in bytes."""

    weights: int
    """Every weight once by its place, but of the embedding only the rows of this step's tokens."""
    kv: int
    """Keys and values of the context, all sequences together."""

    @property
    def total(self) -> int:
        return self.weights + self.kv


def step_bytes(model: Any, *, batch: int, context: int) -> StepBytes:
    """Bytes that a step of `batch` sequences with `context` tokens each reads. A tied embedding counts once,
    as the LM head reads all of it."""
    embedding = model.get_input_embeddings().weight
    head = model.get_output_embeddings().weight
    # by where a weight begins: tied ones begin in one place, parts of a joined projection in several
    places = {weight.data_ptr(): weight.nbytes for weight in model.parameters()}
    if head.data_ptr() != embedding.data_ptr():
        places[embedding.data_ptr()] = batch * embedding.shape[1] * embedding.itemsize
    config = model.config
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    kv_heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    per_token = 2 * config.num_hidden_layers * kv_heads * head_dim * embedding.itemsize
    return StepBytes(weights=int(sum(places.values())), kv=int(batch * context * per_token))


def name_of(dtype: torch.dtype) -> str:
    """`bf16`, `fp16`, `fp32`."""
    return {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32"}.get(dtype, str(dtype))
