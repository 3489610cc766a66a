"""From the click to the first progress, and to torch at work: `python -m tests.bench.first_event`.

Baseline: the command in a fresh process. Against it: a run forked from the warm parent, through `Runs` as the
app uses it (store, line and supervisor included).
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.measure.runs import Runs
from engine.store.store import open_store
from tests.labs.helpers import ODD_LABS
from tests.measure.waiting import until

ROUNDS = 5


def main() -> None:
    os.environ["BENCHCARDS_LABS"] = str(ODD_LABS)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "benchcards.db")
        runs = Runs(store, Path(folder), warm=False)
        runs.submit("counts")  # fills the catalogue, as the page that shows the button has
        until(lambda: not runs.current())
        cold = [_round(runs) for _ in range(ROUNDS)]
        runs.close()
        runs = Runs(store, Path(folder))
        began = time.perf_counter()
        runs.warm_up()
        until(lambda: runs.is_warm)
        loading = time.perf_counter() - began
        warm = [_round(runs) for _ in range(ROUNDS)]
        runs.close()
        store.close()
    print(f"the warm parent was ready after {loading:.2f} s")
    for number, name in enumerate(("click to first progress", "click to torch at work")):
        before = statistics.median(times[number] for times in cold)
        after = statistics.median(times[number] for times in warm)
        print(
            f"{name}: fresh process {before * 1e3:.0f} ms, warm parent {after * 1e3:.0f} ms, "
            f"ratio {before / after:.1f}"
        )


def _round(runs: Runs) -> tuple[float, float]:
    """Seconds from the click to the first progress event, and to the first of the lab itself."""
    began = time.perf_counter()
    run_id = runs.submit("fast_torch", {}, "cpu")

    def stage(wanted: Callable[[str], bool]) -> float:
        until(lambda: wanted(runs.live(run_id).label))
        return time.perf_counter() - began

    first = stage(bool)
    working = stage(lambda label: label == "multiplying")
    until(lambda: not runs.current())
    return first, working


if __name__ == "__main__":
    main()
