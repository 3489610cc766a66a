"""The ncu reader against real reports and against the ways a report can be odd."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.ncu import read_ncu
from tests.real_files import real_file

HEADER = (
    '"ID","Kernel Name","Block Size","Grid Size","CC","Section Name","Metric Name","Metric Unit",'
    '"Metric Value","Rule Name","Rule Type","Rule Description"\n'
)


def row(name: str, unit: str, value: str) -> str:
    return f'"0","k","(1, 1, 1)","(2, 1, 1)","9.0","Section","{name}","{unit}","{value}"\n'


@pytest.mark.parametrize(
    ("file", "duration_us", "dram", "compute", "achieved", "theoretical"),
    [
        ("ncu/rtx5090_kernel_0001_details.csv", 6.75, 19.66, 9.15, 11.3, 16.7),
        ("ncu/rtx5090_kernel_0002_details.csv", 18.34, 54.36, 22.47, 15.2, 16.7),
    ],
)
def test_a_real_gemv_report_gives_its_figures(
    file: str, duration_us: float, dram: float, compute: float, achieved: float, theoretical: float
) -> None:
    (kernel,) = read_ncu(real_file(file)).kernels
    assert kernel.duration_s == pytest.approx(duration_us * 1e-6)
    assert kernel.dram_percent == dram
    assert kernel.compute_percent == compute
    assert kernel.achieved_occupancy == pytest.approx(achieved, abs=0.05)
    assert kernel.theoretical_occupancy == pytest.approx(theoretical, abs=0.05)


def test_memory_throughput_in_percent_and_in_bytes_are_kept_apart() -> None:
    (kernel,) = read_ncu(real_file("ncu/rtx5090_kernel_0001_details.csv")).kernels
    assert kernel.memory_percent == 19.66
    assert kernel.memory_bytes_per_s == pytest.approx(345.14e9)


def test_the_table_is_found_behind_tool_lines_and_program_output() -> None:
    report = read_ncu(real_file("ncu/b200_cublaslt_app_output_then_csv.log"))
    (kernel,) = report.kernels
    assert kernel.duration_s == pytest.approx(406.24e-6)
    assert kernel.sm_clock_hz == pytest.approx(1.239e9, rel=1e-3)
    assert kernel.memory_percent == 21.68
    assert kernel.dram_percent == 0.74
    assert any(rule.name == "WorkloadImbalance" for rule in kernel.rules)


def test_a_file_with_only_an_error_says_what_ncu_said() -> None:
    with pytest.raises(UnreadableFile, match=r"did not match any section"):
        read_ncu(real_file("ncu/only_an_error_message.csv"))


@pytest.mark.parametrize(
    ("value", "expected"), [("65,77", 65.77), ("1.234,50", 1234.5)], ids=["comma", "point and comma"]
)
def test_a_decimal_comma_is_understood(tmp_path: Path, value: str, expected: float) -> None:
    path = tmp_path / "r.csv"
    path.write_text(HEADER + row("DRAM Throughput", "%", value), encoding="utf-8")
    assert read_ncu(path).kernels[0].dram_percent == expected


def test_thousands_and_units_per_row_come_to_one_unit(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        HEADER
        + row("Elapsed Cycles", "cycle", "13,485")
        + row("Duration", "us", "31.78")
        + row("SM Frequency", "cycle/nsecond", "1.5")
        + row("DRAM Throughput", "%", "79.2"),
        encoding="utf-8",
    )
    (kernel,) = read_ncu(path).kernels
    assert kernel.value("Elapsed Cycles") == 13485
    assert kernel.duration_s == pytest.approx(31.78e-6)
    assert kernel.sm_clock_hz == pytest.approx(1.5e9)


@pytest.mark.parametrize("content", ["", "hello\n", '"ID","Name"\n"0","x"\n', HEADER])
def test_a_file_without_a_report_is_refused_in_words(tmp_path: Path, content: str) -> None:
    path = tmp_path / "empty.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=r"empty\.csv"):
        read_ncu(path)
