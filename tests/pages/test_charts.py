"""Which chart a result becomes, and what it says to those who don't see it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app_pages.charts import series_chart, variants
from app_pages.lab_words import LabWords
from engine.measure.events import Metric, Scalar, Series
from engine.measure.results import Result

WORDS = LabWords(
    "mbu_floor",
    {"metric.ms_per_token": "Một token", "metric.floor": "Mức sàn", "value.eager": "từng op"},
    {"metric.mbu": "MBU"},
    "vi",
)


def result(*metrics: Metric, **params: Scalar) -> Result:
    return Result("mbu_floor", {}, {}, params, datetime(2026, 11, 20, tzinfo=UTC), 1, metrics)


def step(mode: str, value: float, batch: int = 1) -> Metric:
    return Metric("ms_per_token", value, "ms", {"model": "small", "mode": mode, "batch": batch})


FLOOR = Metric("floor", 3.1, "ms", {"model": "small", "ceiling": "datasheet"})


def test_the_bars_are_of_the_metric_that_a_floor_bounds() -> None:
    mbu = [Metric("mbu", share, "%", {"mode": mode}) for mode, share in (("eager", 7), ("compiled", 55))]
    drawn = variants(result(*mbu, step("eager", 46.0), step("compiled", 5.68), FLOOR), WORDS)
    assert drawn is not None
    assert drawn.title == "Một token (ms)"
    assert drawn.alt == (
        "Một token: từng op: 46\u00a0ms; compiled: 5,68\u00a0ms. Mức sàn (datasheet): 3,10\u00a0ms"
    )


def test_floors_of_several_weights_are_told_apart() -> None:
    floors = [
        Metric("floor", ms, "ms", {"model": "small", "weights": weights, "ceiling": "datasheet"})
        for weights, ms in (("bf16", 3.1), ("int8", 1.6))
    ]
    drawn = variants(result(step("eager", 46.0), step("int8", 2.3), *floors), WORDS)
    assert drawn is not None
    assert "Mức sàn (bf16, datasheet): 3,10" in drawn.alt
    assert "Mức sàn (int8, datasheet): 1,60" in drawn.alt


def test_bars_are_drawn_at_the_settings_of_the_run() -> None:
    metrics = [step(mode, 5.0 + batch, batch) for mode in ("eager", "compiled") for batch in (1, 8)]
    drawn = variants(result(*metrics, batch=8), WORDS)
    assert drawn is not None
    assert drawn.alt.count("13") == 2


def test_a_result_in_which_nothing_varies_has_no_bars() -> None:
    assert variants(result(step("eager", 46.0), FLOOR), WORDS) is None


def test_a_series_is_drawn_in_the_unit_that_a_ceiling_has() -> None:
    series = Series(
        "sizes",
        ["side", "variant", "tensor", "bandwidth", "cached"],
        [[256, "eager", 0.1, 100.0, True], [4096, "eager", 33.5, 900.0, False]],
        {"tensor": "MB", "bandwidth": "GB/s"},
    )
    drawn = series_chart(series, [Metric("copy_bandwidth", 4180, "GB/s")], WORDS)
    assert drawn is not None
    assert drawn.alt == "sizes. side. từng op: 100\u00a0GB/s – 900\u00a0GB/s"


@pytest.mark.parametrize(
    ("columns", "rows"),
    [(["mode", "time"], [["eager", 1.0]]), (["step"], [[1], [2]]), (["step", "time"], [])],
)
def test_a_series_without_a_line_in_it_is_left_out(columns: list[str], rows: list[list[Scalar]]) -> None:
    assert series_chart(Series("x", columns, rows), [], WORDS) is None
