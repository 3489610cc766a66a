"""The float64 reference finds what is wrong with a result."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import gelu

from labs.kit.reference import TOLERANCE, gelu_float64, relative_error


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("row", [False, True])
def test_eager_passes_in_its_own_precision(dtype: torch.dtype, row: bool) -> None:
    x = torch.randn(300, 70).to(dtype)
    scale = torch.randn(70).to(dtype) if row else 1.25
    bias = torch.randn(70).to(dtype) if row else 0.125
    error = relative_error(gelu(x * scale + bias), x, scale, bias, "erf")
    assert 0 < error < TOLERANCE[dtype]


def test_a_tensor_of_several_chunks_is_checked_to_its_last_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labs.kit.reference._CHUNK", 64)
    x = torch.randn(37, 16)
    right = gelu(x * 1.25 + 0.125)
    assert relative_error(right, x, 1.25, 0.125, "erf") < 1e-6
    right[-1] = 0
    assert relative_error(right, x, 1.25, 0.125, "erf") > 1e-3


def test_the_two_forms_of_gelu_are_told_apart() -> None:
    x = torch.randn(512, 512)
    tanh = gelu(x * 1.25 + 0.125, approximate="tanh")
    assert relative_error(tanh, x, 1.25, 0.125, "tanh") < 1e-6
    assert relative_error(tanh, x, 1.25, 0.125, "erf") > TOLERANCE[torch.float32]


def test_a_missing_number_and_a_wrong_dtype_never_pass() -> None:
    x = torch.randn(8, 8)
    broken = gelu(x)
    broken[3, 3] = math.nan
    assert math.isnan(relative_error(broken, x, 1.0, 0.0, "erf"))
    assert relative_error(gelu(x).double(), x, 1.0, 0.0, "erf") == math.inf


def test_the_reference_keeps_its_digits_far_out() -> None:
    # gelu(-10) = -10 · Φ(-10), Φ(-10) = 7.61985302416e-24
    assert gelu_float64(torch.tensor([-10.0], dtype=torch.float64), "erf").item() == pytest.approx(
        -7.61985302416e-23, rel=1e-10
    )
