"""Moving the data folder: a checked copy first, then a note in the old folder that leads to the new one.

While it goes on nobody can write, and afterwards nobody writes into the old database by mistake: a running
app finds the note at its next step and goes on in the new folder. The old files stay until somebody deletes
them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.faults import BenchcardsError
from engine.folders import MOVED, note_of
from engine.store import FILE_NAME
from engine.store.backup import is_sound
from engine.store.sqlite import MOVED_AWAY

BUSY_SECONDS = 10.0
_NOT_COPIED = frozenset({FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", MOVED, "cache"})
"""The database is copied by SQLite; the cache makes itself again."""

_ACTIVE = ("starting", "running")


class MoveRefused(BenchcardsError):
    """The data folder stays where it is: why, and what to do.

    code, args: for the interface. Codes: `relative`, `bad_path` {detail}, `same`, `inside`, `not_empty`,
    `unwritable` {detail}, `no_room` {needed, free}, `lab_running`, `busy`, `damaged`, `copy` {detail}.
    """

    def __init__(self, code: str, message: str, **args: str) -> None:
        self.code = code
        self.args_of = args
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Moved:
    """The folder's old and new place, and the bytes that were copied."""

    old: Path
    new: Path
    size: int


def move_data(old: Path, new: Path) -> Moved:
    """Moves the data folder `old` to `new`, which must be empty or not there yet.

    All or nothing: where it fails, `old` stays in use and nothing of `new` is left. Raises MoveRefused.
    """
    old = old.resolve()
    new = _whole(new)
    size = _check(old, new)
    partial = new.with_name(f".{new.name}.moving-{os.getpid()}")
    try:
        partial.mkdir(parents=True)
        _copy_files(old, partial)
        with closing(_locked(old / FILE_NAME)) as database:
            _copy_files(old, partial)  # what changed since, now that nobody writes
            _copy_database(old / FILE_NAME, partial / FILE_NAME)
            _close_for_good(database)
            if new.exists():
                new.rmdir()  # empty, as was checked
            partial.replace(new)
            _hand_over(database, old, new)
    except (OSError, sqlite3.Error) as error:
        message = f"The data folder could not be copied to {new}: {error}. It stays at {old}."
        raise MoveRefused("copy", message, detail=str(error)) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Moved(old, new, size)


def _hand_over(database: sqlite3.Connection, old: Path, new: Path) -> None:
    """From here on the new folder counts; where that can't be noted, the copy goes again."""
    note = note_of(old)
    try:
        note.write_text(f"{new}\n", encoding="utf-8")
        database.execute("COMMIT")
    except (OSError, sqlite3.Error):
        note.unlink(missing_ok=True)
        shutil.rmtree(new, ignore_errors=True)
        raise


def _whole(new: Path) -> Path:
    """The path without links and `~`. Raises MoveRefused where it is relative, or none that can be."""
    try:
        found = new.expanduser()
        if found.is_absolute():
            found.exists()  # a name too long is found out here
            return found.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        message = f"{str(new)[:80]!r} can't be a folder ({error}). Choose another place."
        raise MoveRefused("bad_path", message, detail=str(error)) from error
    raise MoveRefused("relative", f"{new}: give the whole path of the folder, from the root on.")


def _check(old: Path, new: Path) -> int:
    """The bytes to copy. Raises MoveRefused where the move can't be."""
    if new == old:
        raise MoveRefused("same", f"The data folder is at {old} already.")
    if old in new.parents or new in old.parents:
        raise MoveRefused("inside", f"One of {old} and {new} lies within the other. Choose another folder.")
    if new.exists() and (not new.is_dir() or any(new.iterdir())):
        raise MoveRefused("not_empty", f"{new} is not an empty folder. Choose a new or an empty one.")
    place = next(each for each in (new, *new.parents) if each.exists())
    if not os.access(place, os.W_OK | os.X_OK):
        message = f"Nothing can be written in {place}. Allow it, or choose another folder."
        raise MoveRefused("unwritable", message, detail=str(place))
    size = sum(file.stat().st_size for file in old.rglob("*") if file.is_file() and not file.is_symlink())
    free, needed = shutil.disk_usage(place).free, size * 1.05 + 64 * 1024**2
    if free < needed:
        message = f"{needed / 1e6:.0f} MB are needed at {place}, and {free / 1e6:.0f} MB are free. Make room."
        raise MoveRefused("no_room", message, needed=f"{needed / 1e6:.0f}", free=f"{free / 1e6:.0f}")
    return size


def _copy_files(old: Path, partial: Path) -> None:
    """Every file but the database, those that are there already and unchanged passed over."""
    for folder, names, files in os.walk(old):
        place = Path(folder)
        within = place.relative_to(old)
        if place == old:
            names[:] = [name for name in names if name not in _NOT_COPIED]
            files = [name for name in files if name not in _NOT_COPIED]
        (partial / within).mkdir(exist_ok=True)
        links = [name for name in names if (place / name).is_symlink()]
        for name in [*files, *links]:
            source, target = place / name, partial / within / name
            if not _is_copied(source, target):
                target.unlink(missing_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)


def _is_copied(source: Path, target: Path) -> bool:
    if not os.path.lexists(target):
        return False
    one, other = source.lstat(), target.lstat()
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def _locked(path: Path) -> sqlite3.Connection:
    """A transaction in which nobody else can write. Raises MoveRefused."""
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        database.execute("BEGIN IMMEDIATE")
        busy = _runs(database)
    except sqlite3.DatabaseError as error:
        database.close()
        if isinstance(error, sqlite3.OperationalError):
            message = f"The database {path} is in use ({error}). Try again in a moment."
            raise MoveRefused("busy", message) from error
        raise MoveRefused(
            "damaged", f"The database {path} is damaged ({error}). Restore a backup first."
        ) from error
    if busy:
        database.close()
        raise MoveRefused("lab_running", "A lab is running. Wait for it or cancel it first.")
    return database


def _runs(database: sqlite3.Connection) -> bool:
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone() is None:
        return False
    marks = ", ".join("?" * len(_ACTIVE))
    query = f"SELECT 1 FROM runs WHERE status IN ({marks})"  # noqa: S608 - question marks only
    return database.execute(query, _ACTIVE).fetchone() is not None


def _copy_database(path: Path, target: Path) -> None:
    source = sqlite3.connect(path, timeout=BUSY_SECONDS)
    with closing(source), closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    if not is_sound(target):
        message = f"The database {path} is damaged: its copy is not sound. Restore a backup first."
        raise MoveRefused("damaged", message)


def _close_for_good(database: sqlite3.Connection) -> None:
    """Lets nothing more be written into the old database: an answer given there would be lost."""
    tables = [
        name
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    for table in tables:
        for verb in ("INSERT", "UPDATE", "DELETE"):
            database.execute(
                f'CREATE TRIGGER "moved_{table}_{verb.lower()}" BEFORE {verb} ON "{table}" '
                f"BEGIN SELECT RAISE(ABORT, '{MOVED_AWAY}'); END"
            )
