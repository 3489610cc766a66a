"""The verdict on a trace, how sure it is, and what is to be minded: on small traces, and on all real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.measure.analyse.trace_file import analyse_trace
from tests.measure.analyse.trace_writer import Trace, decode
from tests.real_files import expected, real_file


def shown_of(folder: Path, trace: Trace) -> dict[str, Any]:
    return analyse_trace(trace.write(folder / "trace.json")).to_json()


def verdict_of(shown: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = shown["devices"][0]["verdict"]
    assert shown["findings"][0]["code"] == found["code"]
    return found


def codes(shown: dict[str, Any], part: str) -> list[str]:
    return [entry["code"] for entry in shown[part]]


def test_a_gpu_that_waits_for_launches_is_overhead_bound(tmp_path: Path) -> None:
    shown = shown_of(tmp_path, decode(5))
    assert verdict_of(shown) == {"code": "overhead_bound", "confidence": "high", "because": []}
    args = shown["findings"][0]["args"]
    assert (args["cpu_op"], args["call"], args["share"]) == ("aten::linear", "cudaLaunchKernel", 1.0)
    leaves = next(finding["args"] for finding in shown["findings"] if finding["code"] == "graphs_leave")
    assert (leaves["launches"], leaves["left_ms"]) == (100, 0.2)
    assert "profiler_widens" in codes(shown, "warnings")


def test_kernels_side_by_side_are_what_takes_the_time(tmp_path: Path) -> None:
    shown = shown_of(tmp_path, decode(5, graph=True, launch=1))
    assert verdict_of(shown)["code"] == "gpu_busy"
    assert shown["findings"][0]["args"]["family"] == "matmul"
    assert "graphs_leave" not in codes(shown, "findings")
    assert "profiler_widens" not in codes(shown, "warnings")


def test_gaps_in_which_the_cpu_launches_nothing_are_no_overhead(tmp_path: Path) -> None:
    trace, at = Trace(), 0.0
    for n in range(60):
        trace.op("aten::mm", at, at + 20).launch(at + 5, at + 10, n).work(at + 10, at + 60, n)
        at += 2000  # the next batch is loaded
    shown = shown_of(tmp_path, trace)
    assert verdict_of(shown)["code"] == "cpu_elsewhere"
    assert shown["findings"][0]["args"]["longest_ms"] == 1.95
    assert shown["findings"][0]["args"]["share"] > 0.9
    assert "graphs_leave" not in codes(shown, "findings")


def slow_first(first: int, *, steps: int = 60) -> Trace:
    """Launches of 5 µs each, after a first one that loads its kernel's code for so many µs."""
    trace, at = Trace(), 0.0
    for n in range(steps):
        cost = first if n == 1 else 5
        trace.op("aten::mm", at, at + 20 + cost).launch(at + 5, at + 5 + cost, n)
        trace.work(at + 5 + cost, at + 15 + cost, n)
        at += 40 + cost
    return trace


def test_a_launch_that_loads_code_is_told_apart_from_the_overhead_of_all(tmp_path: Path) -> None:
    """A recording without warm-up was called overhead-bound, with CUDA graphs as its cure."""
    shown = shown_of(tmp_path, slow_first(20_000))
    assert verdict_of(shown)["code"] == "slow_launches"
    args = shown["findings"][0]["args"]
    assert (args["launches"], args["longest_ms"]) == (1, 20.0)
    assert args["share"] > 0.85
    assert "graphs_leave" not in codes(shown, "findings")
    # graphs would not save what loading takes
    assert shown["devices"][0]["bound"]["graphs_us"] > 20_000


def test_a_slow_first_launch_beside_much_overhead_is_mentioned(tmp_path: Path) -> None:
    shown = shown_of(tmp_path, slow_first(900))
    assert verdict_of(shown)["code"] == "overhead_bound"
    held_up = next(f["args"] for f in shown["findings"] if f["code"] == "launches_held_up")
    assert 0.2 < held_up["share"] < 0.4
    assert "launches_held_up" not in codes(shown_of(tmp_path, slow_first(5)), "findings")


def test_a_rocm_trace_without_warm_up_is_no_case_for_graphs() -> None:
    shown = analyse_trace(real_file("traces/mi250_rocm62.json.gz")).to_json()
    assert verdict_of(shown)["code"] == "slow_launches"
    assert shown["findings"][0]["args"]["longest_ms"] == pytest.approx(6.543, abs=0.001)


def test_loading_data_in_the_main_process_is_no_overhead() -> None:
    """Kineto's own example of it: a ResNet-50 whose DataLoader has no workers."""
    shown = analyse_trace(real_file("traces/resnet50_num_workers_0.worker0.pt.trace.json.gz")).to_json()
    assert verdict_of(shown)["code"] == "cpu_elsewhere"
    args = shown["findings"][0]["args"]
    assert args["doing"] == "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    assert args["share"] > 0.7


