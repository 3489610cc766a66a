"""The names of the labs without importing one: a deck is checked before torch is installed or loaded."""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.folders import at_home, project_folder

_DEFINES_LAB = re.compile(r"^LAB\b[^=\n]*=", re.MULTILINE)


def lab_names(folder: Path | None = None) -> frozenset[str]:
    """The modules of `folder` that define a constant `LAB`.

    By default those of the project's `labs/` and of a person's own folders (BENCHCARDS_LABS, as in PATH).
    """
    folders = [project_folder() / "labs", *_own_folders()] if folder is None else [folder]
    return frozenset(
        path.stem
        for place in folders
        for path in place.glob("*.py")
        if not path.name.startswith("_") and _DEFINES_LAB.search(path.read_text(encoding="utf-8"))
    )


def _own_folders() -> list[Path]:
    listed = os.environ.get("BENCHCARDS_LABS", "")
    return [at_home(Path(part)) for part in listed.split(os.pathsep) if part]
