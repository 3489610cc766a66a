"""The lab of memory: on a CPU as people run it; what it concludes from snapshots and measurements."""

from __future__ import annotations

import ast
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.folders import project_folder
from engine.measure.analyse.memory import DeviceMemory, analyse_snapshot
from engine.measure.events import Event, Finding, Finished, Metric, Series
from engine.measure.processes import Family, identity
from labs.kit import memory_plans as plans
from labs.kit.memory_findings import LEAKING, cures, told
from labs.kit.memory_plans import GIB, MIB, Step, Take
from labs.kit.pictures import LINES, pictures
from tests.labs.helpers import events, labs
from tests.labs.word_check import unspoken
from tests.measure.analyse.allocator import Allocator, OutOfMemory, stack

CAP = 2 * GIB


@pytest.fixture(scope="module")
def on_cpu() -> list[Event]:
    done = labs("run", "oom_fragmentation", "--device", "cpu", "--events", "--set", "cap_gib=2")
    assert done.returncode == 0, done.stderr
    return events(done.stdout)


def values(seen: list[Event], name: str) -> dict[str, float]:
    return {
        str(event.labels["allocator"]): event.value
        for event in seen
        if isinstance(event, Metric) and event.name == name and event.labels["pattern"] == "small_survivors"
    }


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is measured")
def test_malloc_fails_with_memory_free_and_pages_serve_the_request(on_cpu: list[Event]) -> None:
    assert isinstance(on_cpu[-1], Finished)
    assert values(on_cpu, "served") == {"malloc": 0, "pool": 1}
    request, free = values(on_cpu, "request"), values(on_cpu, "free_total")
    assert values(on_cpu, "largest_free_block")["malloc"] < request["malloc"] < free["malloc"]
    assert values(on_cpu, "allocated_share")["malloc"] <= 50
    assert values(on_cpu, "allocated")["malloc"] < values(on_cpu, "reserved")["malloc"] <= CAP


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is measured")
def test_on_a_cpu_the_lab_says_what_it_measured_and_what_it_did_not(on_cpu: list[Event]) -> None:
    codes = {event.code for event in on_cpu if isinstance(event, Finding)}
    assert {
        "malloc_is_not_the_caching_allocator",
        "malloc_fails_in_pieces",
        "needs_gpu_for_snapshots",
    } <= codes
    assert unspoken("oom_fragmentation", on_cpu) == []
    kv = next(event.value for event in on_cpu if isinstance(event, Metric) and event.name == "kv_per_token")
    assert kv == pytest.approx(plans.KV_PER_TOKEN, rel=0.01)
    left = {
        event.labels["pattern"]: event.value
        for event in on_cpu
        if isinstance(event, Metric) and event.name == "left_at_the_end"
    }
    assert left["leak"] - left["sawtooth"] > 24 * 512 * 1024 * 0.9
    pictured = {event.name for event in on_cpu if isinstance(event, Series)}
    assert pictured == {"timeline", "segment_map"}


