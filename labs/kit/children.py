"""Runs another program to its end, and leaves none of its processes behind however the lab ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

PROJECT = Path(__file__).resolve().parents[2]
_GENTLE_S = 3.0
_LAST_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class Ended:
    """A program that has ended. `output` is the end of what it printed, both streams together."""

    returncode: int
    output: str
    seconds: float


class TookTooLong(Exception):
    """The program was ended after its time limit; `output` is the end of what it had printed."""

    def __init__(self, program: str, limit_s: float, output: str) -> None:
        super().__init__(f"{program} took longer than {limit_s:.0f} s and was ended.")
        self.output = output


def module_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this Python."""
    return [sys.executable, "-m", module, *arguments]


def run_child(
    command: Sequence[str], *, output: Path, limit_s: float, environment: Mapping[str, str] | None = None
) -> Ended:
    """Runs the program in the project's folder; what it prints goes to the file `output`.

    It stays in the lab's process group, so that ending the group ends it too; where the lab itself is told to
    stop, or the limit is reached, the program and all it started are ended before this returns. Raises
    TookTooLong, and OSError where it can't be started.
    """
    started = time.monotonic()
    with output.open("wb") as sink:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
            env=_environment(environment or {}),
        )
        family = _Family(process.pid)
        try:
            code = _wait(process, limit_s, family)
        except subprocess.TimeoutExpired:
            family.end()
            raise TookTooLong(Path(command[0]).name, limit_s, tail(output)) from None
        finally:
            family.end()
            process.wait()
    return Ended(code, tail(output), time.monotonic() - started)


def tail(output: Path) -> str:
    """The end of what was printed to that file."""
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _LAST_BYTES))
        return file.read().decode("utf-8", "replace")


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    paths = [str(PROJECT), *([os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1", **more}


def _wait(process: subprocess.Popen[bytes], limit_s: float, family: _Family) -> int:
    """Waits for the end and notes meanwhile what it starts: an orphan can't be found afterwards."""
    until = time.monotonic() + limit_s
    while True:
        family.look()
        left = until - time.monotonic()
        if left <= 0:
            raise subprocess.TimeoutExpired(process.args, limit_s)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, 0.25))


class _Family:
    """A process and its descendants, those too whose parent has ended since."""

    def __init__(self, pid: int) -> None:
        self._known: dict[int, psutil.Process] = {}
        with contextlib.suppress(psutil.NoSuchProcess):
            self._known[pid] = psutil.Process(pid)

    def look(self) -> None:
        for process in list(self._known.values()):
            with contextlib.suppress(psutil.Error):  # it has ended since
                for child in process.children(recursive=True):
                    self._known.setdefault(child.pid, child)

    def end(self) -> None:
        """Asks all that still run to end, and then makes them."""
        self.look()
        # is_running compares the start time too: a pid may belong to another process by now
        alive = [process for process in self._known.values() if process.is_running()]
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.terminate()
        _, stubborn = psutil.wait_procs(alive, timeout=_GENTLE_S)
        for process in stubborn:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(stubborn, timeout=_GENTLE_S)
