"""A quick lab for the tests: leaves snapshots of the simulated allocator, and their pictures."""

from __future__ import annotations

import json
import pickle
from typing import Any

from engine.measure.analyse.memory import analyse_snapshot
from labs.kit.lab import Bench, Lab
from labs.kit.memory_plans import GIB
from labs.kit.pictures import pictures
from tests.measure.analyse.workloads import fragmented, server


def run(bench: Bench) -> None:
    _leave(bench, "leak", server(1, leak=1.0))
    _leave(bench, "small_survivors", fragmented(1))


def _leave(bench: Bench, name: str, snapshot: dict[str, Any]) -> None:
    path = bench.artifacts / f"{name}.default.pickle"
    path.write_bytes(pickle.dumps(snapshot))
    analysis = analyse_snapshot(path)
    bench.artifact(f"{name}.default", path, "application/x-pytorch-snapshot")
    said = bench.artifacts / f"{name}.default.analysis.json"
    said.write_text(json.dumps(analysis.to_json()), encoding="utf-8")
    bench.artifact(f"{name}.default.analysis", said, "application/json")
    for series in pictures(analysis.devices[0], name, "default", 2 * GIB):
        bench.emit(series)


LAB = Lab(name="leaves_snapshot", run=run, devices=("cpu",), uses_torch=False, time_limit_s=60)
