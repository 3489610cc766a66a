"""What a deck's file held before it was changed here: the newest versions, to look at and to bring back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

KEPT = 30
"""Versions of one file; the oldest go first."""

FOLDER = ".earlier"
"""Within the folder of decks; a name that begins with a point is no deck."""


def keep(path: Path, content: bytes) -> None:
    """Keeps `content` as the newest earlier version of the deck at `path`. Raises OSError."""
    folder = path.parent / FOLDER / path.name
    folder.mkdir(parents=True, exist_ok=True)
    found = versions(path)
    if found and found[0].read_bytes() == content:
        return
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.yaml"
    (folder / name).write_bytes(content)
    for old in versions(path)[KEPT:]:
        old.unlink(missing_ok=True)


def versions(path: Path) -> list[Path]:
    """The earlier versions of the deck at `path`, the newest first; a file's name is its instant in UTC."""
    folder = path.parent / FOLDER / path.name
    return sorted(folder.glob("*.yaml"), reverse=True)


def kept_at(version: Path) -> datetime:
    """The instant at which a version was replaced by the next."""
    return datetime.strptime(version.stem, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
