"""The analysers' conclusions in the interface: every code has words, every argument reads as it should."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from app_pages import context, words
from app_pages.analysis_words import findings_of, key_of, said
from engine.commands import analyse_words
from engine.folders import project_folder
from engine.measure.analyse.recognise import analyse_file
from engine.measure.events import Finding, Scalar
from tests.real_files import FOLDER

ANALYSERS = project_folder() / "engine" / "measure" / "analyse"


def codes_in(folder: Path) -> set[str]:
    """The first argument of each `Finding(…)`; of a choice between two, both."""
    found: set[str] = set()
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                found |= {
                    part.value
                    for part in ast.walk(node.args[0])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return found


def test_no_code_of_an_analyser_lacks_words() -> None:
    codes = codes_in(ANALYSERS)
    assert len(codes) > 25, "the test no longer sees how analysers name their findings"
    catalogue = words.catalogue("en")
    worded = {key.split(".")[1] for key in catalogue if key.startswith("analysis.")}
    assert codes - worded == set()
    assert codes - set(analyse_words._FINDINGS) - set(analyse_words._WARNINGS) == set()


FRAGMENTED = {
    "device": 0,
    "requested_bytes": 512_000_000,
    "free_bytes": 5_600_000_000,
    "largest_free_bytes": 7_000_000,
    "holes": 800,
    "common_hole_bytes": 7_000_000,
    "common_holes": 790,
    "allocated_bytes": 2_400_000_000,
    "reserved_bytes": 8_000_000_000,
}


def test_sizes_and_counts_are_written_as_the_language_does() -> None:
    text = said(Finding("fragmentation", dict(FRAGMENTED)), "vi")
    assert "yêu cầu 512\u00a0MB thất bại dù còn trống 5,60\u00a0GB, nằm trong 800 mảnh" in text


def test_without_a_failed_request_none_is_spoken_of() -> None:
    args = {name: value for name, value in FRAGMENTED.items() if name != "requested_bytes"}
    assert key_of(Finding("fragmentation", dict(args))) == "analysis.fragmentation"
    assert "failed" not in said(Finding("fragmentation", dict(args)), "en")


def test_a_launch_that_was_not_recorded_is_told_as_such() -> None:
    args = {"device": 0, "kernel_p50_us": 3.5, "launch_p50_us": None}
    assert said(Finding("kernel_bound", dict(args)), "en") == (
        "Cadence: kernel-bound; kernels take 3.50\u00a0µs (median); what a launch takes the file doesn't say."
    )


@pytest.mark.parametrize("language", context.LANGUAGES)
def test_graphs_recorded_as_blocks_have_no_length_of_a_kernel(language: str) -> None:
    args = {"device": 0, "kernels": 0, "graphs": 30, "kernel_p50_us": None, "launch_p50_us": None}
    text = said(Finding("kernel_bound", dict(args)), language)
    assert "30" in text
    assert "–" not in text


def test_copies_whose_sizes_the_file_does_not_hold_are_not_said_to_be_empty() -> None:
    args: dict[str, Scalar] = {
        "device": 2,
        "direction": "HtoD",
        "copies": 2,
        "bytes": 0,
        "median_bytes": 0,
        "share_of_busy": 0.25,
    }
    text = said(Finding("copies_irregular", {**args, "period_ms": None, "period_bytes": None}), "en")
    assert "doesn't say how large" in text
    assert "0\u00a0B" not in text


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0.0065, "6.50\u00a0µs"), (0.614, "0.614\u00a0ms"), (1733.0, "1,733\u00a0ms"), (18.4e3, "18.4\u00a0s")],
)
def test_a_time_is_written_in_the_unit_one_would_say(ms: float, text: str) -> None:
    assert text in said(Finding("copies_total", {"operation": "x", "copies": 1, "total_ms": ms}), "en")


def test_a_tiny_chance_is_a_power_of_ten_that_does_not_break() -> None:
    args: dict[str, Scalar] = {
        "call": "f",
        "bytes": 1,
        "blocks": 1,
        "bytes_per_tooth": 1,
        "teeth": 9,
        "p": 7.9e-10,
    }
    text = said(Finding("leak", {**args, "share_of_growth": 1.0}), "en")
    assert "8\u00a0×\u00a010⁻¹⁰" in text


def test_a_code_without_words_is_shown_with_its_arguments() -> None:
    assert said(Finding("of_next_year", {"bytes": 2_000_000}), "en") == "of_next_year bytes=2\u00a0MB"


@pytest.fixture(scope="module")
def concluded() -> list[Finding]:
    """What the analysers conclude from real files of all kinds."""
    if not FOLDER.exists():
        pytest.skip(f"there are no real files at {FOLDER}; set BENCHCARDS_REAL_FILES to the folder")
    paths = [path for kind in ("traces", "memory", "nsys") for path in sorted((FOLDER / kind).glob("*"))]
    small = [path for path in paths if path.stat().st_size < 1_300_000]
    return [finding for path in small for finding in findings_of(analyse_file(path).to_json())]


@pytest.mark.parametrize("language", context.LANGUAGES)
def test_what_is_concluded_from_real_files_is_said_in_full(language: str, concluded: list[Finding]) -> None:
    texts = [said(finding, language) for finding in concluded]
    assert len(texts) > 10
    assert [text for text in texts if "{" in text or "_" in text.split()[0]] == []
