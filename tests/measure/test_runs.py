"""Runs of labs, by real processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.measure import line
from engine.measure.events import Artifact, Finding
from engine.measure.fault import MeasureError
from engine.measure.runs import Runs
from engine.store.store import Store
from tests.measure.waiting import at_stage, child_of, gone, over, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the odd labs use signals")


def test_a_run_goes_through_its_life_and_leaves_its_result(runs: Runs, tmp_path: Path) -> None:
    run_id = runs.submit("counts", {"steps": 5})
    run = over(runs, run_id)
    assert (run.status, run.failure_code, run.failure_message) == ("done", None, None)
    assert run.started_at_ms is not None
    assert run.ended_at_ms is not None
    assert run.queued_at_ms <= run.started_at_ms <= run.ended_at_ms
    result = runs.result(run_id)
    assert result is not None
    assert result.params["steps"] == 5
    assert [series.rows for series in result.series] == [[[n, n * n] for n in range(5)]]
    [artifact] = result.artifacts
    assert isinstance(artifact, Artifact)
    assert Path(artifact.path).read_text(encoding="utf-8") == "left by the lab"
    assert (tmp_path / run.folder / "result.json").exists()


def test_what_a_run_measured_so_far_is_seen_while_it_lasts_and_after(runs: Runs) -> None:
    run_id = runs.submit("counts", {"steps": 4})
    over(runs, run_id)
    live = runs.live(run_id)
    assert (live.label, live.done, live.total) == ("counting", 3, 4)
    assert live.findings == (Finding(code="counted", args={"steps": 4}),)
    assert live.series[0].rows == [[0, 0], [1, 1], [2, 4], [3, 9]]
    assert live.device is not None
    assert live.device["type"] == "cpu"
    assert runs.live(run_id) == live


def test_the_log_holds_what_the_lab_and_its_libraries_said(runs: Runs) -> None:
    run_id = runs.submit("counts")
    over(runs, run_id)
    assert set(runs.log_tail(run_id)) == {"printed by the lab", "warned by the lab", "logged by the lab"}
    assert len(runs.log_tail(run_id, 1)) == 1


@pytest.mark.parametrize(
    ("lab", "code", "says"),
    [
        ("aborts", "crashed", "SIGABRT"),
        ("killed", "out_of_memory", "SIGKILL"),
        ("hungry", "out_of_memory", "Memory ran out"),
        ("raises", "crashed", "ZeroDivisionError"),
        ("gives_up", "unsupported", "The graph was skipped"),
        ("overruns", "timeout", "limit of 1 s"),
        ("exits", "crashed", "exit code 7"),
    ],
)
def test_a_lab_that_fails_is_a_failed_run_with_its_reason(runs: Runs, lab: str, code: str, says: str) -> None:
    run = over(runs, runs.submit(lab))
    assert (run.status, run.failure_code) == ("failed", code)
    assert says in (run.failure_message or "")
    assert runs.result(run.id) is None


def test_a_crash_in_c_leaves_its_stack_and_its_last_words_in_the_log(runs: Runs) -> None:
    run = over(runs, runs.submit("aborts"))
    log = "\n".join(runs.log_tail(run.id))
    assert "about to crash" in log
    assert "Fatal Python error: Aborted" in log


def test_the_last_words_of_a_lab_that_just_leaves_are_in_the_message(runs: Runs) -> None:
    assert "the last words" in (over(runs, runs.submit("exits")).failure_message or "")


def test_the_app_goes_on_after_every_kind_of_failure(runs: Runs) -> None:
    for lab in ("aborts", "killed", "raises"):
        over(runs, runs.submit(lab))
    assert over(runs, runs.submit("counts")).status == "done"


def test_settings_that_a_lab_does_not_take_fail_with_what_it_takes(runs: Runs) -> None:
    run = over(runs, runs.submit("counts", {"steps": 0}))
    assert (run.status, run.failure_code) == ("failed", "unsupported")
    assert run.failure_message == "steps=0: must be a whole number from 1 to 1000."


def test_rubbish_among_the_events_is_log_text(runs: Runs) -> None:
    run = over(runs, runs.submit("rubbish"))
    assert run.status == "done"
    result = runs.result(run.id)
    assert result is not None
    assert [metric.value for metric in result.metrics] == [2.0]
    log = runs.log_tail(run.id)
    assert "plain words" in log
    assert max(map(len, log)) < 2100
    assert all(char.isprintable() or char == "\t" for line in log for char in line)


def test_a_lab_that_writes_without_end_is_ended(runs: Runs) -> None:
    run = over(runs, runs.submit("floods"))
    assert (run.status, run.failure_code) == ("failed", "crashed")
    assert "more than 4 MiB of output" in (run.failure_message or "")


def test_cancel_lets_the_lab_clean_up(runs: Runs, tmp_path: Path) -> None:
    run_id = runs.submit("hangs")
    run = at_stage(runs, run_id, "waiting")
    runs.cancel(run_id)
    assert over(runs, run_id).status == "cancelled"
    assert (tmp_path / run.folder / "artifacts" / "cleaned-up").exists()


def test_cancel_ends_a_lab_and_its_child_that_ignore_being_asked(runs: Runs) -> None:
    run_id = runs.submit("stubborn")
    run = at_stage(runs, run_id, "waiting")
    assert run.process is not None
    child = child_of(runs, run_id)
    runs.cancel(run_id)
    assert over(runs, run_id).status == "cancelled"
    gone(run.process)
    gone(child)


def test_a_child_left_behind_is_ended_with_the_run(runs: Runs) -> None:
    run_id = runs.submit("leaves_child")
    assert over(runs, run_id).status == "done"
    result = runs.result(run_id)
    assert result is not None
    [child] = result.metrics

    def is_gone() -> bool:
        return not Path(f"/proc/{int(child.value)}").exists()

    until(is_gone)


def test_one_run_at_a_time_and_the_others_know_their_place(runs: Runs) -> None:
    first, second, third = (runs.submit("hangs") for _ in range(3))
    at_stage(runs, first, "waiting")

    def places() -> list[int]:
        found = [runs.get(run_id) for run_id in (first, second, third)]
        return [run.place_in_line for run in found if run]

    assert places() == [0, 1, 2]
    runs.cancel(second)
    assert over(runs, second).status == "cancelled"
    assert places() == [0, 0, 1]
    runs.cancel(first)
    at_stage(runs, third, "waiting")
    assert [run.id for run in runs.current()] == [third]


def test_a_run_that_is_over_cannot_be_cancelled(runs: Runs) -> None:
    run_id = runs.submit("counts")
    over(runs, run_id)
    runs.cancel(run_id)
    run = runs.get(run_id)
    assert run is not None
    assert run.status == "done"


def test_the_newest_result_is_found_by_its_settings(runs: Runs) -> None:
    for steps in (2, 3, 2, 4):
        over(runs, runs.submit("counts", {"steps": steps}))
    assert [run.params["steps"] for run, _ in runs.results("counts")] == [4, 2, 3, 2]
    newest = runs.newest_result("counts")
    assert newest is not None
    assert newest.params["steps"] == 4
    twos = runs.newest_result("counts", {"steps": 2})
    assert twos is not None
    assert twos.params["steps"] == 2
    assert runs.newest_result("counts", {"steps": 9}) is None
    assert runs.newest_result("hangs") is None


def test_recent_runs_come_newest_first_and_by_lab(runs: Runs) -> None:
    ids = [runs.submit(lab) for lab in ("counts", "raises", "counts")]
    for run_id in ids:
        over(runs, run_id)
    assert [run.id for run in runs.recent()] == ids[::-1]
    assert [run.id for run in runs.recent("counts", limit=1)] == ids[2:]


def test_there_is_no_run_of_a_lab_or_an_id_that_is_not_there(runs: Runs) -> None:
    with pytest.raises(MeasureError, match="no lab nothing"):
        runs.submit("nothing")
    assert runs.get("../../etc/passwd") is None
    with pytest.raises(MeasureError, match="no run"):
        runs.live("../../etc")
    with pytest.raises(MeasureError, match="no run"):
        runs.log_tail("../../etc")


def test_a_run_whose_folder_cannot_be_made_is_a_failed_run(runs: Runs, store: Store, tmp_path: Path) -> None:
    first = runs.submit("hangs")
    at_stage(runs, first, "waiting")
    blocked = runs.submit("counts")
    (tmp_path / "runs" / blocked).write_text("a file where a folder must be", encoding="utf-8")
    runs.cancel(first)
    run = over(runs, blocked)
    assert (run.status, run.failure_code) == ("failed", "crashed")
    assert "can't be started" in (run.failure_message or "")
    assert over(runs, runs.submit("counts")).status == "done"


def test_old_runs_keep_their_results_only(runs: Runs, store: Store, tmp_path: Path) -> None:
    old = runs.submit("counts")
    over(runs, old)
    with store.begin() as connection:
        base = line.get(connection, old)
        assert base is not None
        for number in range(51):
            line.insert(
                connection,
                line.Run(
                    **{
                        **{name: getattr(base, name) for name in base.__slots__},
                        "id": f"later-{number}",
                        "folder": f"runs/later-{number}",
                        "queued_at_ms": base.queued_at_ms + number + 1,
                    }
                ),
            )
    over(runs, runs.submit("counts"))
    folder = tmp_path / "runs" / old
    until(lambda: not (folder / "events.jsonl").exists())
    assert [path.name for path in folder.iterdir()] == ["result.json"]
    assert runs.result(old) is not None
