"""Bias and GELU behind a matrix product: what each form moves, that each is right, and what is concluded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.kit.epilogue import VARIANTS, Size, layer
from labs.kit.fusion_epilogue import Depth, said
from labs.kit.reference import TOLERANCE
from tests.labs.test_fusion_findings import LIMITS

SIZE = Size(rows=8192, columns=8192, depth=512, item_bytes=2)


def test_each_pass_over_the_result_that_is_fused_away_saves_its_bytes() -> None:
    result = 8192 * 8192 * 2
    assert SIZE.bytes("apart") - SIZE.bytes("linear") == 2 * result
    assert SIZE.bytes("linear") - SIZE.bytes("triton") == 2 * result
    assert SIZE.bytes_between("apart") == 2 * result
    assert SIZE.bytes_between("cublaslt") == 0


def test_the_ridge_point_of_an_h200_lies_between_apart_and_fused_at_depth_512() -> None:
    assert SIZE.intensity("apart", "erf") == pytest.approx(100, abs=1)
    assert SIZE.intensity("triton", "erf") == pytest.approx(458, abs=2)


@pytest.mark.parametrize("variant", VARIANTS["cpu"])
@pytest.mark.parametrize("gelu", ["erf", "tanh"])
def test_every_form_gives_what_float64_gives(variant: str, gelu: str) -> None:
    one = layer(300, 20, dtype="fp32", gelu=gelu, device="cpu")  # type: ignore[arg-type]
    assert one.relative_error(variant, one.function(variant)()) < TOLERANCE[one.x.dtype]


def test_a_form_that_forgets_the_bias_is_found_wrong() -> None:
    one = layer(64, 16, dtype="fp32", gelu="erf", device="cpu")
    assert one.relative_error("apart", one.function("product")()) > 0.1


def depth(of: int, product: float, apart: float, fused: float) -> Depth:
    return Depth(size=replace(SIZE, depth=of), ms={"product": product, "apart": apart, "cublaslt": fused})


def test_the_bound_is_said_to_change_where_the_ridge_point_lies_between() -> None:
    row = [depth(128, 0.07, 0.31, 0.09), depth(512, 0.12, 0.36, 0.14), depth(4096, 0.74, 0.99, 0.8)]
    found = {finding.code: finding.args for finding in said(row, LIMITS, "erf")}
    assert found["epilogue_changes_bound"]["depth"] == 512
    assert found["epilogue_changes_bound"]["speedup"] == pytest.approx(2.57, abs=0.01)
    assert found["epilogue_costs_little"]["epilogue_ms"] == pytest.approx(0.02)
    assert found["epilogue_costs_little"]["share"] == pytest.approx(66.7, abs=0.1)
    assert found["epilogue_gain_by_depth"]["last_speedup"] == pytest.approx(1.24, abs=0.01)


def test_a_fused_form_that_is_slower_isnt_praised() -> None:
    found = [finding.code for finding in said([depth(512, 0.12, 0.36, 0.5)], LIMITS, "erf")]
    assert found[0] == "epilogue_no_faster"
    assert "epilogue_costs_little" not in found


def test_depths_on_one_side_of_the_ridge_point_change_nothing() -> None:
    found = [finding.code for finding in said([depth(4096, 0.74, 0.99, 0.8)], LIMITS, "erf")]
    assert found == ["epilogue_bound_stays"]
