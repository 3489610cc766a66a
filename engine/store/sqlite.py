"""All that holds for SQLite only: pragmas, transactions, the guards of the log, signs of damage."""

from __future__ import annotations

import sqlite3
import sys
from typing import Any

from sqlalchemy import Connection, Engine, event

BUSY_SECONDS = 10.0
MOVED_AWAY = "the data folder was moved"
"""What the triggers say that keep a database from being written to after its folder was moved."""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def guards(tables: tuple[str, ...]) -> tuple[str, ...]:
    """Statements that hold the log append-only."""
    return tuple(
        f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


def prepare(engine: Engine, write: str) -> None:
    """Sets each new connection up and begins transactions with the right lock.

    write: the execution option that marks a writing transaction.

    `synchronous=FULL` makes a commit wait for the disk: an answer that was confirmed survives a power cut.
    `recursive_triggers` lets the guards see the deletion inside a REPLACE.
    """

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON"):
            connection.execute(f"PRAGMA {pragma}")
        if sys.platform == "darwin":  # fsync alone leaves the data in the drive's cache there
            connection.execute("PRAGMA fullfsync=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(write, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def engine_options() -> dict[str, Any]:
    """Arguments of `create_engine`: one connection per thread in use, waiting for locks included."""
    return {"pool_size": 8, "max_overflow": 32, "connect_args": {"timeout": BUSY_SECONDS}}


def is_damage(error: BaseException | None) -> bool:
    """Whether the driver's error says that the file itself is broken."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in _DAMAGE


def words_for(error: BaseException | None) -> str | None:
    """What to tell the person for an error that is not ours to mend, or None."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    if code == sqlite3.SQLITE_CONSTRAINT_TRIGGER and MOVED_AWAY in str(error):
        return f"{MOVED_AWAY}, and this is the old one: reload the page"
    return {
        sqlite3.SQLITE_FULL: "the disk is full: make room and try again",
        sqlite3.SQLITE_READONLY: "the file or its folder is read-only: allow writing to it",
        sqlite3.SQLITE_CANTOPEN: "the file cannot be opened: check that its folder exists and is yours",
        sqlite3.SQLITE_BUSY: "another process keeps it locked: close the other program and try again",
        sqlite3.SQLITE_IOERR: "the disk reports a read or write error: check the disk",
    }.get(code & 0xFF)
