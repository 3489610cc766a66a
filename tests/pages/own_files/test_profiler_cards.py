"""Cards of profilers' reports and what is expected of a kernel: figures, pictures and honest words."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.parsers.expat import ParserCreate

import pytest

from app_pages import context
from app_pages.own_files import ncu_cards, nsys_cards
from app_pages.own_files.bars_svg import Bar, bars
from app_pages.own_files.ncu_predict import from_report, said, sort_of
from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.roofline import Expected, elementwise, expect
from engine.measure.analyse.job import AnalysisState
from engine.measure.analyse.ncu import read_ncu
from engine.measure.analyse.recognise import analyse_file
from engine.study.card import Language
from engine.study.own_cards import NewCard
from tests.measure.analyse.nsys_export import decode
from tests.real_files import real_file

EVIL = "<script>alert('x')</script>`*|"
KERNEL = {
    "name": f"void gemv<{EVIL}>(float*)",
    "grid": "(224, 1, 1)",
    "memory_percent": 79.2,
    "dram_percent": 78.0,
    "compute_percent": 10.0,
}
LANGUAGES: tuple[Language, ...] = ("en", "vi", "zh")


def state(name: str) -> AnalysisState:
    when = datetime(2026, 11, 30, tzinfo=UTC)
    return AnalysisState(
        id="20261130-014527484350-599fe84f9d1232e1",
        name=name,
        path=Path("/files") / name,
        kind="nsys",
        status="done",
        done=0,
        total=0,
        label="",
        message="",
        code=None,
        asked_at=when,
        started_at=when,
        ended_at=when,
        uploaded=True,
    )


def well_formed(svg: str) -> bool:
    """Whether a parser of XML takes it; it raises ExpatError where not."""
    return ParserCreate().Parse(svg, True) == 1


def drawn(card: NewCard) -> str:
    """The card's picture, well-formed."""
    assert card.picture is not None
    assert well_formed(card.picture.svg)
    return card.picture.svg


def test_bars_are_drawn_to_their_share_with_a_mark_where_they_were_expected() -> None:
    svg = bars([Bar(EVIL, 0.5, "50%", wanted=1.0), Bar("b", 7.0, "700%")], line=0.6, line_label="60%")
    assert well_formed(svg)
    widths = [float(each) for each in re.findall(r'<rect x="196" y="\d+" width="([\d.]+)"', svg)]
    assert widths == [380, 190, 380, 380]
    assert svg.count("<line") == 2
    assert "<script" not in svg


def test_the_card_of_a_kernel_shows_its_pair_and_where_the_roofline_expected_it() -> None:
    plain = drawn(ncu_cards.of_kernel(state("a.csv"), KERNEL, "en"))
    assert plain.count("79%") == 1
    assert plain.count('stroke-width="2"') == 0
    expected = Expected(100.0, None, 1e-5, None, "memory")
    assert drawn(ncu_cards.of_kernel(state("a.csv"), KERNEL, "en", expected)).count('stroke-width="2"') == 1
    assert ncu_cards.of_kernel(state("a.csv"), {"name": "k"}, "en").picture is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_of_a_capture_asks_by_figures_and_answers_by_the_three_readings(
    tmp_path: Path, language: Language
) -> None:
    capture = analyse_file(decode(20, cost=6000, kernel=3000).write(tmp_path / "a.sqlite")).to_json()
    card = nsys_cards.of_capture(state("a.sqlite"), capture, language)
    assert len(card.answer) == 4
    assert "launch-bound" in card.answer[1][1]
    assert "launch-bound" not in card.prompt
    assert drawn(card).count("<rect") == 1 + 2 * 3
    assert card.picture is not None
    assert card.picture.alt.count(";") == 2


def test_the_card_of_sums_says_which_readings_they_cannot_give() -> None:
    sums = analyse_file(real_file("nsys/rtx5090_decode_cuda_gpu_kern_sum.csv")).to_json()
    card = nsys_cards.of_capture(state("sums.csv"), sums, "en")
    assert "holds nothing for this reading" in dict(card.answer)["1. Gaps"]
    drawn(card)


def test_a_graph_recorded_as_one_block_makes_a_card_without_a_kernels_length(tmp_path: Path) -> None:
    export = decode(20, cost=6000, kernel=3000, graph=True).write(tmp_path / "g.sqlite")
    card = nsys_cards.of_capture(state("g.sqlite"), analyse_file(export).to_json(), "en")
    assert "| A kernel (median) | – |" in card.prompt


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("internal::gemvx::kernel<int, cublasGemvParamsEx>", "matmul"),
        ("void flash::flash_fwd_splitkv_kernel<Flash_fwd>", "attention"),
        ("void at::native::vectorized_elementwise_kernel<4>", "elementwise"),
        ("triton_red_fused_mean_0", "reduction"),
        ("my_kernel", "report"),
    ],
)
def test_the_sort_of_work_is_guessed_from_the_name(name: str, sort: str) -> None:
    assert sort_of(name) == sort


def test_without_shapes_the_reports_own_bytes_are_set_against_the_datasheet() -> None:
    kernel = read_ncu(real_file("ncu/rtx5090_kernel_0001_details.csv")).to_json()["kernels"][0]
    # dram__bytes_read.sum and dram__bytes_write.sum of that file
    assert kernel["dram_bytes"] == 2_330_000
    hardware = Hardware("RTX 5090", quantities={"memory_bandwidth": (1.792e12, "B/s")})
    text = from_report(kernel, hardware, "en").replace("\u00a0", " ")
    assert "2.33 MB" in text
    # 2.33 MB at 1.792 TB/s are 1.30 µs; ncu's own DRAM throughput is 19.66 %
    assert "1.30 µs: 19% of the 6.75 µs" in text
    assert "--set full" in from_report({"duration_s": 1e-6}, hardware, "en")


def test_what_was_moved_stands_beside_what_had_to_be() -> None:
    hardware = of_key("h100-sxm")
    assert hardware is not None
    work = elementwise(elements=10**6, reads=1, writes=1, item_bytes=2)
    found = expect(work, hardware, "bf16")
    assert found is not None
    kernel: dict[str, Any] = {"dram_bytes": 8e6}
    assert "2× of the 4 MB" in " ".join(said(found, work, kernel, "en")).replace("\u00a0", " ")
    for language in context.LANGUAGES:
        assert "{" not in " ".join(said(found, work, kernel, language))
