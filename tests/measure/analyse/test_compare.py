"""Two traces side by side: what moved, by step where both have steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import main
from engine.measure.analyse.compare import compare
from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.step_times import STEPS
from engine.measure.analyse.trace_file import analyse_trace
from tests.measure.analyse.trace_writer import Trace, decode
from tests.real_files import real_file


def shown_of(folder: Path, trace: Trace) -> dict[str, Any]:
    return analyse_trace(trace.write(folder / "trace.json")).to_json()


def compared(folder: Path, before: Trace, after: Trace) -> dict[str, Any]:
    return compare(shown_of(folder, before), shown_of(folder, after)).to_json()


def rows(shown: dict[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    (device,) = shown["devices"]
    return {row["what"]: (row["before"], row["after"]) for row in device["rows"]}


def findings(shown: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding["args"] for finding in shown["findings"]}


def test_a_graph_takes_the_gaps_and_the_launches_away(tmp_path: Path) -> None:
    shown = compared(tmp_path, decode(5), decode(5, graph=True))
    assert shown["devices"][0]["per"] == "step"
    figures = rows(shown)
    assert figures["kernels"] == (20, 20)
    assert figures["launches"] == (20, 1)
    assert figures["graph_launches"] == (0, 1)
    assert figures["kernels_in_graphs"] == (0, 20)
    assert figures["busy_us"] == (40, 40)
    said = findings(shown)
    assert said["time_moved_in_gaps"]["busy_change_ms"] == pytest.approx(0, abs=1e-9)
    assert said["time_moved_in_gaps"]["gap_change_ms"] < -0.1
    assert said["graphs_now"] == {"device": 0, "per": "step", "graphs": 1.0, "kernels": 20.0}
    assert said["launches_moved"]["after"] == 1
    assert not {"kernel_moved", "kernel_new", "kernel_gone", "same_time_more_work"} & set(said)


def test_more_work_in_the_same_time_is_the_mark_of_overhead(tmp_path: Path) -> None:
    shown = compared(tmp_path, decode(5, kernel=2), decode(5, kernel=6))
    assert "same_time_more_work" in findings(shown)
    assert findings(shown)["compared_time"]["speedup"] == pytest.approx(1, abs=0.01)


def test_kernels_that_take_longer_are_told_from_gaps(tmp_path: Path) -> None:
    shown = compared(
        tmp_path, decode(5, graph=True, launch=1, kernel=2), decode(5, graph=True, launch=1, kernel=6)
    )
    assert "time_moved_in_kernels" in findings(shown)
    moved = shown["devices"][0]["kernels"]
    assert [row["change_us"] for row in moved] == [20.0] * 4
    assert (moved[0]["before_us"], moved[0]["after_us"], moved[0]["before_count"]) == (10, 30, 5)


def test_a_kernel_that_replaces_others_is_new(tmp_path: Path) -> None:
    after = Trace("NVIDIA H200").step(0, 0, 100).launch(0, 1, 1).work(1, 100, 1, "fused")
    shown = compared(tmp_path, decode(1, graph=True, launch=1), after)
    assert findings(shown)["kernel_new"]["kernel"] == "fused"
    gone = [row for row in shown["devices"][0]["kernels"] if row["name"].startswith("gemv")]
    assert [row["after_us"] for row in gone] == [0.0] * 4


def test_different_numbers_of_steps_are_compared_by_the_step(tmp_path: Path) -> None:
    figures = rows(compared(tmp_path, decode(2), decode(8)))
    assert figures["kernels"] == (20, 20)
    assert figures["busy_us"] == (40, 40)


def test_of_a_trace_with_more_steps_than_are_listed_a_step_is_a_step(tmp_path: Path) -> None:
    """Its sums hold all steps and were divided by those listed: every kernel seemed to have become slower."""
    shown = compared(tmp_path, decode(5, kernels=4), decode(STEPS + 700, kernels=4))
    (device,) = shown["devices"]
    assert [row["change_us"] for row in device["kernels"]] == [0.0] * 4
    assert [row["change_us"] for row in device["operators"]] == [0.0]
    assert rows(shown)["launches"] == (4, 4)
    assert "kernel_moved" not in findings(shown)


def test_without_steps_whole_traces_are_compared_and_it_is_said(tmp_path: Path) -> None:
    plain = Trace().launch(0, 1, 1).work(1, 5, 1)
    shown = compared(tmp_path, decode(2), plain)
    assert shown["devices"][0]["per"] == "trace"
    assert rows(shown)["kernels"] == (40, 1)
    assert [warning["code"] for warning in shown["warnings"]] == ["compared_whole"]


def test_different_gpus_are_said(tmp_path: Path) -> None:
    other = decode(2)
    other._gpu = "Tesla T4"
    shown = compared(tmp_path, decode(2), other)
    assert shown["warnings"][0] == {
        "code": "gpus_differ",
        "args": {"before": "NVIDIA H200", "after": "Tesla T4"},
    }


def test_what_is_no_trace_or_saw_no_gpu_is_refused_in_words(tmp_path: Path) -> None:
    good = shown_of(tmp_path, decode(1))
    with pytest.raises(UnreadableFile, match=r"new: this is no trace"):
        compare(good, {"kind": "ncu"}, names=("old", "new"))
    with pytest.raises(UnreadableFile, match=r"old: it holds no GPU events"):
        compare(shown_of(tmp_path, Trace().op("aten::add", 0, 1)), good, names=("old", "new"))


def test_the_command_compares_in_json_and_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (
        decode(3).write(tmp_path / "eager.json"),
        decode(3, graph=True).write(tmp_path / "graph.json"),
    )
    assert main(["analyse", str(after), "--against", str(before), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["before"], shown["after"]) == ("comparison", "eager.json", "graph.json")
    assert main(["analyse", str(after), "--against", str(before)]) == 0
    said = capsys.readouterr().out
    assert "graph.json against eager.json: two traces" in said
    assert "it was the waiting that changed" in said
    assert main(["analyse", str(after), "--against", str(tmp_path / "absent.json")]) == 2


def test_a_trace_compared_with_itself_has_not_moved() -> None:
    shown = analyse_trace(real_file("traces/nccl_data.json.gz")).to_json()
    same = compare(shown, shown).to_json()
    (device,) = same["devices"]
    assert {row["ratio"] for row in device["rows"]} <= {1.0, None}
    assert {moved["change_us"] for moved in device["kernels"]} == {0.0}
    assert [finding["code"] for finding in same["findings"]] == ["compared_time"]
