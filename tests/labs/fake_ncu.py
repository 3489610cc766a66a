"""Stands in for Nsight Compute, which needs an NVIDIA GPU: checks what it is told, runs the program, writes
a report in its format with the numbers that a test hands it.

FAKE_NCU is JSON: {"kernels": [{"name", "metrics": {metric: [value, unit]}}], "passes": N}, or {"error":
text}; with "idle" the program, which may need a GPU, isn't run.
"""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

HEADER = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
    "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name",
    "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup",
)  # fmt: skip
MUST = (
    ("--clock-control", "none"),
    ("--target-processes", "all"),
    ("--profile-from-start", "off"),
)


def install(folder: Path) -> Path:
    """Puts an executable `ncu` into the folder, for the front of the PATH."""
    script = folder / "ncu"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def main(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880) (public)")
        return 0
    if arguments[0] == "--import":
        return show(Path(arguments[1])) if arguments[2:] == ["--csv", "--page", "details"] else 1
    for option, value in MUST:
        if arguments[arguments.index(option) + 1] != value:
            print(f"==ERROR== {option} is not {value}")
            return 1
    asked = json.loads(os.environ["FAKE_NCU"])
    place = arguments.index("--export")
    report, target = Path(arguments[place + 1]), arguments[place + 2 :]
    print("==WARNING== Note: Running with unmodified GPU clocks.")
    print("==PROF== Connected to process 1 (/usr/bin/python3)", flush=True)
    if "error" in asked:
        print(f"==ERROR== {asked['error']}")
        return 1
    code = 0 if asked.get("idle") else subprocess.run(target, check=False).returncode
    for number, kernel in enumerate(asked["kernels"]):
        name = kernel["name"].split("(")[0]
        print(f'==PROF== Profiling "{name}" - {number}: 0%....50%....100% - {asked["passes"]} passes')
    print("==PROF== Disconnected from process 1")
    report.write_text(json.dumps(asked["kernels"]))
    return code


def show(report: Path) -> int:
    """The table of a report, as `ncu --import REPORT --csv --page details` prints it."""
    rows = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
    rows.writerow(HEADER)
    for number, kernel in enumerate(json.loads(report.read_text())):
        head = (
            number,
            1,
            "python3",
            "127.0.0.1",
            kernel["name"],
            1,
            7,
            "(128, 1, 1)",
            "(3584, 1, 1)",
            0,
            "9.0",
        )
        for metric, (value, unit) in kernel["metrics"].items():
            rows.writerow((*head, "Section", metric, unit, value, "", "", "", "", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
