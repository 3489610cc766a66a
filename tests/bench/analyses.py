"""What it costs to have a file analysed beside the app: `python -m tests.bench.analyses`.

Baseline of the time: `engine analyse --json` on the same trace as a process. Baseline of the page: a piece of
Python work in the app's process (a page's script is that) while nothing is analysed.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine.measure.analyse.jobs import Analyses
from tests.measure.analyse.large_trace import write_large_trace
from tests.measure.waiting import until

BYTES = 100_000_000
ROUNDS = 3
KEPT = 30


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / "trace.json"
        write_large_trace(trace, BYTES)
        analyses = Analyses(folder / "files")
        command, job, idle, busy = [], [], [], []
        for _ in range(ROUNDS):
            command.append(_command(trace, folder / "out"))
            idle += [_page() for _ in range(200)]
            began = time.perf_counter()
            analysis = analyses.submit(trace)
            until(lambda: analyses.state(analysis).label == "reading")  # noqa: B023 (called at once)
            while not analyses.state(analysis).is_over:
                busy.append(_page())
            job.append(time.perf_counter() - began)
        for _ in range(KEPT):
            analyses.take_upload("words.txt", [b"once upon a time"])
        until(lambda: all(state.is_over for state in analyses.recent(KEPT)))
        looks = []
        for _ in range(50):
            began = time.perf_counter()
            analyses.recent(KEPT)
            looks.append(time.perf_counter() - began)
        analyses.close()
    slower = statistics.median(job) / statistics.median(command)
    print(
        f"{BYTES / 1e6:.0f} MB: the command {statistics.median(command):.2f} s, beside the app with its "
        f"timeline {statistics.median(job):.2f} s, {slower:.2f} x"
    )
    print(
        f"a page's work meanwhile: {statistics.median(busy) * 1e3:.2f} ms against "
        f"{statistics.median(idle) * 1e3:.2f} ms, {statistics.median(busy) / statistics.median(idle):.2f} x"
    )
    print(f"a list of {KEPT} analyses: {statistics.median(looks) * 1e3:.1f} ms")


def _command(trace: Path, out: Path) -> float:
    began = time.perf_counter()
    with out.open("wb") as file:
        words = [sys.executable, "-m", "engine", "analyse", str(trace), "--json"]
        subprocess.run(words, stdout=file, check=True)
    return time.perf_counter() - began


def _page() -> float:
    """A few milliseconds of what a page's script does."""
    began = time.perf_counter()
    for _ in range(20):
        json.loads(json.dumps([{"name": str(n), "value": n / 7} for n in range(200)]))
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
