"""The shapes of the models that cards speak of, and what follows from a shape.

All are decoders of the Llama family: per layer q, k, v and o projections without biases, a gated MLP of
three matrices and two RMS norms; outside the layers an embedding, a final norm and an output head.
"""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_WEIGHT = 2
"""bf16 and fp16, in which every card counts."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A model's shape in numbers of its published configuration. `source` says which configuration."""

    key: str
    name: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    vocabulary: int
    tied: bool
    """The output head is the embedding table: it counts once, and is read whole in every step."""
    source: str

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads

    @property
    def layer_parameters(self) -> int:
        attention = 2 * self.hidden * self.hidden + 2 * self.hidden * self.kv_heads * self.head_dim
        return attention + 3 * self.hidden * self.intermediate + 2 * self.hidden

    @property
    def embedding_parameters(self) -> int:
        return self.vocabulary * self.hidden

    @property
    def parameters(self) -> int:
        """All weights, each distinct one once."""
        outside = self.embedding_parameters * (1 if self.tied else 2) + self.hidden
        return self.layers * self.layer_parameters + outside

    @property
    def weight_bytes(self) -> int:
        """Bytes of weights that a decode step reads: all but the embedding rows, which it gathers.

        A tied embedding is read whole, as the output head.
        """
        gathered = 0 if self.tied else self.embedding_parameters
        return BYTES_PER_WEIGHT * (self.parameters - gathered)

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of keys and values that a token adds to the cache, over all layers."""
        return BYTES_PER_WEIGHT * 2 * self.layers * self.kv_heads * self.head_dim

    def quantities(self) -> dict[str, tuple[float, str]]:
        """The named quantities of formulas, as value and unit."""
        return {
            "parameters": (self.parameters, ""),
            "weight_bytes": (self.weight_bytes, "B"),
            "layer_bytes": (BYTES_PER_WEIGHT * self.layer_parameters, "B"),
            "kv_bytes_per_token": (self.kv_bytes_per_token, "B"),
            "layers": (self.layers, ""),
            "hidden": (self.hidden, ""),
            "intermediate": (self.intermediate, ""),
            "heads": (self.heads, ""),
            "kv_heads": (self.kv_heads, ""),
            "head_dim": (self.head_dim, ""),
            "vocabulary": (self.vocabulary, ""),
        }


MODELS: dict[str, ModelShape] = {
    shape.key: shape
    for shape in (
        ModelShape(
            key="llama-3-8b",
            name="Llama 3 8B",
            layers=32,
            hidden=4096,
            intermediate=14336,
            heads=32,
            kv_heads=8,
            vocabulary=128256,
            tied=False,
            source="config.json of meta-llama/Meta-Llama-3-8B, April 2024",
        ),
        ModelShape(
            key="llama-2-7b",
            name="Llama 2 7B",
            layers=32,
            hidden=4096,
            intermediate=11008,
            heads=32,
            kv_heads=32,
            vocabulary=32000,
            tied=False,
            source="config.json of meta-llama/Llama-2-7b-hf, July 2023",
        ),
        ModelShape(
            key="tinyllama-1.1b",
            name="TinyLlama 1.1B",
            layers=22,
            hidden=2048,
            intermediate=5632,
            heads=32,
            kv_heads=4,
            vocabulary=32000,
            tied=False,
            source="config.json of TinyLlama/TinyLlama-1.1B-Chat-v1.0, December 2023",
        ),
        ModelShape(
            key="small",
            name="four layers of TinyLlama",
            layers=4,
            hidden=2048,
            intermediate=5632,
            heads=32,
            kv_heads=4,
            vocabulary=32000,
            tied=False,
            source="the lab mbu_floor: more weights than a CPU's caches hold",
        ),
    )
}
MODEL_QUANTITIES = frozenset(next(iter(MODELS.values())).quantities())
