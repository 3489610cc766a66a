"""The roofline's expectation of one kernel: both limits, and hardware without a datasheet."""

from __future__ import annotations

import pytest

from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.roofline import expect, matmul


def test_a_gemv_of_decode_is_limited_by_memory() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    found = expect(matmul(m=1, n=14336, k=4096, item_bytes=2), hardware, "bf16")
    assert found is not None
    assert found.limit == "memory"
    assert found.memory_percent == pytest.approx(100)
    # 1 FLOP a byte against a ridge point of 989.4 TFLOP/s ÷ 3.35 TB/s
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
