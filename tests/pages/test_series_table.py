"""A series that names things is a table: words for its codes, units by column or by row."""

from __future__ import annotations

from app_pages.lab_words import LabWords
from app_pages.series_table import is_table, series_table
from engine.measure.events import Series

WORDS = LabWords(
    "decode_gaps",
    {"series.record": "Bảng ghi chép", "column.item": "Mục", "value.step": "Một bước", "value.more": "a < b"},
    {"column.measured": "Measured"},
    "vi",
)


def test_a_series_that_counts_in_its_first_column_is_no_table() -> None:
    assert is_table(Series("record", ["item", "measured"], [["step", 1.0]]))
    assert not is_table(Series("batches", ["batch", "mode"], [[1, "eager"]]))
    assert not is_table(Series("empty", ["item"], []))


def test_cells_are_in_the_readers_language_with_the_unit_of_their_row() -> None:
    series = Series(
        "record",
        ["item", "measured", "unit", "ratio", "why"],
        [["step", 30.94, "ms", 2.5, "more"], ["kernels", 946, "", None, "x"]],
        {"ratio": "×"},
    )
    html = series_table(series, WORDS)
    assert 'aria-label="Bảng ghi chép"' in html
    assert '<th scope="row">Một bước</th><td class="number">30,9\u00a0ms</td>' in html
    assert '<td class="number">2,50×</td><td>a &lt; b</td>' in html
    assert '<td class="number">946</td><td class="number">–</td><td>x</td>' in html
    assert ">unit<" not in html
    assert '<th scope="col">Mục</th><th scope="col" class="number">Measured</th>' in html
