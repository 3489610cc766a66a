"""Files of every kind analysed in a process of their own, as the command does it."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses
from engine.measure.analyse.timeline import read_timeline
from tests.measure.analyse import fake_tools
from tests.measure.analyse.jobs.analysing import over, posix, written
from tests.measure.analyse.samples import KINDS, ncu, nsys_sqlite, trace
from tests.measure.analyse.test_analyse_command import called


def test_every_kind_is_analysed_as_the_command_does(tmp_path: Path, analyses: Analyses) -> None:
    files = [written(tmp_path / KINDS[kind][0], KINDS[kind][2](tmp_path)) for kind in KINDS]
    asked = [analyses.submit(file) for file in files]
    for (name, kind, _), file, analysis in zip(KINDS.values(), files, asked, strict=True):
        state = over(analyses, analysis)
        assert (state.status, state.message) == ("done", "")
        assert (state.name, state.path, state.kind, state.uploaded) == (name, file.resolve(), kind, False)
        assert state.started_at is not None
        assert state.ended_at is not None
        assert state.asked_at <= state.started_at <= state.ended_at <= datetime.now(UTC)
        assert analyses.result(analysis) == json.loads(called(str(file), "--json")[1])
        assert (analyses.folder(analysis) / "timeline.bin").exists() is (kind == "trace")
    assert [state.id for state in analyses.recent()] == asked[::-1]
    assert [state.id for state in analyses.recent(2)] == asked[:-3:-1]


def test_the_timeline_of_a_trace_can_be_opened(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.submit(written(tmp_path / "t.json", trace()))
    over(analyses, analysis)
    timeline = read_timeline(analyses.folder(analysis) / "timeline.bin")
    assert timeline.gap_count == 19


def test_what_is_known_of_an_analysis_survives_the_app(tmp_path: Path, analyses: Analyses) -> None:
    analysis = analyses.take_upload("t.json", [trace()])
    before = over(analyses, analysis)
    result = analyses.result(analysis)
    analyses.close()
    later = Analyses(tmp_path / "files")
    assert later.recent() == (before,)
    assert later.result(analysis) == result
    later.close()


@posix
def test_a_report_of_ncu_is_read_where_ncu_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    table = written(tmp_path / "table.csv", ncu())
    fake_tools.install(tmp_path / "bin", "ncu", fake_tools.hands_out(table))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    analysis = analyses.take_upload("kernel.ncu-rep", [b"NVR\0 and more"])
    state = over(analyses, analysis)
    assert (state.status, state.kind) == ("done", "ncu")
    assert analyses.result(analysis) == json.loads(called(str(table), "--json")[1])


@posix
def test_a_report_of_nsys_is_read_where_nsys_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    export = written(tmp_path / "made.sqlite", nsys_sqlite(tmp_path))
    fake_tools.install(tmp_path / "bin", "nsys", fake_tools.copies(export))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    analysis = analyses.take_upload("server.nsys-rep", [b"\1\2\3"])
    state = over(analyses, analysis)
    assert (state.status, state.kind) == ("done", "nsys")
    assert analyses.result(analysis) == json.loads(called(str(export), "--json")[1])


@posix
def test_what_a_tool_says_of_a_report_that_it_cannot_read_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analyses: Analyses
) -> None:
    fake_tools.install(tmp_path / "bin", "nsys", "echo 'Unrecognized report version 9' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    state = over(analyses, analyses.take_upload("server.nsys-rep", [b"\1\2\3"]))
    assert (state.status, state.code) == ("failed", "unsupported")
    assert state.message == "server.nsys-rep: nsys could not read this report: Unrecognized report version 9"
    fake_tools.install(tmp_path / "bin", "ncu", "echo '==ERROR== The file is not a report.'; exit 1")
    state = over(analyses, analyses.take_upload("kernel.ncu-rep", [b"NVR\0"]))
    assert state.message == "kernel.ncu-rep: no report, only what ncu stopped with: The file is not a report."
