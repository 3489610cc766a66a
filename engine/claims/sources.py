"""Where the measurements of claims come from: this machine's runs, other machines, the recorded results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

from engine.claims import imported
from engine.claims.evidence import Results
from engine.claims.hardware_quantities import Hardware, of_device, of_key
from engine.measure import ceilings, line
from engine.measure.fault import MeasureError
from engine.measure.hardware import this_device
from engine.measure.line import Run
from engine.measure.results import Result, load_result, recorded_paths
from engine.measure.watch import RESULT
from engine.store.store import Store

LOOKED_AT = 40
"""How many of a lab's newest runs are looked through for a claim's metric."""

Pairs = Callable[[str], Iterable[tuple[Run, Result]]]
"""A lab's runs that ended well with their results, newest first."""


def kept_results(store: Store, data: Path) -> Pairs:
    """A lab's runs and results in the data folder, newest first, without following or changing any run.

    A result whose file was deleted is passed over. Raises MeasureError for a broken file.
    """

    def of_lab(lab: str) -> Sequence[tuple[Run, Result]]:
        with store.read() as connection:
            done = line.finished(connection, lab, LOOKED_AT)
        paths = ((run, data / run.folder / RESULT) for run in done)
        return tuple((run, _read(path, path.stat().st_mtime_ns)) for run, path in paths if path.exists())

    return of_lab


def all_results(store: Store, pairs: Pairs) -> Results:
    """Every result there is, each lab's read once. A run sent elsewhere by a command wasn't measured here."""
    runs = cache(lambda lab: tuple(pairs(lab)))

    def here(lab: str) -> Sequence[Result]:
        return tuple(result for run, result in runs(lab) if run.sent_through is None)

    def elsewhere(lab: str) -> Sequence[Result]:
        sent = (result for run, result in runs(lab) if run.sent_through is not None)
        found = (*sent, *(each.result for each in imported.of_lab(store, lab)))
        return tuple(sorted(found, key=lambda result: result.started_at, reverse=True))

    return Results(here=cache(here), recorded=cache(recorded), elsewhere=cache(elsewhere))


def recorded(lab: str) -> Sequence[Result]:
    """The recorded results of a lab, newest first; a file is read again only where it changed.

    Raises MeasureError where a file is broken.
    """
    found = (_read(path, path.stat().st_mtime_ns) for path in recorded_paths(lab))
    return tuple(sorted(found, key=lambda result: result.started_at, reverse=True))


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int) -> Result:
    return load_result(path)


def chosen_hardware(picked: str | None, data: Path) -> Hardware:
    """What predictions are for: the GPU picked, by its datasheet, else this machine's device."""
    found = None if picked is None else of_key(picked)
    return found or this_hardware(data)


def this_hardware(data: Path) -> Hardware:
    """This machine's default device with the ceilings kept for it (a broken file counts as none)."""
    device = this_device()
    try:
        kept = ceilings.load(data, device)
    except MeasureError:  # the labs page shows it; a prediction does without
        kept = None
    return of_device(device.as_event(), kept=kept)
