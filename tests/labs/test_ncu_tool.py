"""Nsight Compute as labs run it. A stand-in for the external program writes the report; the rest is real."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.ncu import read_ncu
from engine.measure.analyse.nvidia_tools import ncu_path
from labs.kit import ncu_tool
from labs.kit.ncu_report import by_case
from labs.kit.ncu_tool import NcuFailed, access, passes, profile, version
from tests.labs import fake_ncu
from tests.real_files import real_file

TARGET = [
    sys.executable, "-c",
    "import json\nfor case in ('gemv', 'gemm'): print(json.dumps({'case': case, 'wall_s': 0.25}))",
]  # fmt: skip
GEMV = {
    "Duration": ["31.78", "us"],
    "Memory Throughput": ["79.12", "%"],
    "DRAM Throughput": ["77.5", "%"],
    "Compute (SM) Throughput": ["10.2", "%"],
    "Achieved Occupancy": ["14.5", "%"],
    "Theoretical Occupancy": ["18.75", "%"],
    "L2 Hit Rate": ["4.5", "%"],
    "Registers Per Thread": ["166", "register/thread"],
    "SM Frequency": ["1.74", "Ghz"],
}


@pytest.fixture
def ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The stand-in on the PATH, found as ncu is found."""
    place = tmp_path / "bin"
    place.mkdir()
    fake_ncu.install(place)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    found = ncu_path()
    assert found == str(place / "ncu")
    return found


def answers(monkeypatch: pytest.MonkeyPatch, **body: Any) -> None:
    monkeypatch.setenv("FAKE_NCU", json.dumps(body))


def test_a_report_is_matched_with_the_cases_that_were_launched(
    ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = {"name": "splitKreduce(int)", "metrics": {"Duration": ["2.1", "us"]}}
    gemm = {
        "name": "nvjet_tst(float)",
        "metrics": {"Duration": ["40.0", "us"], "Memory Throughput": ["70", "%"]},
    }
    answers(monkeypatch, passes=8, kernels=[{"name": "gemv(int)", "metrics": GEMV}, gemm, split])
    run = profile(ncu, "basic", TARGET, folder=tmp_path, limit_s=60)
    assert run.path == tmp_path / "ncu-basic.ncu-rep"
    assert (tmp_path / "ncu-basic.csv").exists()
    found = by_case(run, {"gemv": 1, "gemm": 2})
    gemv = found["gemv"]
    assert (gemv.memory, gemv.dram, gemv.compute, gemv.l2_hit) == (79.12, 77.5, 10.2, 4.5)
    assert gemv.duration_s == pytest.approx(31.78e-6)
    assert gemv.sm_hz == pytest.approx(1.74e9)
    assert (gemv.passes, gemv.registers, gemv.wall_s) == (8, 166, 0.25)
    assert found["gemm"].kernel == "nvjet_tst(float)", "the longest kernel of a case counts"


def test_a_report_with_another_number_of_kernels_is_refused(
    ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, passes=8, kernels=[{"name": "gemv(int)", "metrics": GEMV}])
    run = profile(ncu, "basic", TARGET, folder=tmp_path, limit_s=60)
    with pytest.raises(NcuFailed, match="holds 1 kernels, 2 were launched"):
        by_case(run, {"gemv": 1, "gemm": 1})


def test_a_refusal_of_the_counters_is_told_as_permission(
    ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, error="ERR_NVGPUCTRPERM - The user does not have permission to access counters")
    with pytest.raises(NcuFailed) as failed:
        profile(ncu, "full", TARGET, folder=tmp_path, limit_s=60)
    assert failed.value.reason == "permission"


def test_any_other_end_without_a_report_gives_ncus_own_words(
    ncu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, error="Failed to initialize the profiler: LibraryNotLoaded")
    with pytest.raises(NcuFailed, match="LibraryNotLoaded") as failed:
        profile(ncu, "full", TARGET, folder=tmp_path, limit_s=60)
    assert failed.value.reason == "failed"


def test_ncu_says_its_version(ncu: str, tmp_path: Path) -> None:
    assert version(ncu, tmp_path / "said") == "2025.3.1.0"


@pytest.mark.parametrize(
    ("params", "capabilities", "denied"),
    [
        ("RmProfilingAdminOnly: 1\n", "0000000000000000", True),
        ("RmProfilingAdminOnly: 0\n", "0000000000000000", False),
        ("RmProfilingAdminOnly: 1\n", "0000000000200000", False),  # CAP_SYS_ADMIN, as in a container
        ("EnableMSI: 1\n", "0000000000000000", False),
    ],
)
def test_the_drivers_parameter_is_read_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, params: str, capabilities: str, denied: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    (tmp_path / "params").write_text(f"ResmanDebugLevel: 4294967295\n{params}")
    (tmp_path / "status").write_text(f"Name:\tpython3\nCapEff:\t{capabilities}\n")
    assert access(tmp_path / "params", tmp_path / "status").denied is denied


def test_without_a_driver_nothing_is_denied_beforehand(tmp_path: Path) -> None:
    assert access(tmp_path / "absent", tmp_path / "absent").restricted is None


def test_passes_are_read_by_the_number_of_the_launch() -> None:
    said = (
        '==PROF== Profiling "gemv" - 0: 0%....50%....100% - 38 passes\n'
        '==PROF== Profiling "vectorized - 2" - 1: 0%....100% - 1 pass\n'
    )
    assert passes(said) == {0: 38, 1: 1}


def test_a_real_report_of_a_gemv_is_read_like_ours(tmp_path: Path) -> None:
    path = real_file("ncu/rtx5090_kernel_0002_details.csv")
    report = ncu_tool.NcuRun(read_ncu(path), {}, "", 0.0, path)
    gemv = by_case(report, {"gemv": 1})["gemv"]
    assert gemv.achieved == pytest.approx(15.2, abs=0.1)
    assert gemv.theoretical == pytest.approx(16.7, abs=0.1)
    assert gemv.duration_s == pytest.approx(18.34e-6, rel=0.01)
