"""From the file of a trace to its analysis. The analysers are imported while a second process reads."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from engine.measure.analyse.trace_reading import read_chrome_trace
from engine.measure.finding import Progress
from engine.measure.report import Report

if TYPE_CHECKING:
    from engine.measure.analyse.trace import TraceAnalysis


def analyse_trace(path: Path, report: Report | None = None) -> TraceAnalysis:
    """Reads and analyses the chrome trace at `path`; `report` is told how far it is. For a process that does
    nothing else: see `read_chrome_trace`.

    Raises `UnreadableFile`.
    """
    trace = read_chrome_trace(path, report, helped=True, meanwhile=_analysers)
    if report:
        report(Progress(0, 0, "analysing"))
    from engine.measure.analyse.trace import analyse

    return analyse(trace)


def _analysers() -> None:
    importlib.import_module("engine.measure.analyse.trace")
