"""Where the learner's data lies."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from engine.faults import BenchcardsError

MOVED = "moved-to.txt"
"""The note in a data folder that was moved: the path of the new one."""

_MOST_MOVES = 20


class DataFolderUnusable(BenchcardsError):
    """There is no data folder to work in: why, and the way out."""


class DataFolderGone(DataFolderUnusable):
    """The data folder was moved to a place that isn't there now, such as a drive that is not plugged in."""

    def __init__(self, folder: Path, note: Path) -> None:
        self.folder = folder
        super().__init__(
            f"The data folder was moved to {folder}, and that isn't there now. Plug its drive in, "
            f"or put its new path into {note}."
        )


def data_folder() -> Path:
    """The learner's data folder, made where it is missing.

    `BENCHCARDS_HOME` names it; otherwise it is the platform's user data folder. One that was moved leads to
    the new one. Raises DataFolderUnusable, DataFolderGone.
    """
    named = os.environ.get("BENCHCARDS_HOME")
    folder = Path(named or platformdirs.user_data_dir("benchcards", appauthor=False))
    try:
        folder = folder.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a `~name` that nobody here has
        reason = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
        raise DataFolderUnusable(
            f"The data folder {folder} can't be used ({reason}). Allow it, or set BENCHCARDS_HOME to another."
        ) from error
    for _ in range(_MOST_MOVES):
        note = note_of(folder)
        try:
            # an editor may have put its mark before the path, or left nothing in the file
            new = Path(note.read_text(encoding="utf-8-sig", errors="replace").strip())
        except FileNotFoundError:
            return folder
        except OSError as error:
            raise DataFolderUnusable(f"{note} can't be read ({error.strerror}). Allow reading it.") from error
        if not new.is_absolute():
            raise DataFolderUnusable(
                f"{note} doesn't hold the whole path of the data folder. Write it there: it was moved."
            )
        folder = new
        if not folder.is_dir():
            raise DataFolderGone(folder, note)
    return folder


def note_of(folder: Path) -> Path:
    """Where a data folder that was moved says where to."""
    return folder / MOVED


def project_folder() -> Path:
    """The folder that holds `app.py`, `cards/` and `labs/`."""
    return Path(__file__).resolve().parent.parent
