"""The names of the labs without importing one: a deck is checked before torch is installed or loaded."""

from __future__ import annotations

import re
from pathlib import Path

from engine.folders import project_folder

_DEFINES_LAB = re.compile(r"^LAB\b[^=\n]*=", re.MULTILINE)


def lab_names(folder: Path | None = None) -> frozenset[str]:
    """The modules of `folder` (default: the project's `labs/`) that define a constant `LAB`."""
    found = (project_folder() / "labs" if folder is None else folder).glob("*.py")
    return frozenset(
        path.stem
        for path in found
        if not path.name.startswith("_") and _DEFINES_LAB.search(path.read_text(encoding="utf-8"))
    )
