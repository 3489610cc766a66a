"""Stands in for Nsight Compute, which needs an NVIDIA GPU: checks what it is told, runs the program, writes
a report in its format with the numbers that a test hands it.

FAKE_NCU is JSON: {"kernels": [{"name", metric: [value, unit], …}], "passes": N, "error": text}.
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
    ("--page", "details"),
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
    for option, value in MUST:
        if arguments[arguments.index(option) + 1] != value:
            print(f"==ERROR== {option} is not {value}")
            return 1
    asked = json.loads(os.environ["FAKE_NCU"])
    log = Path(arguments[arguments.index("--log-file") + 1])
    target = arguments[arguments.index("--log-file") + 2 :]
    if "error" in asked:
        log.write_text(f"==PROF== Connected to process 1 (python3)\n==ERROR== {asked['error']}\n")
        return 1
    code = subprocess.run(target, check=False).returncode
    with log.open("w", newline="") as file:
        file.write("==PROF== Connected to process 1 (/usr/bin/python3)\n")
        for number, kernel in enumerate(asked["kernels"]):
            name = kernel["name"].split("(")[0]
            file.write(
                f'==PROF== Profiling "{name}" - {number}: 0%....50%....100% - {asked["passes"]} passes\n'
            )
        file.write("==PROF== Disconnected from process 1\n")
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(HEADER)
        for number, kernel in enumerate(asked["kernels"]):
            for metric, (value, unit) in kernel["metrics"].items():
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
                )
                rows.writerow((*head, 0, "9.0", "Section", metric, unit, value, "", "", "", "", ""))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
