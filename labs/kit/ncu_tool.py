"""Runs a program under Nsight Compute and reads what it prints; says what is missing where it can't.

Clocks are left alone (`--clock-control none`): ncu's default pins them to the base clock, for all who use the
GPU. Source of the options: Nsight Compute CLI documentation, "Command Line Options".
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.measure.analyse.errors import UnreadableFile
from engine.measure.analyse.ncu import NcuReport, read_ncu
from labs.kit.children import Ended, TookTooLong, run_child

MetricSet = Literal["basic", "full"]
PARAMS = Path("/proc/driver/nvidia/params")
STATUS = Path("/proc/self/status")
ENABLE = "options nvidia NVreg_RestrictProfilingToAdminUsers=0"
"""The line for a file in /etc/modprobe.d that lets every user read the counters, after a restart.
Source: NVIDIA, "ERR_NVGPUCTRPERM: Permission issue with Performance Counters"."""
OWN_KERNEL = """ncu --clock-control none --target-processes all --set full \\
  --kernel-name regex:gemv --launch-skip 20 --launch-count 1 \\
  --force-overwrite --export my-kernel python my_script.py
ncu --import my-kernel.ncu-rep --csv --page details > my-kernel.csv
python -m engine analyse my-kernel.csv"""
"""For a kernel of the learner's own: one launch of it, after those that warm up."""
_CAP_SYS_ADMIN = 21
"""Its bit in a process's capabilities (linux/capability.h)."""


@dataclass(frozen=True, slots=True)
class Access:
    """Whether this process may read the GPU's counters, as far as the driver's parameter says."""

    restricted: bool | None
    """Whether only administrators may; None where the driver doesn't say."""
    admin: bool

    @property
    def denied(self) -> bool:
        return self.restricted is True and not self.admin


@dataclass(frozen=True, slots=True)
class NcuRun:
    """A report with what else ncu said: passes by the number of the launch, and its version."""

    report: NcuReport
    passes: dict[int, int]
    output: str
    seconds: float
    path: Path


class NcuFailed(Exception):
    """No report. `reason` is `permission`, `timeout` or `failed`; the message is ncu's own."""

    def __init__(self, reason: Literal["permission", "timeout", "failed"], message: str) -> None:
        super().__init__(message)
        self.reason = reason


def access(params: Path = PARAMS, status: Path = STATUS) -> Access:
    """Reads the driver's parameter RmProfilingAdminOnly, and whether this process is an administrator's."""
    return Access(restricted=_restricted(params), admin=os.geteuid() == 0 or _may_administer(status))


def version(ncu: str, scratch: Path) -> str:
    """ncu's version, such as "2025.3.1.0"; empty where it doesn't say."""
    try:
        said = run_child([ncu, "--version"], output=scratch, limit_s=30).output
    except (OSError, TookTooLong):
        return ""
    found = re.search(r"Version (\d+(?:\.\d+)+)", said)
    return found[1] if found else ""


def command(ncu: str, metrics: MetricSet, target: Sequence[str], report: Path) -> list[str]:
    """The command line that writes a report of what the target launches in its profiler range.

    A report that can be opened, not a table at once: only so does ncu tell the passes of each launch.
    """
    return [
        ncu,
        "--clock-control", "none",
        "--target-processes", "all",
        "--profile-from-start", "off",
        "--set", metrics,
        "--force-overwrite", "--export", str(report),
        *target,
    ]  # fmt: skip


def profile(ncu: str, metrics: MetricSet, target: Sequence[str], *, folder: Path, limit_s: float) -> NcuRun:
    """Runs the target under ncu. Leaves `ncu-<set>.ncu-rep`, which ncu's own window opens, and
    `ncu-<set>.csv` in the folder. Raises NcuFailed."""
    report, table = folder / f"ncu-{metrics}.ncu-rep", folder / f"ncu-{metrics}.csv"
    ended = _run(ncu, command(ncu, metrics, target, report), folder / f"ncu-{metrics}.out", limit_s)
    if not report.exists():
        raise _why(ended)
    shown = [ncu, "--import", str(report), "--csv", "--page", "details"]
    written = _run(ncu, shown, table, limit_s)
    try:
        read = read_ncu(table)
    except (UnreadableFile, OSError) as error:
        raise _why(written) from error
    return NcuRun(read, passes(ended.output), ended.output, ended.seconds, report)


def _run(ncu: str, command: Sequence[str], output: Path, limit_s: float) -> Ended:
    try:
        return run_child(command, output=output, limit_s=limit_s)
    except TookTooLong as error:
        raise NcuFailed("timeout", str(error)) from error
    except OSError as error:
        raise NcuFailed("failed", f"{ncu} can't be started: {error.strerror}.") from error


def _why(ended: Ended) -> NcuFailed:
    lines = ended.output.splitlines()
    errors = [line.removeprefix("==ERROR== ") for line in lines if line.startswith("==ERROR==")]
    if any("ERR_NVGPUCTRPERM" in line for line in errors):
        return NcuFailed("permission", " ".join(errors))
    reason = " ".join(errors) or _last_line(ended.output) or "it said nothing."
    return NcuFailed("failed", f"ncu ended with {ended.returncode}: {reason}")


def passes(said: str) -> dict[int, int]:
    """The number of passes of each launch: `==PROF== Profiling "name" - 0: 0%....100% - 38 passes`."""
    found = re.finditer(r'^==PROF== Profiling ".*" - (\d+).*?(\d+) pass(?:es)?\s*$', said, re.MULTILINE)
    return {int(match[1]): int(match[2]) for match in found}


def _restricted(params: Path) -> bool | None:
    try:
        text = params.read_text(encoding="utf-8", errors="replace")
    except OSError:  # no NVIDIA driver here, or a container that hides it: ncu will say
        return None
    found = re.search(r"^RmProfilingAdminOnly:\s*(\d+)", text, re.MULTILINE)
    return None if found is None else found[1] != "0"


def _may_administer(status: Path) -> bool:
    try:
        text = status.read_text(encoding="utf-8")
    except OSError:  # not Linux
        return False
    found = re.search(r"^CapEff:\s*([0-9a-fA-F]+)", text, re.MULTILINE)
    return found is not None and bool(int(found[1], 16) >> _CAP_SYS_ADMIN & 1)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
