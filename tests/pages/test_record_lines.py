"""The record as a page, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io

from app_pages.claims_table import Reader
from app_pages.lab_words import LabWords
from app_pages.record_lines import csv_text, difference, html_table, lines, markdown, pairs_table
from engine.claims.hardware_quantities import of_key
from engine.claims.record import Entry, Machine, Pair

WORDS = LabWords(
    "decode_gaps",
    {"value.kernels": "Kernels <a step>", "value.more_kernels": "More | kernels than counted."},
    {},
    "en",
)
ENGLISH, VIETNAMESE = Reader("en", "UTC"), Reader("vi", "UTC")


def entry(note: str = "", measured: float | None = 924, text: str = "") -> Entry:
    return Entry(
        key="lesson/kernels/1",
        lab="decode_gaps",
        unit="",
        expected=(313.0, 401.0),
        measured=measured,
        ratio=2.304,
        item="kernels",
        batch=1,
        text=text,
        why="more_kernels",
        note=note,
    )


def machine() -> Machine:
    hardware = of_key("t4")
    assert hardware is not None
    return Machine("t4", hardware, "elsewhere")


def test_a_line_has_the_labs_words_and_the_readers_numbers() -> None:
    (line,) = lines([entry()], ENGLISH, {"decode_gaps": WORDS})
    assert (line.item, line.below, line.why) == (
        "Kernels <a step>",
        "batch 1",
        ("More | kernels than counted.",),
    )
    assert (line.expected, line.measured, line.difference) == ("313–401", "924", "2.3×")
    assert difference(1.234, VIETNAMESE) == "+23%"
    assert difference(0.48, ENGLISH) == "−52%"
    assert difference(2.34, VIETNAMESE) == "2,3×"


def test_the_page_escapes_what_it_shows() -> None:
    html = html_table(lines([entry("<script>")], ENGLISH, {"decode_gaps": WORDS}), ENGLISH)
    assert "Kernels &lt;a step&gt;" in html
    assert '<p class="own">&lt;script&gt;</p>' in html


def test_a_cell_of_markdown_stays_one_cell() -> None:
    shown = lines([entry("a | b\nc")], ENGLISH, {"decode_gaps": WORDS})
    text = markdown("Record: Tesla T4", ["Tesla T4 · torch 2.9"], shown, ENGLISH)
    assert text.startswith("# Record: Tesla T4\n\n- Tesla T4 · torch 2.9\n\n| Item | Expected |")
    row = text.splitlines()[-1]
    assert row.endswith(r"| More \| kernels than counted. | a \| b c |")
    assert len([sign for sign in row.replace(r"\|", "") if sign == "|"]) == 7


def test_csv_has_plain_numbers_and_no_formula_of_a_spreadsheet() -> None:
    entries = [entry("=HYPERLINK(1)"), entry(measured=None, text="aten::mul, twice")]
    text = csv_text(entries, lines(entries, VIETNAMESE, {"decode_gaps": WORDS}), machine())
    head, first, second = csv.reader(io.StringIO(text))
    assert head[4:8] == ["expected_low", "expected_high", "measured", "ratio"]
    assert first[4:8] == ["313.0", "401.0", "924", "2.304"]
    assert first[-1] == "'=HYPERLINK(1)"
    assert (second[0], second[6]) == ("Tesla T4", "aten::mul, twice")


def test_two_gpus_stand_in_one_row() -> None:
    html = pairs_table([Pair(entry(), entry(measured=462))], "T4", "H200", ENGLISH, {"decode_gaps": WORDS})
    assert "<b>924</b>" in html
    assert "<b>462</b>" in html
    assert "0.5×" in html
    assert "expected 313–401" in html


def test_a_measurement_in_words_may_wrap_while_a_number_stays_in_one_line() -> None:
    told = entry(text="NVIDIA H200, torch 2.11.0+cu130, transformers 5.17.0", measured=None)
    html = html_table(lines([told, entry()], ENGLISH, {"decode_gaps": WORDS}), ENGLISH)
    first, second = html.split("</tr>")[1:3]
    assert 'class="number told" data-column="Measured">NVIDIA H200' in first
    assert "told" not in second


def test_what_a_file_from_elsewhere_says_is_no_link_picture_or_tag_in_markdown() -> None:
    shown = lines([entry("![x](http://example.org/x.png) <b>")], ENGLISH, {"decode_gaps": WORDS})
    assert "| !\\[x](http://example.org/x.png) \\<b> |" in markdown("Title", [], shown, ENGLISH)
