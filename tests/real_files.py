"""Where the real traces, snapshots and reports lie that tests check the readers against."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get(
        "BENCHCARDS_REAL_FILES", Path(__file__).resolve().parents[1].parent / "shared" / "real-files"
    )
)


def real_file(name: str) -> Path:
    """The real file of that name, or a skip that says where it was looked for."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not at {FOLDER}; set BENCHCARDS_REAL_FILES to the folder that holds it")
    return path


def expected() -> dict[str, Any]:
    """The exact values of the real traces; empty where the files are absent."""
    path = FOLDER / "expected.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
