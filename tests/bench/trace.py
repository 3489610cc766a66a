"""Reading traces: the 53.7 MB one against HolisticTraceAnalysis, and a generated one of 1 GB.

Run: python -m tests.bench.trace [small|large]
HolisticTraceAnalysis needs an environment of its own (`pip install HolisticTraceAnalysis`): name its Python
in BENCHCARDS_HTA_PYTHON. Whole processes are measured, by turns, each five times: time by the clock, time on
the CPU (which other work on the machine stretches less). Most memory resident is measured in a run of its
own, with that of all processes that were started: pages that two of them share count twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.measure.analyse.large_trace import STEP_US, write_large_trace
from tests.real_files import FOLDER

ROOT = Path(__file__).resolve().parents[2]
SPEED_FILE = FOLDER / "traces" / "df_index_resolver.json.gz"
LARGE = 1_000_000_000
ROUNDS = 5
LOOK_EVERY_S = 0.02
PEER = """
import os, sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir=os.path.dirname(sys.argv[1]))
analysis.get_temporal_breakdown(visualize=False)
analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a whole process: seconds by the clock and on the CPU, most bytes resident (0: not looked at)."""

    wall_s: float
    cpu_s: float
    resident: int

    def __str__(self) -> str:
        return (
            f"{self.wall_s:6.2f} s by the clock, {self.cpu_s:6.2f} s on the CPU, "
            f"{self.resident / 1e6:6.0f} MB"
        )


def cost_of(words: list[str], out: Path, *, memory: bool = False) -> Cost:
    """Run the command to its end; `memory`: look at what it holds meanwhile. Raises RuntimeError where it
    fails."""
    begun, resident = time.perf_counter(), 0
    with out.open("wb") as file:
        child = subprocess.Popen(words, cwd=ROOT, stdout=file, stderr=subprocess.DEVNULL)
        if memory:
            process = psutil.Process(child.pid)
            while not os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                resident = max(resident, resident_of(process))
                time.sleep(LOOK_EVERY_S)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"exit code {child.returncode}: {' '.join(words[:4])}")
    return Cost(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, resident)


def resident_of(process: psutil.Process) -> int:
    """Bytes of the process and of all that it started."""
    found = 0
    with contextlib.suppress(psutil.Error):  # it ended meanwhile
        for member in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                found += member.memory_info().rss
    return found


def analysed(path: Path) -> list[str]:
    return [sys.executable, "-m", "engine", "analyse", str(path), "--json"]


def middle(costs: list[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.wall_s for cost in costs),
        statistics.median(cost.cpu_s for cost in costs),
        max(cost.resident for cost in costs),
    )


def against_peer(out: Path) -> None:
    if not SPEED_FILE.exists():
        print(f"skipped: {SPEED_FILE.name} is not at {FOLDER}; set BENCHCARDS_REAL_FILES")
        return
    peer = os.environ.get("BENCHCARDS_HTA_PYTHON", sys.executable)
    check = subprocess.run([peer, "-c", "import hta"], capture_output=True, check=False)
    own, other = [], []
    for _ in range(ROUNDS):
        own.append(cost_of(analysed(SPEED_FILE), out))
        if check.returncode == 0:
            other.append(cost_of([peer, "-c", PEER, str(SPEED_FILE)], out))
    ours = middle([*own, cost_of(analysed(SPEED_FILE), out, memory=True)])
    print(f"53.7 MB, this project          {ours}")
    if not other:
        print(
            "HolisticTraceAnalysis is not installed: install it in an environment of its own and name its "
            "Python in BENCHCARDS_HTA_PYTHON"
        )
        return
    theirs = middle([*other, cost_of([peer, "-c", PEER, str(SPEED_FILE)], out, memory=True)])
    print(f"53.7 MB, HolisticTraceAnalysis {theirs}")
    print(
        f"  {theirs.wall_s / ours.wall_s:.1f} x faster by the clock, {theirs.cpu_s / ours.cpu_s:.1f} x on "
        f"the CPU (aim: 10), {ours.resident / theirs.resident:.2f} of its memory (aim: 0.5)"
    )


def large(folder: Path, out: Path) -> None:
    path = folder / "large.json"
    kernels = write_large_trace(path, LARGE)
    cost = cost_of(analysed(path), out, memory=True)
    (device,) = json.loads(out.read_text(encoding="utf-8"))["devices"]
    wall_us = (kernels - 1) * STEP_US + 9.25
    exact = (device["kernels"], device["busy_us"], device["wall_us"]) == (kernels, kernels * 9.25, wall_us)
    print(f"{path.stat().st_size / 1e9:.2f} GB, {kernels:,} kernels    {cost} (aims: 15 s, 1500 MB)")
    print(f"  values {'exact' if exact else 'WRONG'}")


def main(wanted: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        if "large" not in wanted:
            against_peer(out)
        if "small" not in wanted:
            large(Path(folder), out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
