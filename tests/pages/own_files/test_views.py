"""What the page of own files says of an analysis, as HTML: complete, escaped, in every language."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import pytest

from app_pages import context
from app_pages.own_files.diagnosis import codes, sentences
from app_pages.own_files.kernel_svg import ranking
from app_pages.own_files.memory_svg import curve
from app_pages.own_files.ncu import pair_table, reading
from app_pages.own_files.nsys import readings
from app_pages.own_files.tables import Cell, name, table, time_text
from app_pages.own_files.trace_figures import IN_GAPS, gap_bar
from app_pages.own_files.trace_tables import TABLES
from app_pages.words import knows
from engine.claims.roofline import Expected
from engine.measure.analyse.recognise import analyse_file
from engine.measure.events import Finding
from tests.real_files import FOLDER

EVIL = "<script>alert('x')</script>`*|"
needs_files = pytest.mark.skipif(not FOLDER.exists(), reason=f"there are no real files at {FOLDER}")


def shown(file: str) -> dict[str, Any]:
    return analyse_file(FOLDER / file).to_json()


def test_the_diagnosis_leads_and_the_caveats_follow() -> None:
    lead = {"device": 0, "busy_ratio": 0.9, "wall_ms": 1.0}
    found = [Finding("gpu_busy", {**lead}), Finding("no_such_finding", {"operation": EVIL})]
    html = sentences(found, [Finding("no_such_warning", {"events": 1})], "en")
    assert html.index('class="lead"') < html.index('class="findings"') < html.index('class="caveats"')
    assert "<script" not in html


def test_an_analysis_with_nothing_to_say_shows_nothing() -> None:
    assert sentences([], [], "en") == ""
    assert codes({}) == []


def test_a_name_is_cut_in_its_middle_and_kept_whole_in_its_title() -> None:
    whole = "void " + "x" * 300 + "(float*)"
    cell = name(whole)
    assert len(cell.text) < 100
    assert cell.text.startswith("void x")
    assert cell.text.endswith("(float*)")
    assert cell.title == whole


def test_a_table_escapes_what_a_file_says_and_marks_a_change() -> None:
    html = table(EVIL, ["a", "b"], [(name(EVIL), Cell("2×", number=True, mark="worse"))])
    assert "<script" not in html
    assert escape(EVIL) in html
    assert '<td class="number worse">2×</td>' in html


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.5, "0.5 µs"), (1234.0, "1.23 ms"), (2.5e6, "2.50 s")]
)
def test_a_time_has_the_unit_that_reads_best(value: float | None, text: str) -> None:
    assert time_text(value, "en").replace("\u00a0", " ") == text


def test_the_bar_of_what_the_cpu_did_is_whole_or_absent() -> None:
    cpu = {"launching_us": 30.0, "operators_us": 50.0, "between_us": 20.0, "waiting_us": 0.0}
    html = gap_bar({"gaps": {"cpu": cpu}}, "en")
    shares = [float(each) for each in re.findall(r"flex-grow:([\d.]+)", html)]
    assert sum(shares) == pytest.approx(1)
    assert html.count("<li") == 3
    assert gap_bar({"gaps": {"cpu": None}}, "en") == ""


def test_every_table_of_a_trace_has_the_words_for_its_columns() -> None:
    columns = {column for heads, _ in TABLES.values() for column in heads}
    assert [column for column in columns if not knows(f"your_files.column.{column}")] == []
    assert [part for part in TABLES if not knows(f"your_files.table.{part}")] == []


@needs_files
def test_the_bar_of_a_real_trace_holds_the_whole_gap_time() -> None:
    (device,) = shown("traces/resnet50_num_workers_0.worker0.pt.trace.json.gz")["devices"]
    cpu = device["gaps"]["cpu"]
    assert set(cpu) == set(IN_GAPS)
    assert sum(cpu.values()) == pytest.approx(device["gaps"]["total_us"])


@needs_files
@pytest.mark.parametrize("language", context.LANGUAGES)
def test_the_tables_of_a_real_trace_have_a_cell_for_each_column(language: str) -> None:
    (device,) = shown("traces/gpu_user_annotation_gp100.json.gz")["devices"]
    made = {part: make(device, language) for part, (_, make) in TABLES.items()}
    assert {part for part, rows in made.items() if rows} >= {"waited", "longest", "kernels", "operators"}
    for part, rows in made.items():
        assert {len(row) for row in rows} <= {len(TABLES[part][0])}
    assert len(made["kernels"]) == 11


def kernel(**values: Any) -> dict[str, Any]:
    return {"name": EVIL, "memory_percent": 80.0, "compute_percent": 10.0, "dram_percent": 78.0} | values


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "by DRAM itself"),
        ({"dram_percent": 20.0}, "but not DRAM: that stands at 20%"),
        ({"dram_percent": None}, "doesn't say how much of it is DRAM"),
        ({"compute_percent": 91.0}, "Compute-bound: compute 91%"),
        ({"memory_percent": 30.0}, "Latency-bound"),
        ({"memory_percent": None}, "no Speed Of Light pair"),
    ],
)
def test_the_pair_is_read_as_the_card_teaches(values: dict[str, Any], said: str) -> None:
    assert said in reading(kernel(**values), "en")


def test_a_prediction_stands_beside_the_measurement_and_only_then() -> None:
    expected = Expected(memory_percent=100, compute_percent=0.34, seconds=3.5e-5, ridge=295, limit="memory")
    html = pair_table([kernel()], "vi", expected)
    assert "dự đoán 100%" in html
    assert "--measured:80.0;--predicted:100.0" in html
    assert "<script" not in html
    assert "dự đoán" not in pair_table([kernel()], "vi", None)


@needs_files
def test_a_real_report_is_read_kernel_by_kernel() -> None:
    (one,) = shown("ncu/rtx5090_kernel_0001_details.csv")["kernels"]
    assert reading(one, "en").startswith("Latency-bound")


@needs_files
def test_a_capture_has_its_three_readings_and_says_which_one_is_missing() -> None:
    html = readings(shown("nsys/rtx5090_decode_cuda_gpu_kern_sum.csv"), "en")
    assert re.findall(r"<h4>(\d)\.", html) == ["1", "2", "3"]
    assert "holds nothing for this reading" in html


def test_the_curve_of_a_snapshot_is_drawn_without_the_names_that_would_tell_the_answer() -> None:
    rows = [[at, call, at * 1000 + 1] for call in (EVIL, "b", "(reserved)") for at in range(20)]
    svg = curve(rows, "en")
    assert svg is not None
    assert "script" not in svg
    assert svg.count("<polygon") == 2
    assert svg.count("<polyline") == 1
    assert curve(rows[:1], "en") is None


def test_the_ranking_shows_the_kernel_that_is_asked_about_even_far_down() -> None:
    kernels = [{"name": f"k{place}", "share": 0.1 / (place + 1)} for place in range(30)]
    svg = ranking([*kernels, {"name": EVIL, "share": 0.001}], EVIL, EVIL, "en")
    assert svg.count("<rect") == 9
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_the_condition_before_a_kernels_name_is_left_out() -> None:
    whole = "std::enable_if<!(T7), void>::type internal::gemvx::kernel<int, std::array<int, 3>>(T13)"
    assert name(whole).text == "internal::gemvx::kernel<int, std::array<int, 3>>(T13)"
    assert name(whole).title == whole
    assert name("enable_if<").text == "enable_if<"


def test_what_a_file_says_is_text_in_a_card_and_stays_readable() -> None:
    from app_pages.markup import plain
    from app_pages.own_files.text import in_card

    said = "aten::copy_ and __nv_bfloat16, *a* [b](c) `d` $e$ <f> ncclKernel_Sum_int8_t ~~g~~"
    assert plain(in_card(said)) == said
    assert "ncclKernel_Sum_int8_t" in in_card(said)
