"""A series that names things is a table: words for its codes, units by column or by row."""

from __future__ import annotations

from app_pages.lab_words import LabWords
from app_pages.series_table import is_table, series_table
from engine.measure.events import Series

WORDS = LabWords(
    "decode_gaps",
    {"series.record": "Bảng ghi chép", "column.item": "Mục", "value.step": "Một bước", "value.more": "a < b"},
    {"column.measured": "Measured", "column.expected": "Expected"},
    "vi",
)


def test_a_series_that_counts_in_its_first_column_is_no_table() -> None:
    assert is_table(Series("record", ["item", "measured"], [["step", 1.0]]))
    assert not is_table(Series("batches", ["batch", "mode"], [[1, "eager"]]))
    assert not is_table(Series("empty", ["item"], []))


def test_cells_are_in_the_readers_language_with_the_unit_of_their_row() -> None:
    series = Series(
        "record",
        ["item", "measured", "unit", "ratio", "made_of"],
        [["step", 30.94, "ms", 2.5, "more"], ["kernels", 946, "", None, "x"]],
        {"ratio": "×"},
    )
    html = series_table(series, WORDS)
    assert 'aria-label="Bảng ghi chép"' in html
    assert (
        '<th scope="row">Một bước</th><td class="number" data-column="Measured"><span>30,9\u00a0ms</span>'
        in html
    )
    assert '<td class="number" data-column="ratio"><span>2,50×</span></td>' in html
    assert '<td data-column="made of"><span>a &lt; b</span></td>' in html
    assert '<span>946</span></td><td data-column="ratio"><span>–</span></td>' in html
    assert ">unit<" not in html
    assert '<th scope="col">Mục</th><th scope="col" class="number">Measured</th>' in html


def test_low_and_high_are_one_range_and_the_reason_stands_below_its_row() -> None:
    series = Series(
        "record",
        ["item", "expected_low", "expected_high", "measured", "unit", "why"],
        [["step", 12.0, 16.0, 30.9, "ms", "more"], ["versions", None, None, "torch 2", "", "more"]],
    )
    html = series_table(series, WORDS)
    assert '<th scope="col" class="number">Expected</th>' in html
    assert '<td class="number" data-column="Expected"><span>12–16\u00a0ms</span></td>' in html
    assert html.count('<tr class="why"><td colspan="3">a &lt; b</td></tr>') == 2
    assert '<th scope="row">versions</th><td data-column="Expected"><span>–</span></td>' in html
    assert '<td data-column="Measured"><span>torch 2</span></td>' in html
    assert "expected_high" not in html
