"""What can go wrong with the store, in words for the person."""

from __future__ import annotations

from pathlib import Path

from engine.faults import BenchcardsError


class StoreError(BenchcardsError):
    """The store cannot be used; the message says why and what to do."""


class StoreDamaged(StoreError):
    """The database file is damaged. `backups` are the sound copies, newest first."""

    def __init__(self, path: Path, backups: tuple[Path, ...], detail: str) -> None:
        self.path = path
        self.backups = backups
        self.detail = detail
        if backups:
            offer = f"The newest backup is {backups[0].name}: restore it to go on from there."
        else:
            offer = "There is no backup of it. Move the file away to start with an empty database."
        super().__init__(f"The database {path} is damaged ({detail}). {offer}")
