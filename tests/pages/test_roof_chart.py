"""The roofline as a chart: its roofs from the run's own metrics, its points named, its limits drawn."""

from __future__ import annotations

import pytest

from app_pages.charts import in_order, series_chart
from app_pages.charts.roof import is_roofline, roofs_of
from app_pages.lab_words import LabWords
from engine.measure.events import Metric, Scalar, Series

WORDS = LabWords(
    "roofline",
    {"series.roofline": "Dưới mái", "value.gemm": "nhân ma trận", "metric.ridge_point": "Điểm gãy"},
    {"column.batch": "batch", "value.measured": "measured", "value.multiply": "multiply"},
    "vi",
)
METRICS = [
    Metric("copy_bandwidth", 4000.0, "GB/s"),
    Metric("datasheet_bandwidth", 4800.0, "GB/s"),
    Metric("ridge_point", 200.0, "FLOP/B", {"ceiling": "measured", "dtype": "bf16"}),
    Metric("ridge_point", 206.0, "FLOP/B", {"ceiling": "datasheet", "dtype": "bf16"}),
    Metric("ridge_point", 12.0, "FLOP/B", {"ceiling": "measured", "dtype": "fp32"}),
]


def roofline(*rows: list[Scalar]) -> Series:
    return Series(
        "roofline",
        ["intensity", "rate", "kernel", "batch", "dtype"],
        list(rows),
        {"intensity": "FLOP/B", "rate": "TFLOP/s"},
    )


POINTS = roofline(
    [1.0, 3.8, "gemm", 1, "bf16"],
    [120.0, 450.0, "gemm", 128, "bf16"],
    [900.0, 780.0, "gemm", 1024, "bf16"],
    [0.25, 1.0, "multiply", None, "bf16"],
)


def layers(series: Series) -> list[dict[str, object]]:
    drawn = series_chart(series, METRICS, WORDS)
    assert drawn is not None
    found: list[dict[str, object]] = drawn.chart.to_dict()["layer"]
    return found


def test_a_series_is_a_roofline_by_its_units() -> None:
    assert is_roofline(POINTS)
    assert not is_roofline(Series("sizes", ["side", "time"], [[1, 2.0]], {"time": "ms"}))


def test_the_roofs_are_those_of_the_points_dtype() -> None:
    roofs = roofs_of(METRICS, ["bf16"])
    assert [(roof.ceiling, roof.ridge) for roof in roofs] == [("measured", 200.0), ("datasheet", 206.0)]
    assert roofs[0].at(1.0) == 4000.0
    assert roofs[0].at(1e6) == roofs[0].at(200.0) == 800_000.0
    assert len(roofs_of(METRICS, [])) == 3


def test_a_ridge_point_without_its_bandwidth_draws_no_roof() -> None:
    assert roofs_of(METRICS[2:], ["bf16"]) == []


def test_what_is_drawn_is_said_in_words_with_both_roofs() -> None:
    drawn = series_chart(POINTS, METRICS, WORDS)
    assert drawn is not None
    assert drawn.title == "Dưới mái"
    assert "measured · bf16: 4.000\u00a0GB/s, 800\u00a0TFLOP/s, Điểm gãy 200" in drawn.alt
    assert "nhân ma trận · batch 128: 120\u00a0FLOP/B, 450\u00a0TFLOP/s" in drawn.alt


def test_both_axes_are_logarithmic_and_hold_every_point_and_ridge() -> None:
    encodings = [layer["encoding"] for layer in layers(POINTS)]
    for axis, values in (("x", (0.25, 900.0, 206.0)), ("y", (1.0, 780.0, 988.8))):
        scale = encodings[0][axis]["scale"]  # type: ignore[index]
        assert scale["type"] == "log"
        low, high = scale["domain"]
        assert all(low < value < high for value in values)


def test_a_rows_ends_are_named_and_so_are_the_ridge_points() -> None:
    drawn = series_chart(POINTS, METRICS, WORDS)
    assert drawn is not None
    datasets = drawn.chart.to_dict()["datasets"].values()
    labels = {row["label"] for rows in datasets for row in rows if "label" in row}
    assert labels == {"batch 1", "batch 1024", "200", "206"}


def test_a_roofline_is_shown_before_other_series() -> None:
    sizes = Series("sizes", ["side", "time"], [[1, 2.0]], {"time": "ms"})
    assert [series.name for series in in_order([sizes, POINTS])] == ["roofline", "sizes"]


@pytest.mark.parametrize("rows", [[], [[0.0, 0.0, "gemm", 1, "bf16"]], [[None, 1.0, "gemm", 1, "bf16"]]])
def test_a_roofline_without_a_point_is_left_out(rows: list[list[Scalar]]) -> None:
    assert series_chart(roofline(*rows), METRICS, WORDS) is None


def test_the_metrics_that_a_roofline_gives_away_count_as_seen() -> None:
    intensity = Metric("kernel_intensity", 1.0, "FLOP/B", {"kernel": "gemm"})
    drawn = series_chart(POINTS, [*METRICS, intensity, Metric("kernel_time", 0.03, "ms")], WORDS)
    assert drawn is not None
    assert set(drawn.shows) == {"ridge_point", "kernel_intensity", "copy_bandwidth", "datasheet_bandwidth"}
