"""Why an analysis failed comes through its process and its folder as a code, for every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses
from engine.measure.fault import MeasureError
from tests.measure.waiting import until


def test_the_reason_of_a_refusal_is_kept_and_found_by_a_later_app(tmp_path: Path) -> None:
    opened = Analyses(tmp_path / "files")
    analysis = opened.take_upload("odd.json", [b'{"a": 1}'])
    until(lambda: opened.state(analysis).is_over)
    opened.close()
    later = Analyses(tmp_path / "files")
    try:
        state = later.state(analysis)
    finally:
        later.close()
    assert state.reason is not None
    assert state.reason.code == "not_a_trace"
    assert state.reason.args == {"name": "odd.json", "line": 1, "why": "no_trace_events"}
    assert state.message.startswith("odd.json: line 1: this is not a chrome trace")


def test_what_is_refused_at_once_has_its_reason_too(tmp_path: Path) -> None:
    analyses = Analyses(tmp_path / "files")
    try:
        with pytest.raises(MeasureError) as absent:
            analyses.submit(tmp_path / "absent.json")
        with pytest.raises(MeasureError) as folder:
            analyses.submit(tmp_path)
    finally:
        analyses.close()
    assert absent.value.why is not None
    assert folder.value.why is not None
    assert (absent.value.why.code, folder.value.why.code) == ("no_such_file", "folder")
