"""The traffic model: six transfers against two, and the intensities the card names."""

from __future__ import annotations

from labs.kit.traffic import ADD, MULTIPLY, chain, fused, separate


def test_three_operations_apart_move_six_tensors_and_fused_two() -> None:
    apart = separate(chain("erf"), rows=4096, columns=4096, item_bytes=2, operands="scalar")
    together = fused(chain("erf"), rows=4096, columns=4096, item_bytes=2, operands="scalar")
    assert (apart.transfers, together.transfers) == (6, 2)
    assert apart.bytes == 3 * together.bytes == 6 * 4096 * 4096 * 2
    assert apart.flop == together.flop == 7 * 4096 * 4096


def test_a_row_vector_is_read_once_for_each_operation_that_has_one() -> None:
    plain = fused(chain("erf"), rows=100, columns=50, item_bytes=2, operands="scalar")
    with_rows = fused(chain("erf"), rows=100, columns=50, item_bytes=2, operands="row")
    assert with_rows.bytes - plain.bytes == 2 * 50 * 2
    apart = separate([MULTIPLY, ADD], rows=100, columns=50, item_bytes=2, operands="row")
    assert apart.bytes == 4 * 100 * 50 * 2 + 2 * 50 * 2


def test_one_simple_operation_in_bf16_does_a_quarter_flop_a_byte() -> None:
    one = fused([MULTIPLY], rows=64, columns=64, item_bytes=2, operands="scalar")
    assert one.intensity == 0.25


def test_the_tanh_form_counts_more_operations() -> None:
    erf, tanh = (
        fused(chain(kind), rows=8, columns=8, item_bytes=2, operands="scalar").flop
        for kind in ("erf", "tanh")
    )
    assert (erf, tanh) == (7 * 64, 11 * 64)
