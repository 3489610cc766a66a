"""Dated copies of the database file, and putting one back.

Backups lie in `backups/` beside the file, named `<stem>-<study day>[-<reason>].db`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from engine.store.faults import StoreError

KEEP = 14
"""How many backups are kept, the newest ones."""


def backups_folder(path: Path) -> Path:
    """Where the backups of the database at `path` lie."""
    return path.parent / "backups"


def backups(path: Path) -> tuple[Path, ...]:
    """The backups of the database at `path`, newest first (by the date in the name, then by time)."""
    found = backups_folder(path).glob(f"{path.stem}-[0-9][0-9][0-9][0-9]-*.db")
    return tuple(sorted(found, key=lambda file: (file.name[len(path.stem) + 1 :][:10], _age(file)))[::-1])


def sound_backups(path: Path) -> tuple[Path, ...]:
    """The backups that can be restored, newest first."""
    return tuple(file for file in backups(path) if is_sound(file))


def is_sound(file: Path) -> bool:
    """Whether SQLite finds the database file whole. The file is not changed."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            return [row[0] for row in db.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.DatabaseError:
        return False


def backup(path: Path, label: str, keep: int = KEEP) -> Path:
    """Copies the database in use at `path` into a backup file; `label` is the study day or a reason.

    The copy is of one moment, checked, on disk, and appears under its name only when whole; then all but
    the newest `keep` are deleted. Raises StoreError where the copy cannot be made or is not sound.
    """
    day = label if label[:4].isdigit() else f"{datetime.now().astimezone():%Y-%m-%d}-{label}"
    folder = backups_folder(path)
    target = folder / f"{path.stem}-{day}.db"
    partial = folder / f"{target.name}.{os.getpid()}-{threading.get_ident()}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _copy(path, partial)
            partial.replace(target)
            _to_disk(folder)
        finally:
            partial.unlink(missing_ok=True)
        for old in backups(path)[keep:]:
            old.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"No backup of {path} could be made in {folder}: {error}.") from error
    return target


def _copy(path: Path, partial: Path) -> None:
    """A sound copy of the database, of one moment, on disk."""
    with closing(sqlite3.connect(path, timeout=10)) as source, closing(sqlite3.connect(partial)) as copy:
        source.backup(copy)  # in one step: no writer waits for it, and none makes it begin again
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without -wal beside it
    if not is_sound(partial):
        raise StoreError(f"The database {path} is damaged: its copy is not sound. No backup was made.")
    _to_disk(partial)


class DailyBackup:
    """Makes one backup a study day, in the background. `fault`: what went wrong the last time, if it did."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: StoreError | None = None
        self._day = ""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def due(self, day: str) -> bool:
        """Starts the backup of a study day unless it is there; returns at once, True where it started one."""
        with self._lock:
            if day <= self._day:
                return False
            self._day = day
            if (backups_folder(self.path) / f"{self.path.stem}-{day}.db").exists():
                return False
            self._thread = threading.Thread(target=self._make, args=(day,), name="backup", daemon=True)
            self._thread.start()
            return True

    def wait(self) -> None:
        """Until a backup under way is done."""
        if self._thread is not None:
            self._thread.join()

    def _make(self, day: str) -> None:
        try:
            backup(self.path, day)
            self.fault = None
        except StoreError as error:  # shown by the settings page: an answer must not fail for it
            self.fault = error


def restore(path: Path, chosen: Path) -> Path | None:
    """Puts a backup in the place of the database at `path`; nothing may have the database open.

    The file that was there is kept beside it, with the date in its name; its new path is returned (None
    where there was none). Raises StoreError where the backup is not sound or the disk refuses.
    """
    if not is_sound(chosen):
        raise StoreError(f"The backup {chosen} is damaged as well. Choose an older one.")
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%fZ")
    kept = path.with_name(f"{path.stem}.damaged-{moment}{path.suffix}")
    partial = path.with_name(f"{path.name}.restoring")
    try:
        shutil.copyfile(chosen, partial)
        _to_disk(partial)
        was_there = path.exists()
        for ending in ("-wal", "-shm", ""):  # a leftover -wal would be played into the restored file
            part = path.with_name(path.name + ending)
            if part.exists():
                part.replace(kept.with_name(kept.name + ending))
        partial.replace(path)
        _to_disk(path.parent)
    except OSError as error:
        raise StoreError(f"The backup {chosen} could not be put at {path}: {error}.") from error
    return kept if was_there else None


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _to_disk(place: Path) -> None:
    """Waits until a file (or the names in a folder) are on disk. Windows has no handle for a folder."""
    if os.name == "nt" and place.is_dir():
        return
    handle = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
