"""What the roofline says is read off the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.measure.device import Device
from engine.measure.specs import spec
from labs.kit import roofline_findings as said
from labs.kit.ceilings import Limits
from labs.kit.roofline_findings import Point

LIMITS = Limits(
    copy=4.2e12,
    read=4.4e12,
    datasheet=4.8e12,
    matmul=7.8e14,
    peak=9.89e14,
    dtype="bf16",
    cache_bytes=60 * 2**20,
    source="the datasheet",
)
H200 = Device(
    type="cuda",
    name="NVIDIA H200",
    vendor="nvidia",
    memory_bytes=141 * 2**30,
    sm_count=132,
    bus_width_bits=6016,
    memory_clock_mhz=3201,
)


def product(batch: int, ms: float) -> Point:
    """A 4096 × 14336 product in bf16."""
    flop = 2 * batch * 4096 * 14336
    moved = 2 * (4096 * 14336 + batch * (4096 + 14336))
    return Point("gemm", batch, flop / moved, flop / (ms / 1e3), ms)


PRODUCTS = [
    product(1, 0.030),
    product(64, 0.034),
    product(128, 0.036),
    product(256, 0.060),
    product(512, 0.09),
]


def codes(findings: object) -> list[str]:
    return [finding.code for finding in findings]  # type: ignore[attr-defined]


def test_the_copy_agrees_within_two_percent_of_the_best_independent_way() -> None:
    ways = {"torch": 4.18e12, "triton": 4.15e12, "driver": 4.22e12}
    good = said.copy_checked(4.2e12, ways)
    assert (good.code, good.args["way"]) == ("copy_agrees", "driver")
    assert said.copy_checked(4.0e12, ways).code == "copy_disagrees"


def test_the_memorys_clock_tells_whether_it_is_the_right_datasheet() -> None:
    h200, h100 = spec("h200"), spec("h100-sxm")
    assert codes(said.bandwidth_against(4.2e12, h200, H200)) == ["bus_agrees", "copy_of_datasheet"]
    assert codes(said.bandwidth_against(4.2e12, h100, H200))[0] == "bus_disagrees"
    assert codes(said.bandwidth_against(4.2e12, None, H200)) == ["no_datasheet", "copy_of_bus"]
    cpu = Device(type="cpu", name="a CPU", vendor="cpu")
    assert codes(said.bandwidth_against(2e10, None, cpu)) == []


def test_a_larger_batch_is_free_until_its_time_grows() -> None:
    found = {finding.code: finding.args for finding in said.products_said(PRODUCTS, LIMITS)}
    assert found["batch_is_free"]["batch"] == 128
    assert found["ridge_reached"]["batch"] == 256  # 237 FLOP/B, the first above 186
    assert "product_below_roof" not in found


def test_a_batch_of_two_that_takes_longer_at_once_is_said_so() -> None:
    slow = [product(1, 0.030), product(2, 0.3)]
    assert codes(said.products_said(slow, LIMITS)) == [
        "batch_costs_at_once",
        "ridge_not_reached",
        "product_below_roof",
    ]


def test_more_than_the_roof_is_called_a_fault_and_named_once() -> None:
    assert codes(said.over_roof(PRODUCTS, LIMITS)) == []
    over = [*PRODUCTS, product(1, 0.020), product(2, 0.020)]
    (finding,) = said.over_roof(over, LIMITS)
    assert finding.args["count"] == 2


def test_what_is_only_read_is_set_against_reading() -> None:
    reading = Point("attention", 64, 4.0, 4.0 * 4.4e12, 1.0, reads=1.0)
    assert reading.share(LIMITS) == pytest.approx(1)
    assert replace(reading, reads=0.5).share(LIMITS) > 1


def test_rates_name_small_matrices_missing_units_and_narrower_types() -> None:
    rates = {
        "fp32": {512: 2e13, 4096: 5e13},
        "bf16": {512: 8e13, 4096: 7.8e14},
        "fp8": {512: 9e13, 4096: 1.3e15},
        "int8": {512: 5e12},
    }
    found = {finding.code: finding.args for finding in said.rates_against(rates, LIMITS)}
    assert found["small_matrices_slow"]["side"] == 512
    assert found["narrower_is_faster"]["dtype"] == "fp8"
    assert found["slow_dtype"]["dtype"] == "int8"
    assert found["rate_of_datasheet"]["share"] == pytest.approx(78.9, abs=0.1)


def test_the_ridge_points_that_the_documents_name_stand_beside_this_devices() -> None:
    found = {finding.code: finding.args for finding in said.ridge(LIMITS)}
    assert found["ridge_both"]["ridge"] == pytest.approx(185.7, abs=0.1)
    assert found["ridge_elsewhere"]["h100"] == pytest.approx(295.3, abs=0.1)
    assert found["ridge_elsewhere"]["t4_rate"] == pytest.approx(49, abs=0.1)
    assert codes(said.ridge(replace(LIMITS, peak=None)))[0] == "ridge_measured"


def test_attention_and_elementwise_work_keep_their_intensity() -> None:
    points = [
        Point("attention", 1, 4.0, 5.8e12, 0.01),
        Point("attention", 64, 4.0, 17.2e12, 0.25),
        Point("multiply", None, 0.25, 1.0e12, 0.2, reads=0.5),
    ]
    found = {finding.code: finding.args for finding in said.others_said(points, LIMITS)}
    assert found["attention_keeps_intensity"]["last_share"] == pytest.approx(97.7, abs=0.1)
    assert found["elementwise_far_from_ridge"]["times"] == pytest.approx(743, abs=1)


def test_a_cache_that_gives_little_is_not_praised() -> None:
    assert said.cache_against(1.3e13, 4.3e12, 60 * 2**20).code == "cache_gives"
    assert said.cache_against(4.5e12, 4.3e12, 60 * 2**20).code == "cache_gives_little"
