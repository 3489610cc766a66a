"""Where the measurements of claims come from: the runs of this machine and the recorded results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.claims.evidence import Results
from engine.claims.hardware_quantities import Hardware, of_device
from engine.measure import ceilings, results
from engine.measure.fault import MeasureError
from engine.measure.hardware import this_device
from engine.measure.results import Result
from engine.measure.runs import Runs

LOOKED_AT = 40
"""How many of a lab's newest runs are looked through for a claim's metric."""


def all_results(runs: Runs) -> Results:
    """The results of this machine and the recorded ones, each lab's read once."""

    @cache
    def here(lab: str) -> Sequence[Result]:
        done = [run.id for run in runs.recent(lab, limit=LOOKED_AT) if run.status == "done"]
        return tuple(found for run_id in done if (found := runs.result(run_id)) is not None)

    return Results(here=here, recorded=cache(results.recorded))


def this_hardware(runs: Runs) -> Hardware:
    """This machine's default device with the ceilings kept for it (a broken file counts as none)."""
    device = this_device()
    try:
        kept = ceilings.load(runs.data, device)
    except MeasureError:  # the labs page shows it; a prediction does without
        kept = None
    return of_device(device.as_event(), kept=kept)
