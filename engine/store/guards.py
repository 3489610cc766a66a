"""What holds the log append-only, in each kind of database."""

from __future__ import annotations

from sqlalchemy import Connection

from engine.store import postgresql, sqlite

APPEND_ONLY = ("reviews", "undos")


def guard_log(connection: Connection) -> None:
    """Makes the triggers that refuse every change and deletion in the log's tables."""
    of = {"sqlite": sqlite.guards, "postgresql": postgresql.guards}.get(connection.dialect.name)
    for statement in of(APPEND_ONLY) if of is not None else ():
        connection.exec_driver_sql(statement)
