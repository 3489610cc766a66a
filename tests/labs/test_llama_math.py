"""The packed Llama computes what transformers computes, prompt and steps, and holds nothing twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

from labs.kit.lab import LabFailed
from labs.kit.llama_math import Cache, forward
from labs.kit.models import step_bytes
from labs.kit.packed_llama import in_fewer_bits, packed
from tests.labs.test_models import TINY, tiny

WIDE = replace(TINY, hidden=128, intermediate=256, heads=4, kv_heads=2)


def tokens(count: int) -> torch.Tensor:
    return torch.randint(TINY.vocabulary, (count,), generator=torch.Generator().manual_seed(4))


@pytest.mark.parametrize("shape", [TINY, replace(TINY, kv_heads=4), replace(TINY, tied=True)])
def test_a_prompt_and_steps_give_transformers_logits(shape: object) -> None:
    model = tiny(shape)  # type: ignore[arg-type]
    given = tokens(14)
    with torch.no_grad():
        wanted = model(given[None]).logits[0]
    llama = packed(model, 32)
    cache = Cache.empty(llama, 20, torch.float32)
    got = [forward(llama, given[:9], cache, 0, last=9), forward(llama, given[9:12], cache, 9, last=3)]
    got += [forward(llama, given[place : place + 1], cache, place) for place in (12, 13)]
    assert torch.allclose(torch.cat(got), wanted, atol=1e-5)


def test_packing_leaves_the_model_as_it_was_and_holds_nothing_twice() -> None:
    model = tiny()
    given = tokens(6)[None]
    with torch.no_grad():
        before = model(given).logits
    bytes_before = step_bytes(model, batch=1, context=8)
    llama = packed(model, 32)
    with torch.no_grad():
        assert torch.equal(model(given).logits, before)
    assert step_bytes(model, batch=1, context=8) == bytes_before
    assert llama.weight_bytes == bytes_before.weights
    attention = model.model.layers[0].self_attn
    held = llama.layers[0].qkv.weights.untyped_storage().data_ptr()
    for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
        assert projection.weight.untyped_storage().data_ptr() == held


def test_fewer_bits_compute_with_the_dequantised_weights() -> None:
    model = tiny(WIDE)
    llama = in_fewer_bits(packed(model, 32), "int4")
    given = tokens(10)
    got = forward(llama, given, Cache.empty(llama, 16, torch.float32), 0, last=10)
    again = tiny(WIDE)
    with torch.no_grad():
        for layer, own in zip(llama.layers, again.model.layers, strict=True):
            sizes = (128, 64, 64)
            q, k, v = layer.qkv.dequantised(torch.float32).split(sizes)
            gate, up = layer.gate_up.dequantised(torch.float32).chunk(2)
            for linear, value in (
                (own.self_attn.q_proj, q), (own.self_attn.k_proj, k), (own.self_attn.v_proj, v),
                (own.self_attn.o_proj, layer.o.dequantised(torch.float32)),
                (own.mlp.gate_proj, gate), (own.mlp.up_proj, up),
                (own.mlp.down_proj, layer.down.dequantised(torch.float32)),
            ):  # fmt: skip
                linear.weight.copy_(value)
        again.lm_head.weight.copy_(llama.head.dequantised(torch.float32))
        wanted = again(given[None]).logits[0]
    assert torch.allclose(got, wanted, atol=1e-5)


def test_the_rotary_positions_are_the_models_own() -> None:
    scaled = LlamaConfig(
        hidden_size=64, intermediate_size=128, num_attention_heads=4, num_key_value_heads=2,
        num_hidden_layers=1, vocab_size=200, rope_parameters={
            "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 16,
        },
    )  # fmt: skip
    model = LlamaForCausalLM(scaled).eval()
    given = tokens(24)
    with torch.no_grad():
        wanted = model(given[None]).logits[0, -1:]
    llama = packed(model, 32)
    assert torch.allclose(forward(llama, given, Cache.empty(llama, 24, torch.float32), 0), wanted, atol=1e-5)


def test_a_model_of_another_kind_is_refused() -> None:
    other = MistralForCausalLM(
        MistralConfig(
            hidden_size=64,
            intermediate_size=128,
            num_attention_heads=4,
            num_key_value_heads=2,
            num_hidden_layers=1,
            vocab_size=100,
        )
    )
    with pytest.raises(LabFailed, match="plain Llamas"):
        packed(other, 16)
