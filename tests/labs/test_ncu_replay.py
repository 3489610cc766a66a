"""How the lab ncu_replay opens its reports, with and without Nsight Compute, and without permission."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.measure.events import Artifact, Event, Finding, Metric
from labs.kit.lab import Bench
from labs.kit.ncu_findings import Seen
from labs.kit.ncu_tool import OWN_KERNEL, Access
from labs.kit.speed_of_light import Roof, linear, predict
from labs.kit.steps import Steps
from labs.ncu_replay import open_reports
from tests.labs import fake_ncu
from tests.labs.word_check import unspoken

ROOF = Roof(bandwidth=4.2e12, peak_bandwidth=4.8e12, rate=780e12, peak_rate=989e12, start_s=2e-6)
GEMV = {"Duration": ["32.0", "us"], "Memory Throughput": ["79.0", "%"], "DRAM Throughput": ["78.0", "%"]}


def cases() -> dict[str, Seen]:
    work = linear(rows=14336, columns=4096, batch=1, item_bytes=2)
    return {"gemv": Seen("gemv", 1, work, predict(work, ROOF), 0.030, 1)}


def opened(tmp_path: Path, seen: dict[str, Seen], *, restricted: bool = False) -> list[Event]:
    """The events of opening both reports."""
    events: list[Event] = []
    bench = Bench("cuda", {"layer": "gate", "batch": 16}, events.append, tmp_path)
    open_reports(bench, Steps(bench, 4), seen, Access(restricted=restricted, admin=False))
    assert unspoken("ncu_replay", events) == []
    return events


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **answer: Any) -> None:
    place = tmp_path / "bin"
    place.mkdir()
    fake_ncu.install(place)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    monkeypatch.setenv("FAKE_NCU", json.dumps({"idle": True, **answer}))


def test_both_sets_are_taken_and_the_reports_are_left_for_ncus_own_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {"name": "fill(int)", "metrics": {"Duration": ["1.0", "us"]}}
    install(tmp_path, monkeypatch, passes=10, kernels=[first, {"name": "gemv(int)", "metrics": GEMV}])
    seen = cases()
    events = opened(tmp_path, seen)
    assert set(seen["gemv"].reports) == {"basic", "full"}
    by_name = {(e.name, e.labels.get("set")): e.value for e in events if isinstance(e, Metric)}
    assert by_name["memory_throughput", "full"] == 79
    assert by_name["passes", "basic"] == 10
    assert by_name["duration_ratio", "basic"] == pytest.approx(32 / 30)
    assert by_name["prediction_error", None] == pytest.approx(79 - seen["gemv"].predicted.memory)
    assert [e.name for e in events if isinstance(e, Artifact)] == ["ncu-basic.ncu-rep", "ncu-full.ncu-rep"]


def test_a_refused_permission_says_which_line_an_administrator_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, error="ERR_NVGPUCTRPERM - The user does not have permission")
    (finding,) = [event for event in opened(tmp_path, cases()) if isinstance(event, Finding)]
    assert finding.code == "ncu_not_allowed"
    assert "NVreg_RestrictProfilingToAdminUsers=0" in str(finding.args["setting"])


def test_a_driver_that_lets_only_administrators_in_is_told_before_ncu_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, passes=1, kernels=[])
    (finding,) = [e for e in opened(tmp_path, cases(), restricted=True) if isinstance(e, Finding)]
    assert finding.code == "ncu_not_allowed"
    assert not list(tmp_path.glob("ncu-*"))


def test_a_report_that_fails_leaves_the_rest_of_the_lab_standing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, error="Failed to initialize the profiler: LibraryNotLoaded")
    (finding,) = [event for event in opened(tmp_path, cases()) if isinstance(event, Finding)]
    assert finding.code == "ncu_failed"
    assert "LibraryNotLoaded" in str(finding.args["message"])


def test_where_ncu_is_missing_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if list(Path("/usr/local").glob("cuda*/bin/ncu")):
        pytest.skip("ncu is at its usual place on this machine")
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = [event for event in opened(tmp_path, cases()) if isinstance(event, Finding)]
    assert finding.code == "ncu_missing"


def test_the_command_for_ones_own_kernel_leaves_the_clocks_alone() -> None:
    assert "--clock-control none" in OWN_KERNEL
    assert "\\\n" in OWN_KERNEL, "its lines are continued"
