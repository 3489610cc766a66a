"""The roofline's expectation of one kernel: both limits, and hardware without a datasheet."""

from __future__ import annotations

from functools import partial

import pytest

from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.roofline import attention, elementwise, expect, matmul, reduction


def test_a_gemv_of_decode_is_limited_by_memory() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    found = expect(matmul(m=1, n=14336, k=4096, item_bytes=2), hardware, "bf16")
    assert found is not None
    assert found.limit == "memory"
    assert found.memory_percent == pytest.approx(100)
    # 1 FLOP a byte against a ridge point of 989.4 TFLOP/s ÷ 3.35 TB/s
    assert found.ridge is not None
    assert found.ridge == pytest.approx(295, rel=0.01)
    assert found.compute_percent == pytest.approx(100 / found.ridge, rel=0.01)
    assert found.seconds == pytest.approx(14336 * 4096 * 2 / 3.35e12, rel=0.01)


def test_a_prefill_is_limited_by_arithmetic() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    found = expect(matmul(m=4096, n=14336, k=4096, item_bytes=2), hardware, "bf16")
    assert found is not None
    assert found.limit == "compute"
    assert found.compute_percent == pytest.approx(100)
    assert found.memory_percent < 20


def test_a_device_without_figures_has_no_expectation() -> None:
    assert expect(matmul(m=1, n=8, k=8, item_bytes=2), Hardware(name="some CPU"), "bf16") is None


def test_of_elementwise_work_only_the_bytes_are_expected() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    # two inputs, one output of 2**28 numbers
    found = expect(elementwise(elements=2**28, reads=2, writes=1, item_bytes=2), hardware, "fp32")
    assert found is not None
    assert (found.limit, found.compute_percent, found.ridge) == ("memory", None, None)
    assert found.seconds == pytest.approx(3 * 2**29 / 3.35e12, rel=0.01)
    rows = reduction(elements=4096 * 4096, results=4096, item_bytes=4)
    assert rows.bytes == (4096 * 4096 + 4096) * 4


def test_attention_of_decode_is_limited_by_the_cache_and_that_of_a_prefill_by_arithmetic() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    llama = partial(attention, batch=1, heads=32, kv_heads=8, head_dim=128, item_bytes=2)
    decode = llama(queries=1, keys=8192)
    # K and V of 8 heads are nearly all that moves: 2 x 8 x 8192 x 128 x 2 B
    assert decode.bytes == 33_554_432 + 2 * 32 * 128 * 2
    found = expect(decode, hardware, "bf16")
    assert found is not None
    assert found.limit == "memory"
    prefill = expect(llama(queries=8192, keys=8192), hardware, "bf16")
    assert prefill is not None
    assert prefill.limit == "compute"


def test_a_causal_mask_takes_half_of_a_prefill_and_nothing_of_a_decode_step() -> None:
    one = partial(attention, batch=1, heads=1, kv_heads=1, head_dim=64, item_bytes=2)
    whole = one(queries=1024, keys=1024).flop
    masked = one(queries=1024, keys=1024, causal=True).flop
    assert whole is not None
    assert masked == whole * 1025 // 2048
    assert one(queries=1, keys=64, causal=True) == one(queries=1, keys=64)
