"""A result on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.measure.events import Series
from engine.measure.results import Result
from labs.kit.table import as_text


def test_a_series_that_names_things_is_printed_and_one_for_a_chart_is_not() -> None:
    record = Series("record", ["item", "measured"], [["step", 30.94], ["versions", "torch"]])
    batches = Series("batches", ["batch", "time"], [[1, 30.0], [8, 31.0]])
    result = Result(
        "decode_gaps", {}, {}, {}, datetime(2026, 11, 29, tzinfo=UTC), 1.0, series=(record, batches)
    )
    words = {"series.record": "The record", "column.item": "Item", "value.step": "A step"}
    lines = as_text(result, words).splitlines()
    start = lines.index("The record")
    assert [line.split() for line in lines[start + 1 :]] == [
        ["Item", "measured"],
        ["A", "step", "30.94"],
        ["versions", "torch"],
    ]
