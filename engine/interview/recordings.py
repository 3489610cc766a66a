"""Recordings of answers: WAV files in the learner's data folder that only their owner may read."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from engine.interview.fault import InterviewError, RecordingError

_ID = re.compile(r"[0-9a-f]{8,64}")


class Recordings:
    """The recordings of one data folder, in `interviews/<id>/`. Nothing of them leaves this machine."""

    def __init__(self, data: Path) -> None:
        self._root = data / "interviews"

    def keep(self, interview_id: str, name: str, content: bytes) -> None:
        """Writes a recording whole, in place of an earlier one. Raises RecordingError on a full disk."""
        folder = self._folder(interview_id)
        path = folder / name
        partial = folder / f"{name}.partial"
        try:
            for each in (self._root, folder):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            _forget(partial)
            raise RecordingError("keep", error.strerror or str(error), folder) from error

    def read(self, interview_id: str, name: str) -> bytes | None:
        """A recording, or None where its file was removed."""
        try:
            return self.path(interview_id, name).read_bytes()
        except FileNotFoundError:
            return None

    def path(self, interview_id: str, name: str) -> Path:
        """Where a recording lies."""
        return self._folder(interview_id) / name

    def delete(self, interview_id: str, name: str) -> None:
        """Removes one recording; one that is gone already is no fault. Raises RecordingError."""
        try:
            self.path(interview_id, name).unlink(missing_ok=True)
        except OSError as error:
            raise RecordingError("delete", error.strerror or str(error), error.filename) from error

    def delete_all(self, interview_id: str) -> None:
        """Removes every recording of an interview. Raises RecordingError."""
        folder = self._folder(interview_id)
        if not folder.exists():
            return
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise RecordingError("delete", error.strerror or str(error), error.filename) from error

    def _folder(self, interview_id: str) -> Path:
        if not _ID.fullmatch(interview_id):
            raise InterviewError(f"{interview_id!r} is no interview's id.")
        return self._root / interview_id


def _forget(partial: Path) -> None:
    try:
        partial.unlink(missing_ok=True)
    except OSError:
        return  # it is overwritten by the next recording
