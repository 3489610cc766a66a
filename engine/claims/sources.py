"""Where the measurements of claims come from: the runs of this machine and the recorded results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from engine.claims.evidence import Results
from engine.claims.hardware_quantities import Hardware, of_device
from engine.measure import ceilings, line, results
from engine.measure.fault import MeasureError
from engine.measure.hardware import this_device
from engine.measure.results import Result, load_result
from engine.measure.watch import RESULT
from engine.store.store import Store

LOOKED_AT = 40
"""How many of a lab's newest runs are looked through for a claim's metric."""


def kept_results(store: Store, data: Path) -> Callable[[str], Sequence[Result]]:
    """A lab's results in the data folder, newest first, without following or changing any run.

    A result whose file was deleted is passed over. Raises MeasureError for a broken file.
    """

    def of_lab(lab: str) -> Sequence[Result]:
        with store.read() as connection:
            done = line.finished(connection, lab, LOOKED_AT)
        paths = (data / run.folder / RESULT for run in done)
        return tuple(load_result(path) for path in paths if path.exists())

    return of_lab


def all_results(here: Callable[[str], Sequence[Result]]) -> Results:
    """The results of this machine and the recorded ones, each lab's read once."""
    return Results(here=cache(here), recorded=cache(results.recorded))


def this_hardware(data: Path) -> Hardware:
    """This machine's default device with the ceilings kept for it (a broken file counts as none)."""
    device = this_device()
    try:
        kept = ceilings.load(data, device)
    except MeasureError:  # the labs page shows it; a prediction does without
        kept = None
    return of_device(device.as_event(), kept=kept)
