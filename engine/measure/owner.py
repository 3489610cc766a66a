"""One process per data folder supervises its runs: the one that holds the lock."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO


class OwnerLock:
    """A lock on a file, given back by the system when its holder ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    @property
    def is_held(self) -> bool:
        return self._file is not None

    def take(self) -> bool:
        """Whether we hold it now. Never waits. Raises OSError where the file can't be made."""
        if self._file is not None:
            return True
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("ab")
        if _lock(file):
            self._file = file
            return True
        file.close()
        return False

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another holds it
        return False
    return True


def make_private(folder: Path) -> Path:
    """The folder, made where it is missing, for this user only."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.name == "posix":
        folder.chmod(0o700)
    return folder
