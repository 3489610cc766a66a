"""Analyses that are cancelled, take too much, or lose their app."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from engine.measure.analyse.jobs import Analyses, Limits
from tests.measure.analyse.jobs.analysing import over, posix, tool
from tests.measure.waiting import gone, until

ROOT = Path(__file__).resolve().parents[4]


@posix
def test_cancelling_ends_the_process_and_the_tool_it_started(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    analysis = analyses.submit(hanging)
    started = tool(tmp_path)
    state = analyses.state(analysis)
    assert (state.status, state.label, state.kind, state.total) == ("running", "exporting", "ncu", 0)
    analyses.cancel(analysis)
    state = over(analyses, analysis)
    assert (state.status, state.code) == ("cancelled", "cancelled")
    gone(started)
    assert not (analyses.folder(analysis) / "scratch").exists()
    analyses.cancel(analysis)
    assert analyses.state(analysis) == state


@posix
def test_one_that_waits_is_cancelled_at_once(hanging: Path, analyses: Analyses) -> None:
    first, second = analyses.submit(hanging), analyses.submit(hanging)
    until(lambda: analyses.state(first).status == "running")
    assert analyses.state(second).status == "waiting"
    analyses.cancel(second)
    assert analyses.state(second).status == "cancelled"
    assert analyses.state(first).status == "running"
    analyses.cancel(first)
    assert over(analyses, first).status == "cancelled"
    assert analyses.state(second).started_at is None


@posix
def test_another_app_sees_and_cancels_it(tmp_path: Path, hanging: Path, analyses: Analyses) -> None:
    analysis = analyses.submit(hanging)
    until(lambda: analyses.state(analysis).status == "running")
    other = Analyses(tmp_path / "files")
    assert other.state(analysis).status == "running"
    other.cancel(analysis)
    assert over(other, analysis).status == "cancelled"
    other.close()


@posix
def test_an_analysis_that_takes_too_long_is_ended(
    tmp_path: Path, hanging: Path, open_: Callable[[Limits], Analyses]
) -> None:
    analyses = open_(Limits(seconds=1))
    state = over(analyses, analyses.submit(hanging))
    assert (state.status, state.code) == ("failed", "timeout")
    assert state.message == "kernel.ncu-rep: it took longer than 1 s. Record a shorter window."


@posix
def test_an_analysis_that_takes_too_much_memory_is_ended(
    hanging: Path, open_: Callable[[Limits], Analyses]
) -> None:
    analyses = open_(Limits(resident_bytes=1024**2))
    state = over(analyses, analyses.submit(hanging))
    assert (state.status, state.code) == ("failed", "out_of_memory")
    assert state.message.startswith("kernel.ncu-rep: reading it takes more than ")


@posix
def test_an_app_that_is_killed_leaves_nothing_running_and_says_interrupted(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    words = [
        sys.executable,
        "-m",
        "tests.measure.analyse.analysing_app",
        str(tmp_path / "files"),
        str(hanging),
    ]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        analysis = app.stdout.readline().strip()
        started = tool(tmp_path)
        assert analyses.state(analysis).status == "running"
        app.kill()
    gone(started)
    state = analyses.state(analysis)
    assert state.status == "interrupted"
    assert "The app ended" in state.message
    analyses.remove(analysis)
    assert analyses.recent() == ()


@posix
def test_closing_interrupts_what_runs_and_what_waits(
    tmp_path: Path, hanging: Path, analyses: Analyses
) -> None:
    asked = [analyses.submit(hanging), analyses.submit(hanging)]
    started = tool(tmp_path)
    analyses.close()
    gone(started)
    assert [analyses.state(each).status for each in asked] == ["interrupted", "interrupted"]
