"""Runs a program under Nsight Systems and turns its report into the SQLite export that our reader takes.

Source of the options: Nsight Systems User Guide, "CLI Profile Command Switch Options".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.nsys_capture import Capture
from engine.measure.analyse.nsys_sqlite import read_nsys_sqlite
from labs.kit.children import TookTooLong, run_child

RIGHT = (
    "--trace=cuda,nvtx,osrt",
    "--cuda-graph-trace=node",
    "--capture-range=cudaProfilerApi",
    "--capture-range-end=stop",
    "--trace-fork-before-exec=true",
    "--kill=none",
    "--sample=none",
    "--cpuctxsw=none",
)
"""A window over steady decode, each kernel of a graph by itself. The last two leave out samples of the CPU's
stacks and its thread switches, which none of the three readings needs."""
WRONG = (
    "--trace=cuda,nvtx,osrt",
    "--cuda-graph-trace=graph",
    "--trace-fork-before-exec=true",
    "--sample=none",
    "--cpuctxsw=none",
)
"""No window, and a graph as one block: what the card's server was recorded with."""


@dataclass(frozen=True, slots=True)
class NsysRun:
    """A capture that was read, and its files."""

    capture: Capture
    report: Path
    bytes: int


class NsysFailed(Exception):
    """No capture; the message is nsys' own last word."""


def version(nsys: str, scratch: Path) -> str:
    """nsys' version, such as "2025.3.1.0"; empty where it doesn't say."""
    try:
        said = _run([nsys, "--version"], scratch, 30)
    except NsysFailed:
        return ""
    found = re.search(r"version (\d+(?:\.\d+)+)", said)
    return found[1] if found else ""


def profile(
    nsys: str, flags: Sequence[str], target: Sequence[str], *, folder: Path, name: str, limit_s: float
) -> NsysRun:
    """Runs the target under nsys. Leaves NAME.nsys-rep and NAME.sqlite in the folder. Raises NsysFailed."""
    report = folder / f"{name}.nsys-rep"
    export = folder / f"{name}.sqlite"
    recorded = _run(
        [nsys, "profile", *flags, "--force-overwrite=true", f"--output={report.with_suffix('')}", *target],
        folder / f"{name}.out",
        limit_s,
    )
    if not report.exists():
        raise NsysFailed(f"nsys wrote no report: {_reason(recorded)}")
    said = _run(
        [nsys, "export", "--type=sqlite", "--force-overwrite=true", f"--output={export}", str(report)],
        folder / f"{name}.out",
        limit_s,
    )
    try:
        capture = read_nsys_sqlite(export)
    except (UnreadableFile, OSError) as error:
        raise NsysFailed(f"{error} {_reason(said)}".strip()) from error
    return NsysRun(capture, report, report.stat().st_size)


def _run(command: Sequence[str], output: Path, limit_s: float) -> str:
    try:
        return run_child(command, output=output, limit_s=limit_s).output
    except TookTooLong as error:
        raise NsysFailed(str(error)) from error
    except OSError as error:
        raise NsysFailed(f"{command[0]} can't be started: {error.strerror}.") from error


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing."
