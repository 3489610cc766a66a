"""What the tests of analyses share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses, AnalysisState
from engine.measure.processes import Identity, identity
from tests.measure.waiting import until

posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in for the tool is a shell script")


def over(analyses: Analyses, analysis: str) -> AnalysisState:
    def look() -> AnalysisState | None:
        state = analyses.state(analysis)
        return state if state.is_over else None

    return until(look)


def tool(tmp_path: Path) -> Identity:
    """The hanging ncu, once it runs."""
    pid = until(lambda: (tmp_path / "pid").exists() and int((tmp_path / "pid").read_text()))
    found = identity(int(pid))
    assert found is not None
    return found


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
