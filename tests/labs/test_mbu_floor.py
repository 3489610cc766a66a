"""The mbu_floor lab, run as people run it, on the CPU with a tiny checkpoint on the disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.measure.events import Finding, Finished, Metric, Progress, Series
from tests.labs.helpers import events, labs
from tests.labs.test_models import TINY, tiny
from tests.labs.word_check import unspoken


def test_each_mode_is_set_against_the_floor(tmp_path: Path) -> None:
    shape = replace(TINY, layers=1)
    tiny(shape).save_pretrained(tmp_path / "tiny-llama")
    done = labs(
        "run", "mbu_floor", "--device", "cpu", "--events",
        "--set", "weights=pretrained", "--set", f"checkpoint={tmp_path / 'tiny-llama'}",
        BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    assert isinstance(seen[-1], Finished)
    metrics = [event for event in seen if isinstance(event, Metric)]

    def value(name: str, **labels: str) -> float:
        found = {
            tuple(m.labels.items()): m.value
            for m in metrics
            if m.name == name and all(m.labels.get(k) == v for k, v in labels.items())
        }
        (last,) = found.values()
        return last

    modes = [m.labels["mode"] for m in metrics if m.name == "ms_per_token"]
    assert set(modes) == {"eager", "static", "compiled", "int8"}
    assert modes[:2] == ["eager", "eager"]  # said early, then again with its own timing
    first = next(
        number for number, event in enumerate(seen) if isinstance(event, Metric) and "mode" in event.labels
    )
    ceilings = next(
        n for n, event in enumerate(seen) if isinstance(event, Metric) and event.name == "read_bandwidth"
    )
    assert first < ceilings
    assert {m.labels["model"] for m in metrics if "model" in m.labels} == {"tiny-llama"}
    item = 2 if any(m.labels.get("weights") == "bf16" for m in metrics) else 4
    whole = shape.parameters * item
    embedding = (TINY.vocabulary - 1) * TINY.hidden * item
    full = {"weights": "bf16" if item == 2 else "fp32"}
    assert value("weight_bytes", **full) == whole - embedding
    assert value("weight_bytes", weights="int8") < (whole - embedding) * 0.3 * 4 / item
    ms, eager_ms = value("ms_per_token", mode="compiled"), value("ms_per_token", mode="eager")
    assert value("tokens_per_second", mode="compiled") == pytest.approx(1e3 / ms)
    assert value("mbu", mode="compiled") == pytest.approx(
        100 * value("floor", ceiling="measured", **full) / ms
    )
    assert value("agreement", mode="static") == 100
    assert value("speedup", mode="int8", over="eager") == pytest.approx(
        eager_ms / value("ms_per_token", mode="int8")
    )
    codes = {event.code for event in seen if isinstance(event, Finding)}
    assert {"weights_floor_measured", "weights_fit_cache", "needs_gpu_for_gaps", "rungs_need_gpu"} <= codes
    steps = [
        row for event in seen if isinstance(event, Series) and event.name == "steps" for row in event.rows
    ]
    assert len(steps) == 4 * 16
    progress = [event for event in seen if isinstance(event, Progress) and event.total]
    assert all(event.done < event.total for event in progress)
    assert progress[-1].done > 0.8 * progress[-1].total
    assert unspoken("mbu_floor", seen) == []


def test_a_checkpoint_that_is_missing_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    done = labs(
        "run", "mbu_floor", "--device", "cpu", "--set", "weights=pretrained",
        "--set", "checkpoint=/no/such/folder", BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 1
    assert "no such folder" in done.stderr
    assert "Traceback" not in done.stderr
