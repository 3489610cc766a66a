"""Waits for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from engine.measure.processes import Identity, identity
from engine.measure.runs import Run, Runs

Found = TypeVar("Found")


def until(look: Callable[[], Found | None], seconds: float = 60) -> Found:
    """What `look` gives once it gives something true; fails where it never does."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain")
        time.sleep(0.01)
    return found


def over(runs: Runs, run_id: str) -> Run:
    """The run once it is over."""

    def look() -> Run | None:
        run = runs.get(run_id)
        return run if run and run.is_over else None

    return until(look)


def at_stage(runs: Runs, run_id: str, label: str) -> Run:
    """The run once it says that it is at this stage."""

    def look() -> Run | None:
        run = runs.get(run_id)
        assert run is not None
        assert not run.is_over, run
        return run if runs.live(run_id).label == label and run.process else None

    return until(look)


def child_of(runs: Runs, run_id: str) -> Identity:
    """The process that the lab reports as its child."""

    def look() -> Identity | None:
        found = [metric.value for metric in runs.live(run_id).metrics if metric.name == "child"]
        return identity(int(found[0])) if found else None

    return until(look)


def gone(process: Identity) -> None:
    until(lambda: not process.is_alive())
