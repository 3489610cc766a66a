"""What can go wrong in a mock interview, in words for the person."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.faults import BenchcardsError


class InterviewError(BenchcardsError):
    """The interview cannot go on as asked; the message says why and what to do."""


class RecordingError(InterviewError):
    """A recording can't be kept or deleted. `doing` says which, `reason` is the system's own word for why."""

    def __init__(self, doing: Literal["keep", "delete"], reason: str, path: Path | str) -> None:
        self.doing = doing
        self.reason = reason
        self.path = str(path)
        done = "kept" if doing == "keep" else "deleted"
        super().__init__(f"The recording can't be {done}: {reason} ({path}).")
