"""Runs when an app dies, closes, or shares its data folder with another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engine.folders import project_folder
from engine.measure import line
from engine.measure.processes import Identity, identity, this_process
from engine.measure.runs import Run, Runs
from engine.measure.supervisor import now_ms
from engine.store.store import Store
from tests.labs.helpers import ODD_LABS
from tests.measure.waiting import at_stage, child_of, gone, over, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the odd labs use signals")


@contextmanager
def app(data: Path, lab: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another app with a run of `lab` under way, and the run's id."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.measure.app", str(data), lab, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=project_folder(),
        env={**os.environ, "BENCHCARDS_LABS": str(ODD_LABS)},
    ) as process:
        assert process.stdout
        yield process, process.stdout.readline().strip()
        process.kill()


def stored(store: Store, run_id: str) -> Run:
    with store.read() as connection:
        run = line.get(connection, run_id)
    assert run is not None
    return run


@pytest.mark.parametrize("options", [(), ("warm",)], ids=["plain", "warm"])
def test_a_killed_app_leaves_nothing_behind_once_the_next_one_starts(
    store: Store, tmp_path: Path, odd_labs: None, options: tuple[str, ...]
) -> None:
    if options and sys.platform != "linux":
        pytest.skip("labs are forked on Linux only")
    with app(tmp_path, "stubborn", *options) as (process, run_id):
        helpers = [identity(child.pid) for child in psutil.Process(process.pid).children()]
        lab = stored(store, run_id).process
        process.kill()
        process.wait()
    assert lab is not None
    assert lab.is_alive()
    runs = Runs(store, tmp_path)
    try:
        child = child_of(runs, run_id)
        run = over(runs, run_id)
        assert run.status == "interrupted"
        assert run.ended_at_ms is not None
        gone(lab)
        gone(child)
    finally:
        runs.close()
    for helper in filter(None, helpers):  # the warm parent has ended by itself
        gone(helper)


def test_a_closed_app_ends_its_runs(store: Store, tmp_path: Path, odd_labs: None) -> None:
    with app(tmp_path, "hangs") as (process, run_id):
        lab = stored(store, run_id).process
        assert lab is not None
        process.communicate("")
        assert process.returncode == 0
        gone(lab)
        assert stored(store, run_id).status == "interrupted"
        assert (tmp_path / "runs" / run_id / "artifacts" / "cleaned-up").exists()


def test_a_second_app_leaves_the_first_ones_runs_alone_and_takes_over_when_it_is_gone(
    store: Store, tmp_path: Path, odd_labs: None
) -> None:
    with app(tmp_path, "hangs") as (process, first):
        runs = Runs(store, tmp_path)
        try:
            second = runs.submit("counts")
            assert runs.live(first).label == "waiting"
            assert stored(store, second).place_in_line == 1
            assert stored(store, first).status == "running"
            process.kill()
            process.wait()
            assert over(runs, second).status == "done"
            assert stored(store, first).status == "interrupted"
        finally:
            runs.close()


def test_a_second_app_can_cancel_the_first_ones_run_and_have_its_own_done_by_it(
    store: Store, tmp_path: Path, odd_labs: None
) -> None:
    with app(tmp_path, "hangs") as (process, first):
        runs = Runs(store, tmp_path)
        try:
            second = runs.submit("counts")
            runs.cancel(first)
            assert over(runs, first).status == "cancelled"
            assert over(runs, second).status == "done"
            assert stored(store, second).owner != this_process()
            assert process.poll() is None
        finally:
            runs.close()


def test_a_process_that_only_has_the_number_of_a_lost_run_is_not_ended(
    store: Store, tmp_path: Path, odd_labs: None
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        now = until(lambda: identity(bystander.pid))
        dead = Identity(pid=now.pid, started=now.started - 100)
        lost = Run(
            id="lost", lab="counts", params={}, device="cpu", device_key="cpu", status="queued",
            queued_at_ms=now_ms(), started_at_ms=None, ended_at_ms=None, time_limit_s=60, failure_code=None,
            failure_message=None, place_in_line=0, process=None, owner=dead, folder="runs/lost",
        )  # fmt: skip
        with store.begin() as connection:
            line.insert(connection, lost)
            line.insert(connection, replace(lost, id="never-started", folder="runs/never-started"))
            line.change(connection, "lost", status="running", pid=dead.pid, pid_started=dead.started)
        runs = Runs(store, tmp_path)
        try:
            assert over(runs, "lost").status == "interrupted"
            assert over(runs, "never-started").status == "interrupted"
            assert now.is_alive()
        finally:
            runs.close()
            bystander.communicate(b"\n")


def test_the_lab_lives_on_when_the_warm_parent_is_killed(runs: Runs) -> None:
    if sys.platform != "linux":
        pytest.skip("labs are forked on Linux only")
    runs.warm_up()
    until(lambda: runs.is_warm)
    run_id = runs.submit("hangs")
    run = at_stage(runs, run_id, "waiting")
    assert run.process is not None
    parent = psutil.Process(run.process.pid).parent()
    assert parent is not None
    assert parent.pid != os.getpid()
    parent.kill()
    until(lambda: not runs.is_warm)
    assert run.process.is_alive()
    runs.cancel(run_id)
    assert over(runs, run_id).status == "cancelled"
    assert over(runs, runs.submit("counts")).status == "done"
