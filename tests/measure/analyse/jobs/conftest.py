"""Analyses in a folder of the test's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.measure.analyse.jobs import Analyses, Limits
from tests.measure.analyse import fake_tools


@pytest.fixture
def analyses(tmp_path: Path) -> Iterator[Analyses]:
    opened = Analyses(tmp_path / "files")
    yield opened
    opened.close()


@pytest.fixture
def open_(tmp_path: Path) -> Iterator[Callable[[Limits], Analyses]]:
    """Opens the analyses of the test's folder with other limits."""
    opened: list[Analyses] = []

    def with_limits(limits: Limits) -> Analyses:
        opened.append(Analyses(tmp_path / "files", limits=limits))
        return opened[-1]

    yield with_limits
    for each in opened:
        each.close()


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report that takes for ever, because ncu does."""
    fake_tools.hang(tmp_path / "bin", tmp_path / "pid")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    report = tmp_path / "kernel.ncu-rep"
    report.write_bytes(b"NVR\0")
    return report
