"""The labs on gaps, launches and utilisation as people run them, on a machine without a GPU."""

from __future__ import annotations

from pathlib import Path

from engine.measure.events import Artifact, Failed, Finding, Finished, Metric, Progress, Series
from tests.labs.helpers import events, labs
from tests.labs.word_check import unspoken


def test_decode_gaps_on_a_cpu_shows_the_step_and_says_what_needs_a_gpu(tmp_path: Path) -> None:
    done = labs(
        "run", "decode_gaps", "--device", "cpu", "--events", "--set", "model=tiny",
        BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    assert isinstance(seen[-1], Finished)
    metrics = [event for event in seen if isinstance(event, Metric)]
    assert [m.labels["batch"] for m in metrics if m.name == "ms_per_token"] == [1, 8, 32]
    (operators,) = [m.value for m in metrics if m.name == "operators_per_step"]
    assert operators >= 2 * 7  # a layer has seven linear operators alone
    names = {metric.name for metric in metrics}
    assert names & {"busy_ratio", "gap", "kernels_per_step", "launches_per_step"} == set()
    assert not [event for event in seen if isinstance(event, Artifact)]
    rows = [row for event in seen if isinstance(event, Series) for row in event.rows]
    assert [row[0] for row in rows] == [1, 8, 32]
    codes = {event.code for event in seen if isinstance(event, Finding)}
    assert {"cpu_batch", "cpu_operators", "needs_gpu_for_gaps"} <= codes
    progress = [event for event in seen if isinstance(event, Progress) and event.total]
    assert all(event.done < event.total for event in progress)
    assert progress[-1].done > 0.7 * progress[-1].total
    assert unspoken("decode_gaps", seen) == []


def test_launch_overhead_on_a_cpu_prices_the_call_and_fuses_the_step(tmp_path: Path) -> None:
    done = labs(
        "run", "launch_overhead", "--device", "cpu", "--events", "--set", "model=tiny", "--set", "batch=2",
        BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    assert isinstance(seen[-1], Finished)
    metrics = [event for event in seen if isinstance(event, Metric)]
    calls = {str(m.labels["call"]): m.value for m in metrics if m.name == "call_time"}
    assert set(calls) == {"operator", "unlaunched", "module", "linear"}
    assert all(value > 0 for value in calls.values())
    modes = {(m.labels["mode"], m.labels["batch"]) for m in metrics if m.name == "ms_per_token"}
    codes = {event.code for event in seen if isinstance(event, Finding)}
    if "compiler_missing" in codes:
        assert modes == {("eager", 1), ("eager", 2)}
    else:
        assert modes == {("eager", 1), ("fused", 1), ("eager", 2)}
        assert codes & {"cpu_fused_gains", "cpu_fused_changes_little"}
    assert {"cpu_operators", "needs_gpu_for_launches"} <= codes
    assert not {m.name for m in metrics} & {"launch_cost", "launches_per_step", "gap_share"}
    assert unspoken("launch_overhead", seen) == []


def test_utilisation_needs_a_gpu_and_says_so(tmp_path: Path) -> None:
    done = labs("run", "utilisation", "--events", BENCHCARDS_HOME=str(tmp_path), CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 1
    last = events(done.stdout)[-1]
    assert isinstance(last, Failed)
    assert last.code == "needs_gpu"
    assert "Traceback" not in done.stderr
