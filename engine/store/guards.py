"""What holds the log append-only, in each kind of database."""

from __future__ import annotations

from sqlalchemy import Connection

from engine.store import postgresql, sqlite

APPEND_ONLY = (
    *("reviews", "undos", "predictions", "sightings", "record_notes"),
    *("card_changes", "card_change_undos", "practice_answers", "schedule_changes", "mistakes"),
)
"""The logs of the newest schema. A migration names those that it makes."""


def guard_log(connection: Connection, tables: tuple[str, ...] = APPEND_ONLY) -> None:
    """Makes the triggers that refuse every change and deletion in the logs `tables`."""
    of = {"sqlite": sqlite.guards, "postgresql": postgresql.guards}.get(connection.dialect.name)
    for statement in of(tables) if of is not None else ():
        connection.exec_driver_sql(statement)
