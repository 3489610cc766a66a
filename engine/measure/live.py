"""What a run shows while it lasts, read from its events as they come."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.measure.events import Event, Finding, Metric, Progress, Series, Started
from engine.measure.line import Run
from engine.measure.results import Fold
from engine.measure.tail import EventFile
from engine.measure.watch import EVENTS


@dataclass(frozen=True, slots=True)
class Live:
    """How far a run is. A `total` of 0: not known. `device` is what its `started` event says, {} before."""

    label: str
    done: float
    total: float
    elapsed_s: float
    metrics: tuple[Metric, ...] = ()
    series: tuple[Series, ...] = ()
    findings: tuple[Finding, ...] = ()
    device: Mapping[str, Any] | None = None

    @property
    def share(self) -> float | None:
        """How much is done, 0 to 1; None where that isn't known."""
        return min(self.done / self.total, 1.0) if self.total > 0 else None


class Reader:
    """Follows the event file of one run; each look reads only what is new."""

    def __init__(self, folder: Path) -> None:
        self._file = EventFile(folder / EVENTS)
        self._fold = Fold()
        self._progress = Progress(done=0, total=0, label="")
        self._lock = threading.Lock()

    def look(self, run: Run) -> Live:
        with self._lock:
            for item in self._file.read():
                if not isinstance(item, str):
                    self._take(item)
            started = self._fold.started
            return Live(
                label=self._progress.label,
                done=self._progress.done,
                total=self._progress.total,
                elapsed_s=elapsed_s(run),
                metrics=tuple(self._fold.metrics.values()),
                series=tuple(replace(each, rows=list(each.rows)) for each in self._fold.series.values()),
                findings=tuple(self._fold.findings.values()),
                device=_device(started) if started else None,
            )

    def _take(self, event: Event) -> None:
        if isinstance(event, Progress):
            self._progress = event
        else:
            self._fold.add(event)


def elapsed_s(run: Run) -> float:
    """Seconds since the run started, until its end; 0 while it waits."""
    if run.started_at_ms is None:
        return 0.0
    end = run.ended_at_ms if run.ended_at_ms is not None else time.time_ns() // 1_000_000
    return max(0, end - run.started_at_ms) / 1000


def _device(started: Started) -> Mapping[str, Any]:
    device = started.environment.get("device")
    return device if isinstance(device, dict) else {}
