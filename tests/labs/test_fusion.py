"""The fusion lab, run as people run it, on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engine.folders import project_folder
from engine.measure.events import Finding, Finished, Metric, Progress, Series
from tests.labs.helpers import events, labs
from tests.labs.word_check import unspoken


def test_fusion_measures_checks_and_explains(tmp_path: Path) -> None:
    done = labs(
        "run", "fusion", "--device", "cpu", "--events", "--set", "size=256", "--set", "operands=row",
        BENCHCARDS_HOME=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    assert isinstance(seen[-1], Finished)
    metrics = [event for event in seen if isinstance(event, Metric)]
    by_variant = {
        (metric.name, metric.labels.get("variant")): metric
        for metric in metrics
        if "variant" in metric.labels
    }
    assert by_variant["transfers", "eager"].value == 6
    assert by_variant["transfers", "compiled"].value == 2
    assert by_variant["kernels", "compiled"].value == 1
    assert by_variant["relative_error", "compiled"].value < 1e-5
    time = by_variant["time", "compiled"]
    assert time.low is not None
    assert time.high is not None
    assert time.low <= time.value <= time.high
    assert {"rows", "columns", "operands", "dtype"} <= set(time.labels)
    eager = by_variant["time", "eager"].value
    assert by_variant["speedup", "compiled"].value == eager / time.value
    rows = [
        row for event in seen if isinstance(event, Series) and event.name == "sizes" for row in event.rows
    ]
    assert {(row[0], row[2]) for row in rows} == {
        (side, variant) for side in (128, 256) for variant in ("eager", "compiled")
    }
    codes = {event.code for event in seen if isinstance(event, Finding)}
    assert "still_memory_bound" in codes
    assert "needs_gpu_for_triton" in codes
    progress = [event for event in seen if isinstance(event, Progress) and event.total]
    assert all(event.done < event.total for event in progress)
    assert progress[-1].done > 0.8 * progress[-1].total
    assert unspoken("fusion", seen) == []
    assert list((tmp_path / "ceilings").glob("*.json")), "the ceilings are kept"


def test_without_a_compiler_eager_is_measured_and_the_finding_says_what_to_install(tmp_path: Path) -> None:
    done = labs(
        "run", "fusion", "--device", "cpu", "--events", "--set", "size=256", "--set", "operands=scalar",
        BENCHCARDS_HOME=str(tmp_path), CXX="no-such-compiler",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = events(done.stdout)
    (missing,) = [event for event in seen if isinstance(event, Finding) and event.code == "compiler_missing"]
    assert "build-essential" in str(missing.args["message"])
    variants = {event.labels.get("variant") for event in seen if isinstance(event, Metric)}
    assert "eager" in variants
    assert "compiled" not in variants


def test_the_labs_load_without_torch() -> None:
    code = "import labs.fusion, labs.mbu_floor, sys; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, cwd=project_folder(), env=dict(os.environ),
    )  # fmt: skip
    assert done.stdout.strip() == "False"
