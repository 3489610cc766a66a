"""Quantised weights: within half a step of what they were, and packed as the kernels read them."""

from __future__ import annotations

import pytest
import torch

from labs.kit.lab import LabFailed
from labs.kit.quantise import GROUP, Kind, int8_rows, plain, quantised


def weights(rows: int = 12, columns: int = 256) -> torch.Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(3)) * 0.02


def test_int8_is_within_half_a_step_of_a_scale_for_each_row() -> None:
    given = weights()
    given[3] *= 50  # a row of its own size must not cost the others their digits
    matrix = quantised(given, "int8")
    off = (matrix.dequantised(torch.float32) - given).abs()
    assert (off <= given.abs().amax(dim=1, keepdim=True) / 127 / 2 * 1.001).all()
    assert matrix.nbytes == 12 * 256 + 12 * 4


def test_int4_is_within_half_a_step_of_a_scale_for_each_group() -> None:
    given = weights()
    given[:, :GROUP] *= 50
    matrix = quantised(given, "int4")
    groups = given.view(12, -1, GROUP)
    off = (matrix.dequantised(torch.float32).view_as(groups) - groups).abs()
    # the scales are bf16: half a unit of theirs is 2⁻⁹
    assert (off <= groups.abs().amax(dim=2, keepdim=True) / 7 * (0.5 + 7 * 2**-9)).all()
    assert matrix.nbytes == 12 * 256 // 2 + 12 * 2 * 2


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_quantising_again_changes_nothing(kind: Kind) -> None:
    once = quantised(weights(), kind).dequantised(torch.float32)
    assert torch.allclose(quantised(once, kind).dequantised(torch.float32), once, rtol=2**-7, atol=0)


def test_a_word_holds_columns_16_apart() -> None:
    given = torch.zeros(1, 128)
    given[0, 16 * 2 + 5] = 1.0
    (word,) = quantised(given, "int8").weights[0].view(-1)[[5]].tolist()
    assert (word & 0xFFFFFFFF) == 0x80FF8080  # byte 2 is 127 above the centre
    (word,) = quantised(given, "int4").weights[0].view(-1)[[5]].tolist()
    assert (word & 0xFFFFFFFF) == 0x88888F88  # so is nibble 2, by 7


def test_a_row_of_zeros_stays_zero() -> None:
    for kind in ("int8", "int4"):
        assert not quantised(torch.zeros(2, 128), kind).dequantised(torch.float32).any()


@pytest.mark.parametrize(("kind", "columns"), [("int8", 96), ("int4", 192)])
def test_rows_that_cannot_be_parted_are_refused(kind: Kind, columns: int) -> None:
    with pytest.raises(LabFailed, match=f"multiple of .* this model has {columns}"):
        quantised(torch.ones(2, columns), kind)


def test_plain_weights_stay_what_they_are() -> None:
    given = weights().bfloat16()
    assert plain(given).dequantised(torch.bfloat16) is given
    assert plain(given).nbytes == given.nbytes


def test_the_rows_of_int8_come_back_whole() -> None:
    matrix = quantised(weights(), "int8")
    rows, scales = int8_rows(matrix)
    assert rows.dtype == torch.int8
    assert torch.equal(rows.float() * scales[:, None], matrix.dequantised(torch.float32))
    with pytest.raises(ValueError, match="no int8 rows"):
        int8_rows(plain(weights()))


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_a_matrix_too_large_to_turn_at_once_is_turned_in_parts(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = quantised(weights(), kind)
    monkeypatch.setattr("labs.kit.quantise._AT_ONCE", 5 * 256)
    parted = quantised(weights(), kind)
    assert torch.equal(parted.weights, whole.weights)
    assert torch.equal(parted.scales, whole.scales)
    assert torch.equal(parted.dequantised(torch.float32), whole.dequantised(torch.float32))
