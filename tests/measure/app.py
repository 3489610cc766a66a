"""An app with runs, to be killed: `python -m tests.measure.app DATA LAB [warm]`.

Prints the id of its run once that has reported, then lives until it is ended or its input closes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from engine.measure.runs import Runs
from engine.store.store import open_store
from tests.measure.waiting import until


def main() -> None:
    data, lab, *warm = sys.argv[1:]
    runs = Runs(open_store(Path(data) / "benchcards.db"), Path(data))
    if warm:
        runs.warm_up()
        until(lambda: runs.is_warm)
    run_id = runs.submit(lab)
    until(lambda: runs.live(run_id).label == "waiting")
    until(lambda: (run := runs.get(run_id)) is not None and run.status == "running")
    print(run_id, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
