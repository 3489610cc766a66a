"""All that holds for PostgreSQL only: transactions, and the guards of the log.

The driver is chosen by the URL (`postgresql+psycopg://…`) and is no dependency of ours.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, event

WRITERS_LOCK = 0x42656E6368  # "Bench"
"""Number of the advisory lock that a writing transaction holds."""


def guards(tables: tuple[str, ...]) -> tuple[str, ...]:
    """Statements that hold the log append-only."""
    refuse = (
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE integrity_constraint_violation "
        "USING MESSAGE = TG_TABLE_NAME || ' is append-only'; END $$"
    )
    return (
        refuse,
        *(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION append_only()"
            for table in tables
        ),
    )


def prepare(engine: Engine, write: str) -> None:
    """Begins transactions as on SQLite: writers wait for each other, a reader sees one moment.

    write: the execution option that marks a writing transaction.
    """

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get(write, False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
