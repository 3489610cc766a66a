"""Where the learner's data lies."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """The learner's data folder, made where it is missing.

    `BENCHCARDS_HOME` moves it; otherwise it is the platform's user data folder.
    """
    moved = os.environ.get("BENCHCARDS_HOME")
    folder = (
        Path(moved).expanduser() if moved else Path(platformdirs.user_data_dir("benchcards", appauthor=False))
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def project_folder() -> Path:
    """The folder that holds `app.py`, `cards/` and `labs/`."""
    return Path(__file__).resolve().parent.parent
