"""The models' shapes against their published sizes."""

from __future__ import annotations

import pytest

from engine.claims.models import MODELS


@pytest.mark.parametrize(
    ("key", "parameters", "kv_bytes"),
    [
        ("llama-3-8b", 8_030_261_248, 131_072),
        ("llama-2-7b", 6_738_415_616, 524_288),
        ("tinyllama-1.1b", 1_100_048_384, 22_528),
    ],
)
def test_a_shape_has_the_published_number_of_parameters(key: str, parameters: int, kv_bytes: int) -> None:
    assert MODELS[key].parameters == parameters
    assert MODELS[key].kv_bytes_per_token == kv_bytes


def test_a_step_reads_every_weight_but_the_embedding_table() -> None:
    llama = MODELS["llama-3-8b"]
    assert llama.weight_bytes == 2 * (8_030_261_248 - 128_256 * 4096) == 15_009_849_344


@pytest.mark.parametrize("key", MODELS)
def test_the_labs_measure_the_shapes_that_the_formulas_speak_of(key: str) -> None:
    shapes = pytest.importorskip("labs.kit.models", reason="the labs need torch").SHAPES
    ours, theirs = MODELS[key], shapes[key]
    for name in ("layers", "hidden", "intermediate", "heads", "kv_heads", "vocabulary", "tied", "parameters"):
        assert getattr(ours, name) == getattr(theirs, name), name


def test_a_layer_of_tinyllama_is_88_mb() -> None:
    assert MODELS["tinyllama-1.1b"].quantities()["layer_bytes"] == (88_088_576, "B")
