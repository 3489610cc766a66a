"""The hand-written kernels compute what torch computes: interpreted, or on the GPU where there is one."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    # read when Triton is imported and when a kernel is defined; on a machine without a GPU nobody else does
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton")

from labs.kit.attention_triton import Scratch, attend, choose  # noqa: E402
from labs.kit.fast_decoder import FastStep  # noqa: E402
from labs.kit.gemv_triton import Around, Norm, begin, gemv  # noqa: E402
from labs.kit.llama_math import Cache, forward  # noqa: E402
from labs.kit.models import Shape, random_model  # noqa: E402
from labs.kit.packed_llama import in_fewer_bits, packed  # noqa: E402
from labs.kit.quantise import Kind, quantised  # noqa: E402
from labs.kit.tilings import Chunking, StepPlan, Tiling, starts_ahead  # noqa: E402

KINDS: tuple[Kind, ...] = ("plain", "int8", "int4")


def vector(size: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


def poisoned(size: int) -> torch.Tensor:
    return torch.full((size,), float("nan"), device=DEVICE)


def error(got: torch.Tensor, wanted: torch.Tensor) -> float:
    return float((got.double() - wanted.double()).norm() / wanted.double().norm())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "columns", "block"), [(12, 256, 128), (10, 384, 256), (8, 128, 256)])
def test_a_product_of_any_size_is_right_to_float32(kind: Kind, rows: int, columns: int, block: int) -> None:
    matrix = quantised(vector(rows * columns, 1).view(rows, columns) * 0.02, kind)
    x, out = vector(columns, 2), poisoned(rows)
    programs = gemv(matrix, x, out, Tiling(4, block), Around())
    assert programs == -(-rows // 4)
    assert error(out, matrix.dequantised(torch.float64) @ x.double()) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_norm_is_parted_between_two_products(kind: Kind) -> None:
    first = quantised(vector(256 * 128, 1).view(256, 128) * 0.1, kind)
    second = quantised(vector(16 * 256, 2).view(16, 256) * 0.1, kind)
    x, added, out, result = vector(128, 3), vector(256, 4), poisoned(256), poisoned(16)
    norm = Norm(1 + 0.1 * vector(256, 5), poisoned(256), torch.zeros(256, device=DEVICE), 1e-5)
    parts = gemv(first, x, out, Tiling(8, 128), Around(added=added, after=norm))
    gemv(second, norm.scaled, result, Tiling(4, 256), Around(norm, parts))
    stream = first.dequantised(torch.float64) @ x.double() + added.double()
    normed = stream * torch.rsqrt(stream.square().mean() + 1e-5) * norm.gain.double()
    assert error(out, stream) < 1e-3
    assert error(result, second.dequantised(torch.float64) @ normed) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_gate_and_up_become_swiglu(kind: Kind) -> None:
    matrix = quantised(vector(20 * 128, 1).view(20, 128) * 0.2, kind)
    x, out = vector(128, 2), poisoned(10)
    gemv(matrix, x, out, Tiling(4, 128), Around(gated=True))
    gate, up = (matrix.dequantised(torch.float64) @ x.double()).chunk(2)
    assert error(out, torch.nn.functional.silu(gate) * up) < 1e-3


def test_a_step_begins_with_the_tokens_row() -> None:
    table, out = vector(7 * 96).view(7, 96), poisoned(96)
    norm = Norm(vector(96, 1), poisoned(96), torch.zeros(1, device=DEVICE), 1e-5)
    assert begin(table, torch.tensor([[5]], device=DEVICE), out, norm) == 1
    assert torch.equal(out, table[5])
    assert torch.allclose(norm.scaled, table[5] * norm.gain)
    assert torch.allclose(norm.squares[0], table[5].square().sum())


@pytest.mark.parametrize("chunk", [64, 16])
@pytest.mark.parametrize("now", [0, 15, 16, 37])
def test_attention_takes_the_context_whole_or_in_chunks(chunk: int, now: int) -> None:
    heads, kv_heads, size, capacity = 4, 2, 32, 40
    keys, values = (
        vector(kv_heads * capacity * size, seed).view(kv_heads, capacity, size) for seed in (1, 2)
    )
    qkv, out = vector((heads + 2 * kv_heads) * size, 3), poisoned(heads * size)
    angle = torch.rand(capacity, size // 2, generator=torch.Generator().manual_seed(4)).to(DEVICE)
    cos, sin = angle.cos(), angle.sin()
    position = torch.tensor([now], device=DEVICE)
    scratch = Scratch.for_(heads, size, -(-capacity // chunk), torch.device(DEVICE))

    def turned(x: torch.Tensor) -> torch.Tensor:
        low, high = x.view(-1, size).chunk(2, dim=1)
        return torch.cat((low * cos[now] - high * sin[now], high * cos[now] + low * sin[now]), dim=1)

    q, k, v = qkv.split((heads * size, kv_heads * size, kv_heads * size))
    all_keys, all_values = keys.clone(), values.clone()
    all_keys[:, now], all_values[:, now] = turned(k), v.view(kv_heads, size)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        turned(q)[None, :, None],
        all_keys[None, :, : now + 1],
        all_values[None, :, : now + 1],
        enable_gqa=True,
    )[0, :, 0]
    for _ in range(2):  # the second time on what the first left in the scratch
        attend(qkv, keys, values, cos, sin, position, out, scratch, Chunking(chunk, 4))
        assert error(out, wanted.flatten()) < 1e-5
    assert torch.allclose(keys, all_keys, atol=1e-6)
    assert torch.equal(values, all_values)


@pytest.mark.parametrize("size", [50, 5000])
def test_the_highest_score_is_chosen_and_of_equals_the_first(size: int) -> None:
    token, position = torch.zeros(1, 1, dtype=torch.int64, device=DEVICE), torch.tensor([3], device=DEVICE)
    scratch = Scratch.for_(1, 16, 1, torch.device(DEVICE))
    scores = -vector(size).abs() - 1
    for places in ([size - 2], [7, size - 1], [0]):
        given = scores.clone()
        given[places] = -0.25
        choose(given, token, position, scratch)
        assert int(token) == places[0]
    assert int(position) == 6


def small(**changes: Any) -> Shape:
    shape = Shape(
        layers=2, hidden=128, intermediate=256, heads=4, kv_heads=2, vocabulary=96, rope_theta=1e4,
        norm_eps=1e-5, positions=64,
    )  # fmt: skip
    return replace(shape, **changes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ahead", [False, True] if starts_ahead() else [False])
def test_a_whole_step_gives_the_logits_of_the_same_weights(kind: Kind, ahead: bool) -> None:
    model = random_model(small(), device=DEVICE, dtype=torch.float32, tokens=64, batch=1)  # type: ignore[arg-type]
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)  # more than a whisper through the layers
    llama = packed(model, 32)
    llama = llama if kind == "plain" else in_fewer_bits(llama, kind)
    tokens = torch.randint(96, (9,), generator=torch.Generator().manual_seed(6)).to(DEVICE)
    wanted = forward(llama, tokens, Cache.empty(llama, 20, torch.float32), 0, last=2)
    cache = Cache.empty(llama, 20, torch.float32)
    forward(llama, tokens[:7], cache, 0)
    cut = Tiling(16, 128)
    step = FastStep(llama, cache, 20, StepPlan(cut, cut, cut, cut, cut, Chunking(16, 4), ahead))
    step.position.fill_(7)
    for number in range(2):
        step.token.fill_(int(tokens[7 + number]))
        step.enqueue()
        assert error(step.logits, wanted[number]) < 1e-3
        assert int(step.token) == int(wanted[number].argmax())
        assert int(step.position) == 8 + number
