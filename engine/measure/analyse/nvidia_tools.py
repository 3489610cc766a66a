"""Where NVIDIA's profilers are, and their own reports turned into what our readers take.

Sources: Nsight Compute CLI documentation, "Import"; Nsight Systems User Guide, "CLI Export Command Switch
Options".
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from engine.faults import os_why
from engine.measure.analyse.contents import LARGEST
from engine.measure.analyse.errors import NeedsTool, UnreadableFile
from engine.measure.events import Progress
from engine.measure.processes import Family, identity
from engine.measure.report import Report
from engine.measure.tail import last_lines

LONGEST_S = 300.0
LARGEST_RESIDENT = 4 * 1024**3
"""Bytes of memory that a tool may take: a report that someone sent may be made to take all."""
_LOOK_S = 0.05


def ncu_path() -> str | None:
    """Where ncu is: on the PATH, or in the newest CUDA toolkit at its usual place."""
    return _found("ncu", ("/usr/local", "cuda*/bin/ncu"), ("/opt/nvidia/nsight-compute", "*/ncu"))


def nsys_path() -> str | None:
    """Where nsys is: on the PATH, or where its installer puts it."""
    return _found("nsys", ("/opt/nvidia/nsight-systems", "*/bin/nsys"), ("/usr/local", "cuda*/bin/nsys"))


def ncu_export(path: Path, folder: Path, report: Report | None = None) -> Path:
    """The table of the Nsight Compute report at `path`, as a CSV in the folder, under the report's name.

    What is said of it then names the file that the person knows.

    Raises NeedsTool where ncu isn't installed, UnreadableFile where it can't read the report.
    """
    ncu = ncu_path()
    if ncu is None:
        raise NeedsTool(
            f"{path.name}: this is a report in Nsight Compute's own format, and ncu isn't installed here. "
            f"Where it is, turn it into text: ncu --import {path.name} --csv --page details > {path.stem}.csv"
        ).because(
            "needs_ncu",
            name=path.name,
            command=f"ncu --import {path.name} --csv --page details > {path.stem}.csv",
        )
    table = folder / path.name
    with table.open("wb") as out:
        said = _run(
            [ncu, "--import", str(path), "--csv", "--page", "details"], path, table, report, out.fileno()
        )
    if table.stat().st_size == 0:
        raise UnreadableFile(f"{path.name}: ncu could not read this report: {said}").because(
            "tool_refused", name=path.name, tool="ncu", said=said
        )
    return table


def nsys_export(path: Path, folder: Path, report: Report | None = None) -> Path:
    """The SQLite export of the Nsight Systems report at `path`, in the folder, under the report's name.

    Raises NeedsTool where nsys isn't installed, UnreadableFile where it can't read the report.
    """
    nsys = nsys_path()
    if nsys is None:
        raise NeedsTool(
            f"{path.name}: this is a report in Nsight Systems' own format, and nsys isn't installed here. "
            f"Where it is, export it: nsys export --type sqlite {path.name}"
        ).because("needs_nsys", name=path.name, command=f"nsys export --type sqlite {path.name}")
    export = folder / "export.sqlite"
    command = [nsys, "export", "--type=sqlite", "--force-overwrite=true", f"--output={export}", str(path)]
    said = _run(command, path, export, report, None)
    if not export.exists():
        raise UnreadableFile(f"{path.name}: nsys could not read this report: {said}").because(
            "tool_refused", name=path.name, tool="nsys", said=said
        )
    return export.replace(folder / path.name)


def _found(tool: str, *usual: tuple[str, str]) -> str | None:
    named = shutil.which(tool)
    if named:
        return named
    places = [
        place for folder, pattern in usual for place in sorted(Path(folder).glob(pattern), reverse=True)
    ]
    return str(places[0]) if places else None


def _run(command: Sequence[str], path: Path, made: Path, report: Report | None, output: int | None) -> str:
    """Runs the tool within bounds of time, memory and output; the last line that it said.

    It stays in our process group, so that whoever ends this process with its group ends the tool too.
    """
    if report:
        report(Progress(0, 0, "exporting"))
    log = made.with_name("tool.log")
    began = time.monotonic()
    with log.open("wb") as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=errors if output is None else output,
                stderr=errors,
            )
        except OSError as error:
            raise UnreadableFile(f"{path.name}: {command[0]} can't be started: {error.strerror}.").because(
                "tool_not_started", name=path.name, tool=command[0], why=os_why(error)
            ) from error
        try:
            while process.poll() is None:
                _judge(process.pid, path, command[0], time.monotonic() - began, made, log)
                time.sleep(_LOOK_S)
        finally:
            _end(process)
    lines = last_lines(log, 1) or (last_lines(made, 1) if output is not None else ())
    return lines[0] if lines else f"it said nothing (exit code {process.returncode})."


def _judge(pid: int, path: Path, tool: str, seconds: float, made: Path, log: Path) -> None:
    written = sum(file.stat().st_size for file in (made, log) if file.exists())
    resident = 0
    with contextlib.suppress(psutil.Error):  # it ended meanwhile
        resident = psutil.Process(pid).memory_info().rss
    bounds = (
        (seconds > LONGEST_S, f"{LONGEST_S:g} s", ""),
        (resident > LARGEST_RESIDENT, f"{LARGEST_RESIDENT / 1024**3:g} GiB", " of memory"),
        (written > LARGEST, f"{LARGEST / 1e9:g} GB", " of disk"),
    )
    for limit, of in [(limit, of) for passed, limit, of in bounds if passed]:
        raise UnreadableFile(
            f"{path.name}: {Path(tool).name} took more than {limit}{of} to read it. Record a shorter window."
        ).because("tool_took_too_much", name=path.name, tool=Path(tool).name, limit=limit)


def _end(process: subprocess.Popen[bytes]) -> None:
    found = identity(process.pid) if process.poll() is None else None
    if found is not None:
        Family(found).end(hard=True)
    process.wait()
