"""Llama shapes: as large as their checkpoints, made in place, and read as many bytes as they must."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import LlamaForCausalLM

from labs.kit.lab import LabFailed
from labs.kit.models import SHAPES, Shape, pretrained_model, random_model, step_bytes

TINY = Shape(
    layers=2,
    hidden=64,
    intermediate=128,
    heads=4,
    kv_heads=2,
    vocabulary=200,
    rope_theta=500000.0,
    norm_eps=1e-5,
    positions=256,
)


def tiny(shape: Shape = TINY) -> LlamaForCausalLM:
    model: LlamaForCausalLM = random_model(shape, device="cpu", dtype=torch.float32, tokens=64, batch=1)
    return model


@pytest.mark.parametrize(
    ("name", "parameters"),
    # the totals of the checkpoints' safetensors indices
    [("tinyllama-1.1b", 1_100_048_384), ("llama-2-7b", 6_738_415_616), ("llama-3-8b", 8_030_261_248)],
)
def test_shapes_have_the_checkpoints_parameters(name: str, parameters: int) -> None:
    assert SHAPES[name].parameters == parameters


def test_llama_3_8b_keeps_128_kib_of_keys_and_values_a_token() -> None:
    assert SHAPES["llama-3-8b"].kv_bytes_per_token(2) == 128 * 1024


@pytest.mark.parametrize("tied", [False, True])
def test_a_random_model_has_the_weights_its_shape_says(tied: bool) -> None:
    shape = replace(TINY, tied=tied)
    assert sum(weight.numel() for weight in tiny(shape).parameters()) == shape.parameters


def test_a_model_made_in_place_computes_like_one_made_the_usual_way() -> None:
    made = tiny()
    usual = LlamaForCausalLM(made.config).eval()
    usual.load_state_dict(made.state_dict())
    tokens = torch.randint(TINY.vocabulary, (1, 40))
    with torch.no_grad():
        assert torch.allclose(made(tokens).logits, usual(tokens).logits, atol=1e-5)


def test_an_untied_embedding_is_read_by_rows_a_tied_one_whole() -> None:
    item = 4
    shared = TINY.vocabulary * TINY.hidden * item
    untied, tied = (
        step_bytes(tiny(), batch=3, context=10),
        step_bytes(tiny(replace(TINY, tied=True)), batch=3, context=10),
    )
    assert untied.weights == TINY.parameters * item - shared + 3 * TINY.hidden * item
    assert tied.weights == replace(TINY, tied=True).parameters * item


def test_keys_and_values_grow_with_batch_and_context() -> None:
    read = step_bytes(tiny(), batch=3, context=10)
    assert read.kv == 3 * 10 * TINY.kv_bytes_per_token(4)
    assert read.total == read.weights + read.kv


def test_a_model_that_does_not_fit_says_what_it_needs() -> None:
    huge = replace(TINY, layers=10_000, hidden=16384, intermediate=65536)
    with pytest.raises(LabFailed, match=r"needs \d+\.\d GB of memory.*smaller model") as caught:
        tiny(huge)
    assert caught.value.code == "out_of_memory"


def test_a_checkpoint_folder_is_loaded_with_its_own_weights(tmp_path: Path) -> None:
    saved = tiny()
    saved.save_pretrained(tmp_path / "checkpoint")
    said: list[str] = []
    loaded = pretrained_model(
        str(tmp_path / "checkpoint"), device="cpu", dtype=torch.float32, say=said.append
    )
    assert torch.equal(loaded.lm_head.weight, saved.lm_head.weight)
    assert said


@pytest.mark.parametrize("checkpoint", ["/no/such/folder", "./missing", "gpt2"])
def test_a_checkpoint_that_is_no_folder_and_no_hub_name_is_refused(checkpoint: str) -> None:
    with pytest.raises(LabFailed, match="no such folder"):
        pretrained_model(checkpoint, device="cpu", dtype=torch.float32, say=lambda _: None)


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(LabFailed, match="can't be loaded"):
        pretrained_model(str(tmp_path / "empty"), device="cpu", dtype=torch.float32, say=lambda _: None)