def test_a_gpu_that_only_exchanges_data_waits_for_others(tmp_path: Path) -> None:
    trace = Trace()
    for n in range(60):
        trace.launch(100 * n, 100 * n + 2, n).work(100 * n + 2, 100 * n + 30, n, "gemm")
        trace.work(100 * n + 30, 100 * n + 100, 1000 + n, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL")
    shown = shown_of(tmp_path, trace)
    assert verdict_of(shown)["code"] == "communication_bound"
    assert shown["findings"][0]["args"]["share"] == round(70 / 98, 4)


def test_communication_beside_other_work_is_not_waited_for(tmp_path: Path) -> None:
    trace = Trace()
    for n in range(60):
        trace.launch(100 * n, 100 * n + 2, n).work(100 * n, 100 * n + 95, n, "gemm")
        trace.work(100 * n, 100 * n + 100, 1000 + n, "ncclDevKernel_AllReduce", stream=20)
    assert verdict_of(shown_of(tmp_path, trace))["code"] == "gpu_busy"


def test_without_the_cpu_the_gaps_stay_unexplained(tmp_path: Path) -> None:
    trace = Trace()
    for n in range(60):
        trace.work(100 * n, 100 * n + 10, n)
    shown = shown_of(tmp_path, trace)
    assert verdict_of(shown) == {
        "code": "gaps_unexplained",
        "confidence": "low",
        "because": ["no_cpu_events"],
    }
    assert shown["devices"][0]["gaps"]["cpu"] is None
    assert shown["devices"][0]["bound"]["graphs_us"] is None
    assert shown["devices"][0]["launches"] is None


@pytest.mark.parametrize(("lost", "confidence"), [(0, "high"), (3, "medium"), (30, "low")])
def test_lost_records_make_a_verdict_less_sure(tmp_path: Path, lost: int, confidence: str) -> None:
    trace = decode(5)
    for n in range(lost):
        trace.launch(2000 + n, 2000.5 + n, 5000 + n)
    verdict = verdict_of(shown_of(tmp_path, trace))
    assert (verdict["confidence"], verdict["because"]) == (confidence, ["lost_records"] if lost else [])


@pytest.mark.parametrize(("kernels", "confidence"), [(5, "low"), (20, "medium"), (80, "high")])
def test_few_events_make_a_verdict_less_sure(tmp_path: Path, kernels: int, confidence: str) -> None:
    shown = shown_of(tmp_path, decode(1, kernels=kernels))
    assert verdict_of(shown)["confidence"] == confidence
    assert ("few_events" in codes(shown, "warnings")) == (confidence != "high")


def test_close_to_the_line_a_verdict_is_less_sure(tmp_path: Path) -> None:
    shown = shown_of(tmp_path, decode(5, launch=10, kernel=6.8))
    assert verdict_of(shown)["because"] == ["near_the_line"]


def test_gaps_that_begin_in_a_wait_are_told(tmp_path: Path) -> None:
    trace, at = Trace(), 0.0
    for n in range(60):
        trace.op("aten::mm", at, at + 20).launch(at + 5, at + 10, n).work(at + 10, at + 40, n)
        trace.call("cudaStreamSynchronize", at + 21, at + 45, 1000 + n)
        at += 80
    findings = {f["code"]: f["args"] for f in shown_of(tmp_path, trace)["findings"]}
    assert findings["sync_drains"] == {"device": 0, "syncs": 60, "share": 1.0, "gap_ms": 59 * 0.05}


def test_a_step_much_slower_than_the_others_is_told(tmp_path: Path) -> None:
    trace = decode(6)
    trace.step(6, 1200, 3000).op("aten::mm", 2900, 2950).launch(1210, 1215, 9000).work(1220, 1230, 9000)
    trace.launch(2910, 2915, 9001).work(2915, 2990, 9001)
    findings = {f["code"]: f["args"] for f in shown_of(tmp_path, trace)["findings"]}
    assert findings["uneven_steps"]["step"] == "ProfilerStep#6"
    assert findings["uneven_steps"]["median_ms"] == 0.2


@pytest.mark.parametrize("name", sorted(expected()) or ["traces/triton_example.json.gz"])
def test_what_is_said_of_a_real_trace_adds_up(name: str) -> None:
    shown = analyse_trace(real_file(name)).to_json()
    json.dumps(shown, allow_nan=False)
    for device in shown["devices"]:
        gaps, work = device["gaps"], sum(row["total_us"] for row in device["by_family"])
        if gaps["cpu"] is not None:
            assert sum(gaps["cpu"].values()) == pytest.approx(gaps["total_us"], abs=0.01)
            assert min(gaps["cpu"].values()) >= 0
        assert sum(pair["total_us"] for pair in gaps["waited_for"]) <= gaps["total_us"] + 0.01
        assert sum(step["wall_us"] for step in device["steps"]) <= device["wall_us"] + 0.01
        assert sum(row["count"] for row in device["by_family"]) == (
            device["kernels"] + device["copies"] + device["sets"]
        )
        assert work >= device["busy_us"] - 0.01
        assert sum(row["self_gpu_us"] for row in device["by_operator"]) <= work + 0.01
        assert all(row["self_gpu_us"] <= row["gpu_us"] for row in device["by_operator"])
        bound = device["bound"]
        assert bound["no_gaps_us"] <= (bound["graphs_us"] or bound["wall_us"]) <= bound["wall_us"]
