"""Runs sent to another machine: over a real sshd, and through a plain command where there is none."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.folders import project_folder
from engine.measure import through
from engine.measure.fault import MeasureError
from engine.measure.runs import Runs
from engine.measure.through import DEFAULT_LABS, Through
from engine.store.store import Store
from tests.labs.helpers import ODD_LABS
from tests.measure.sshd import lacking, local_sshd
from tests.measure.waiting import at_stage, child_of, gone, over, until

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the other end is a POSIX shell"),
    pytest.mark.timeout(180),
]


@pytest.fixture(params=["ssh", "env"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The command in front: a real ssh, or one that only starts what stands behind it."""
    if request.param == "env":
        yield "env -u BENCHCARDS_LABS"
        return
    missing = lacking()
    if missing is not None:
        if os.environ.get("BENCHCARDS_REQUIRE_SSHD"):
            pytest.fail(missing)
        pytest.skip(missing)
    with local_sshd(tmp_path / "sshd") as command:
        yield command


@pytest.fixture
def sent(way: str, store: Store, runs: Runs, tmp_path: Path) -> Runs:
    """Runs that go that way. The labs there are ours, with a data folder of their own."""
    there = {
        "BENCHCARDS_LABS": str(ODD_LABS),
        "BENCHCARDS_HOME": str(tmp_path / "there"),
        "TMPDIR": str(tmp_path),
    }
    set_up = " ".join(f"{name}={shlex.quote(value)}" for name, value in there.items())
    labs = f"cd {shlex.quote(str(project_folder()))} && {set_up} {shlex.quote(sys.executable)} -m labs"
    through.save(store, way, labs)
    return runs


def test_a_run_goes_there_and_comes_back_with_its_events_its_log_and_its_result(sent: Runs, way: str) -> None:
    run = over(sent, sent.submit("counts", {"steps": 4}))
    assert (run.status, run.failure_message) == ("done", None)
    assert run.sent_through is not None
    assert run.sent_through.startswith(way)
    result = sent.result(run.id)
    assert result is not None
    assert [series.rows for series in result.series] == [[[n, n * n] for n in range(4)]]
    assert result.params["steps"] == 4
    assert result.artifacts == ()  # they stay on the other machine
    assert {"printed by the lab", "warned by the lab"} <= set(sent.log_tail(run.id))


def test_settings_arrive_as_they_are_whatever_characters_they_hold(sent: Runs) -> None:
    odd = "two words, $HOME `id` \"quoted\" 'twice' ; exit 3 # 学习"
    run = over(sent, sent.submit("echoes", {"word": odd}))
    result = sent.result(run.id)
    assert result is not None, run.failure_message
    assert result.params["word"] == odd


def test_cancelling_tells_the_lab_there_to_end(sent: Runs, tmp_path: Path) -> None:
    run_id = sent.submit("hangs")
    at_stage(sent, run_id, "waiting")
    sent.cancel(run_id)
    run = over(sent, run_id)
    assert (run.status, run.failure_code) == ("cancelled", "cancelled")
    until(lambda: _tidied(tmp_path))


def test_a_lab_that_will_not_end_is_ended_there_with_its_child(sent: Runs) -> None:
    run_id = sent.submit("stubborn")
    at_stage(sent, run_id, "waiting")
    child = child_of(sent, run_id)
    sent.cancel(run_id)
    assert over(sent, run_id).status == "cancelled"
    gone(child)


def test_where_the_connection_breaks_the_run_has_failed_and_the_lab_there_ends(
    sent: Runs, tmp_path: Path
) -> None:
    run_id = sent.submit("hangs")
    run = at_stage(sent, run_id, "waiting")
    assert run.process is not None
    os.kill(run.process.pid, signal.SIGKILL)
    assert over(sent, run_id).status == "failed"
    until(lambda: _tidied(tmp_path))


def test_what_a_lab_leaves_behind_there_is_ended(sent: Runs) -> None:
    run_id = sent.submit("leaves_child")
    child = child_of(sent, run_id)
    assert over(sent, run_id).status == "done"
    gone(child)


def test_a_lab_that_fails_there_is_a_failed_run_with_its_reason(sent: Runs) -> None:
    run = over(sent, sent.submit("gives_up"))
    assert (run.status, run.failure_code) == ("failed", "unsupported")
    assert "The graph was skipped" in (run.failure_message or "")


@pytest.mark.parametrize(
    ("prefix", "labs", "says"),
    [
        ("no-such-program-here x", DEFAULT_LABS, "no-such-program-here"),
        ("env", "cd /no/such/folder && python -m labs", "/no/such/folder"),
        ("env", "no-such-python -m labs", "no-such-python"),
        ("false", DEFAULT_LABS, "exit code 1"),
    ],
)
def test_a_command_that_leads_nowhere_is_a_failed_run_that_says_why(
    runs: Runs, store: Store, prefix: str, labs: str, says: str
) -> None:
    through.save(store, prefix, labs)
    run = over(runs, runs.submit("counts"))
    assert run.status == "failed"
    assert says in (run.failure_message or "")


def test_where_runs_are_sent_is_kept_and_taken_back(store: Store) -> None:
    assert through.load(store) is None
    kept = through.save(store, "  ssh gpu-box ", "")
    assert kept == through.load(store) == Through("ssh gpu-box", DEFAULT_LABS)
    assert Through.of_line(kept.line()) == kept
    assert through.save(store, " ") is None
    assert through.load(store) is None


@pytest.mark.parametrize(
    ("prefix", "labs", "says"),
    [
        ("ssh 'gpu-box", "", "quotation"),
        ("ssh gpu\nbox", "", "one line"),
        ("x" * 1001, "", "longer"),
        ("''", "python \0", "one line"),
    ],
)
def test_a_command_that_cannot_be_one_is_refused_and_the_old_one_kept(
    store: Store, prefix: str, labs: str, says: str
) -> None:
    through.save(store, "ssh old")
    with pytest.raises(MeasureError, match=says):
        through.save(store, prefix, labs)
    assert through.load(store) == Through("ssh old")


def _tidied(folder: Path) -> bool:
    """Whether the lab `hangs` was told to end: it then leaves a file among its artifacts."""
    return any(folder.glob("benchcards-hangs-*/cleaned-up"))
