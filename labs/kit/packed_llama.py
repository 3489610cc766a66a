"""A Llama's weights as a decode step reads them: projections of one input joined, in full or quantised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from labs.kit.lab import LabFailed
from labs.kit.quantise import Kind, Matrix, plain, quantised


@dataclass(frozen=True, slots=True)
class PackedLayer:
    """`qkv` and `gate_up` are the projections one above the other."""

    input_norm: torch.Tensor
    qkv: Matrix
    o: Matrix
    post_norm: torch.Tensor
    gate_up: Matrix
    down: Matrix

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        return self.qkv, self.o, self.gate_up, self.down


@dataclass(frozen=True, slots=True)
class PackedLlama:
    """`cos` and `sin` of the rotary positions: positions × head_dim/2, rounded as the model rounds them, in
    float32. `embedding` and the norms keep the model's dtype."""

    layers: tuple[PackedLayer, ...]
    embedding: torch.Tensor
    norm: torch.Tensor
    head: Matrix
    cos: torch.Tensor
    sin: torch.Tensor
    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    kind: Kind

    @property
    def hidden(self) -> int:
        return int(self.embedding.shape[1])

    @property
    def dtype(self) -> torch.dtype:
        return self.embedding.dtype

    @property
    def device(self) -> torch.device:
        return self.embedding.device

    @property
    def weight_bytes(self) -> int:
        """Bytes of weights that one token's step must read: everything, of the embedding one row."""
        matrices = sum(matrix.nbytes for layer in self.layers for matrix in layer.matrices)
        norms = sum(layer.input_norm.nbytes + layer.post_norm.nbytes for layer in self.layers)
        return int(matrices + norms + self.norm.nbytes + self.head.nbytes + self.embedding[0].nbytes)


@torch.no_grad()
def packed(model: Any, positions: int) -> PackedLlama:
    """The model's weights, joined in place: its own projections become views of the joined ones.

    So nothing is held twice. Raises LabFailed for a model that isn't a plain Llama.
    """
    config = model.config
    if (
        config.model_type != "llama"
        or config.attention_bias
        or config.mlp_bias
        or config.hidden_act != "silu"
    ):
        raise LabFailed(
            "unsupported", f"The hand-written step knows plain Llamas; this model is a {config.model_type}."
        )
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    embedding = model.get_input_embeddings().weight
    places = torch.arange(positions, device=embedding.device)[None]
    cos, sin = (
        table[0, :, : head_dim // 2].float().contiguous()
        for table in model.model.rotary_emb(embedding[:1, None], places)
    )
    return PackedLlama(
        layers=tuple(
            PackedLayer(
                input_norm=layer.input_layernorm.weight.data,
                qkv=_joined(layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj),
                o=plain(layer.self_attn.o_proj.weight.data),
                post_norm=layer.post_attention_layernorm.weight.data,
                gate_up=_joined(layer.mlp.gate_proj, layer.mlp.up_proj),
                down=plain(layer.mlp.down_proj.weight.data),
            )
            for layer in model.model.layers
        ),
        embedding=embedding.data,
        norm=model.model.norm.weight.data,
        head=plain(model.get_output_embeddings().weight.data),
        cos=cos,
        sin=sin,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        eps=config.rms_norm_eps,
        kind="plain",
    )


def _joined(*projections: Any) -> Matrix:
    whole = torch.cat([projection.weight.data for projection in projections])
    start = 0
    for projection in projections:
        rows = projection.weight.shape[0]
        projection.weight.data = whole[start : start + rows]
        start += rows
    return plain(whole)


@torch.no_grad()
def in_fewer_bits(llama: PackedLlama, kind: Kind) -> PackedLlama:
    """The same model with every projection and the LM head quantised; norms and embedding stay."""
    return replace(
        llama,
        layers=tuple(
            replace(
                layer,
                qkv=_again(layer.qkv, kind),
                o=_again(layer.o, kind),
                gate_up=_again(layer.gate_up, kind),
                down=_again(layer.down, kind),
            )
            for layer in llama.layers
        ),
        head=_again(llama.head, kind),
        kind=kind,
    )


def _again(matrix: Matrix, kind: Kind) -> Matrix:
    return quantised(matrix.weights, kind)