def test_a_cancelled_run_leaves_no_process(tmp_path: Path) -> None:
    lab = subprocess.Popen(
        [sys.executable, "-m", "labs", "run", "oom_fragmentation", "--device=cpu", "--events"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project_folder(),
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    leader = identity(lab.pid)
    assert leader is not None
    assert lab.stdout is not None
    family = Family(leader)
    for line in lab.stdout:
        if "running_" in line:
            break
    members = family.members()
    assert len(members) == 2, "the lab and its child"
    os.kill(lab.pid, signal.SIGTERM)
    rest = lab.stdout.read()
    assert lab.wait(timeout=60) == 1
    assert '"code": "cancelled"' in rest
    assert [member for member in members if member.is_alive()] == []


class Simulated:
    """Plans on the simulated allocator, with a stack for each purpose."""

    def __init__(self, cap: int = 1 << 40) -> None:
        self.memory = Allocator(cap)
        self.memory.record()
        self._held: dict[int, int] = {}

    def run(self, steps: Any) -> None:
        step: Step
        for step in steps:
            if isinstance(step, Take):
                call = stack("kit/memory_tensors.py", 40, f"take_{step.purpose}")
                if step.purpose == "result":
                    call = stack(LEAKING[0], 7, LEAKING[1])
                self._held[step.key] = self.memory.alloc(step.size, call)
            else:
                self.memory.free(self._held.pop(step.key))

    def device(self, folder: Path) -> DeviceMemory:
        path = folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(self.memory.snapshot()))
        return analyse_snapshot(path).devices[0]


def failed(folder: Path, pattern: str) -> DeviceMemory:
    simulated = Simulated(CAP)
    plan = plans.small_survivors if pattern == "small_survivors" else plans.large_survivors
    simulated.run(plan(0, cap=CAP))
    with pytest.raises(OutOfMemory):
        simulated.run([Take(-1, "request", plans.request_bytes(CAP))])
    return simulated.device(folder)


@pytest.mark.parametrize("pattern", ["small_survivors", "large_survivors"])
def test_a_request_that_fails_in_pieces_is_told_from_the_snapshot(tmp_path: Path, pattern: str) -> None:
    memory = failed(tmp_path, pattern)
    (finding,) = told(memory, pattern, "default", cap=CAP, served=0)
    assert isinstance(finding, Finding)
    assert finding.code == "fails_in_pieces"
    assert float(str(finding.args["share"])) <= 50
    assert finding.args["request_mib"] == plans.request_bytes(CAP) // MIB
    assert float(str(finding.args["largest_mib"])) < plans.request_bytes(CAP) / MIB
    said = list(told(memory, pattern, "default", cap=CAP, served=1))
    assert said[-1] == Finding(
        "snapshot_disagrees", {"pattern": pattern, "allocator": "default", "said": "fragmentation"}
    )


@pytest.mark.parametrize(("kept", "code"), [(0.0, "healthy"), (1.0, "leak_named")])
def test_a_server_is_told_healthy_or_leaking_at_its_line(tmp_path: Path, kept: float, code: str) -> None:
    simulated = Simulated()
    simulated.run(plans.server(0, requests=24, tokens=(20, 100), block=2 * MIB, kept=kept))
    pattern = "leak" if kept else "sawtooth"
    found = list(told(simulated.device(tmp_path), pattern, "default", cap=CAP, served=None))
    assert [event.code for event in found if isinstance(event, Finding)] == [code]
    if kept:
        leak = next(event for event in found if isinstance(event, Finding))
        assert leak.args["call"] == f"server/{LEAKING[0]}:7 {LEAKING[1]}"


def test_the_line_that_leaks_is_where_the_lab_says() -> None:
    source = (project_folder() / "labs" / "kit" / LEAKING[0]).read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    (leaking,) = [node for node in functions if node.name == LEAKING[1]]
    assert "_history.append(" in ast.unparse(leaking)


def served(**by: int) -> dict[tuple[str, str, str], float]:
    return {("served", "small_survivors", allocator): value for allocator, value in by.items()}


@pytest.mark.parametrize(
    ("measured", "code"),
    [
        (served(default=0, expandable=1, pool=1), "expandable_cures"),
        (served(default=0, expandable=0, pool=1), "only_the_pool_cures"),
        (served(default=0, expandable=0, pool=0), "nothing_cures"),
        (served(default=1, expandable=1, pool=1), "nothing_to_cure"),
        (served(default=0, pool=1), "pool_serves"),
    ],
)
def test_what_cures_a_pattern_is_what_was_measured(
    measured: dict[tuple[str, str, str], float], code: str
) -> None:
    assert next(finding.code for finding in cures(measured)) == code


def test_pictures_of_a_snapshot_stay_small_and_name_their_program(tmp_path: Path) -> None:
    timeline, drawn_map = pictures(failed(tmp_path, "small_survivors"), "small_survivors", "default", CAP)
    assert len(timeline.rows) < 500
    assert {row[0] for row in drawn_map.rows} == set(range(LINES))
    assert {(row[1], row[2]) for series in (timeline, drawn_map) for row in series.rows} == {
        ("small_survivors", "default")
    }
