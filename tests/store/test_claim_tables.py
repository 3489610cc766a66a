"""Tables of claims: they come to a database that is in use, and their logs let nothing be changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.store import Store, open_store
from engine.store.claim_tables import predictions, record_notes, sightings
from engine.store.migrations.upgrade import upgrade
from engine.store.tables import metadata

ROWS = {
    "predictions": {
        "nonce": "n",
        "made_at_ms": 1,
        "study_day": "2026-11-29",
        "card_id": "c",
        "claim_id": "floor",
        "text": "5 ms",
        "value": 5.0,
        "low": 5.0,
        "high": 5.0,
        "unit": "ms",
        "gpu": "h200",
    },
    "sightings": {"subject": "card:c", "study_day": "2026-11-29", "seen_at_ms": 1},
    "record_notes": {"gpu": "h200", "item": "c/floor", "text": "mine", "written_at_ms": 1},
}


@pytest.mark.parametrize("name", ROWS)
def test_the_logs_of_claims_take_rows_and_let_none_be_changed(store: Store, name: str) -> None:
    table = metadata.tables[name]
    with store.begin() as connection:
        connection.execute(insert(table), ROWS[name])
    for change in (update(table).values(id=9), delete(table)):
        with pytest.raises(IntegrityError, match="append-only"), store.begin() as connection:
            connection.execute(change)


def test_a_database_of_the_first_schema_keeps_its_runs_and_gets_the_tables_of_claims(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'b.db'}")
    with engine.begin() as connection:
        upgrade(connection, "0001")
        connection.exec_driver_sql(
            "INSERT INTO runs (id, lab, params, device, status, queued_at_ms, folder) "
            "VALUES ('r', 'fusion', '{}', 'auto', 'done', 1, 'runs/r')"
        )
    engine.dispose()
    store = open_store(tmp_path / "b.db")
    runs = metadata.tables["runs"]
    with store.read() as connection:
        assert connection.execute(select(runs.c.id, runs.c.sent_through)).all() == [("r", None)]
        for table in (predictions, sightings, record_notes):
            assert connection.execute(select(table)).all() == []
    store.close()
