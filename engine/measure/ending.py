"""Why a run ended, in words, where it didn't say so itself."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.measure.events import FailureCode
from engine.measure.line import Status
from engine.measure.processes import signal_name

_FULL = 4 * 1024 * 1024
"""With less than this left, in bytes, a disk is full."""


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended: its last status, and for a failure its code and its reason."""

    status: Status
    code: FailureCode | None = None
    message: str | None = None


CANCELLED = End("cancelled", "cancelled", "The run was cancelled.")
INTERRUPTED = "The app ended while it ran."


def failed(code: FailureCode, message: str) -> End:
    return End("cancelled" if code == "cancelled" else "failed", code, message)


def without_a_word(returncode: int | None, folder: Path, log: Sequence[str]) -> End:
    """The end of a process that said neither `finished` nor `failed`. `returncode` as `subprocess` counts it.

    `log` is its last lines; the message names the last of them.
    """
    if is_full(folder):
        return failed("crashed", f"The disk is full ({folder}): free some space and run it again.")
    last = f" Its last line: {log[-1]}" if log else ""
    if returncode is None:
        return failed("crashed", f"The lab's process is gone.{last}")
    if returncode < 0 and signal_name(-returncode) == "SIGKILL":
        return failed(
            "out_of_memory",
            "The lab was ended by SIGKILL from outside. Most likely the system ran out of memory and ended "
            f"it: choose a smaller size or model.{last}",
        )
    if returncode < 0:
        return failed("crashed", f"The lab crashed ({signal_name(-returncode)}).{last}")
    if returncode == 2:
        return failed("unsupported", log[-1] if log else "The lab doesn't take these settings.")
    return failed("crashed", f"The lab ended (exit code {returncode}) without saying a result.{last}")


def is_full(folder: Path) -> bool:
    """Whether the disk under the folder has next to no room left."""
    return shutil.disk_usage(folder).free < _FULL
