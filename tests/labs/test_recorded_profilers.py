"""The recorded reports of the profilers hold what they are there to show."""

from __future__ import annotations

import pytest

from engine.measure.results import Result, recorded


def value(result: Result, name: str, **labels: str | int) -> float:
    metric = result.metric(name, **labels)
    assert metric is not None, (name, labels)
    return metric.value


def codes(result: Result) -> list[str]:
    return [finding.code for finding in result.findings]


def test_the_gemvs_memory_throughput_was_predicted_within_ten_points() -> None:
    (result,) = recorded("ncu_replay")
    predicted = value(result, "predicted_memory", kernel="gemv")
    for metrics in ("basic", "full"):
        measured = value(result, "memory_throughput", kernel="gemv", set=metrics)
        assert abs(measured - predicted) <= 10
    assert "prediction_held" in codes(result)


def test_low_occupancy_at_the_memory_limit_and_block_sizes_that_buy_nothing_are_recorded() -> None:
    (result,) = recorded("ncu_replay")
    assert value(result, "achieved_occupancy", kernel="gemv", set="full") < 25
    assert value(result, "passes", kernel="gemv", set="full") > value(
        result, "passes", kernel="gemv", set="basic"
    )
    assert {
        "low_occupancy_at_limit",
        "block_size_buys_nothing",
        "occupancy_buys_nothing",
        "occupancy_buys",
    } <= set(codes(result))
    bought = {f.args["kernel"]: f.args["times"] for f in result.findings if f.code == "occupancy_buys"}
    assert set(bought) == {"swept_gemv_one_load", "swept_chase"}
    assert float(str(bought["swept_chase"])) > 2


@pytest.mark.parametrize(
    ("server", "code"),
    [
        ("graph", "kernel_bound"),
        ("eager", "launch_bound"),
        ("waiting", "gaps_api_quiet"),
        ("copying", "copies_wide"),
    ],
)
def test_each_way_to_serve_is_read_as_what_it_is(server: str, code: str) -> None:
    (result,) = recorded("nsys_window")
    assert "source_nsys" in codes(result)
    assert code in [finding.code for finding in result.findings if finding.args.get("server") == server]


def test_the_wrong_capture_is_mostly_load_and_shows_a_step_as_one_block() -> None:
    (result,) = recorded("nsys_window")
    assert value(result, "decode_share", capture="right") > 50
    assert value(result, "decode_share", capture="load") < 10
    assert value(result, "rows_per_step", capture="load") == 1
    assert value(result, "rows_per_step", capture="right") > 300
