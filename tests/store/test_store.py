"""Opening the database: made, migrated, guarded, damaged, newer than the program."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.store import Store, StoreDamaged, StoreError, open_store
from engine.store.backup import backups
from engine.store.migrations.upgrade import newest_revision, upgrade
from engine.store.store import REVISION
from engine.store.tables import metadata, settings


def schema(path: Path) -> list[tuple[str, str, tuple[object, ...]]]:
    """Every table, index, trigger and column as SQLite has them."""
    with closing(sqlite3.connect(path)) as db:
        found = []
        for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name"):
            if kind == "table":
                columns = tuple(db.execute(f"PRAGMA table_xinfo({name})"))
                found.append((name, "table", (*columns, *db.execute(f"PRAGMA foreign_key_list({name})"))))
            else:
                found.append((name, kind, (" ".join((sql or "").split()),)))
        return found


def a_review(**changes: object) -> dict[str, object]:
    return {
        "nonce": "n",
        "card_id": "c",
        "version": 0,
        "kind": "new",
        "rating": 3,
        "reviewed_at_ms": 1,
        "study_day": "2026-11-29",
        "zone": "UTC",
        "answer_ms": 1,
        "shown_at_ms": 1,
        "shown_day": "2026-11-29",
        "scheduler": "s",
        "shown": [1, 2, 3, 4],
        "state_before": {},
        "state_after": {},
        **changes,
    }


def test_a_fresh_database_has_the_schema_that_the_migrations_lead_to(tmp_path: Path) -> None:
    open_store(tmp_path / "fresh.db").close()
    engine: Engine = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    assert newest_revision() == REVISION
    assert schema(tmp_path / "fresh.db") == schema(tmp_path / "migrated.db")


def test_opening_a_database_of_today_imports_no_alembic(tmp_path: Path) -> None:
    program = (
        "import sys; from engine.store import open_store; open_store(sys.argv[1]).close();"
        "open_store(sys.argv[1]).close(); print('alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "b.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_many_processes_may_make_the_same_database_at_once(tmp_path: Path) -> None:
    program = "import sys; from engine.store import open_store; open_store(sys.argv[1]).close()"
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "b.db")], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [process.communicate()[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0, 0], said


def test_a_folder_with_odd_characters_is_only_a_folder(tmp_path: Path) -> None:
    place = tmp_path / "thư mục 100%? #học 学习" / "b.db"
    open_store(place).close()
    assert place.exists()


def test_a_database_of_a_newer_program_is_refused_in_words(tmp_path: Path) -> None:
    open_store(tmp_path / "b.db").close()
    with closing(sqlite3.connect(tmp_path / "b.db")) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
    with pytest.raises(StoreError, match="newer Benchcards"):
        open_store(tmp_path / "b.db")


@pytest.mark.parametrize("table", ["reviews", "undos"])
def test_the_log_takes_rows_and_lets_none_be_changed(store: Store, table: str) -> None:
    with store.begin() as connection:
        connection.execute(insert(metadata.tables["reviews"]), a_review())
        connection.execute(
            insert(metadata.tables["undos"]), {"nonce": "u", "review_id": 1, "undone_at_ms": 1}
        )
    for change in (update(metadata.tables[table]).values(nonce="x"), delete(metadata.tables[table])):
        with pytest.raises(IntegrityError, match="append-only"), store.begin() as connection:
            connection.execute(change)
    replace = "INSERT OR REPLACE INTO undos VALUES (1, 'other', 1, 2)"
    with pytest.raises(IntegrityError, match="append-only"), store.begin() as connection:
        connection.exec_driver_sql(replace)


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    def twice_the_same_key() -> None:
        with store.begin() as connection:
            connection.execute(insert(settings), {"key": "a", "value": 1})
            connection.execute(insert(settings), {"key": "a", "value": 2})

    with pytest.raises(IntegrityError):
        twice_the_same_key()
    with store.read() as connection:
        assert connection.execute(select(settings)).all() == []


def test_an_answer_is_written_through_to_the_disk_with_foreign_keys_on(store: Store) -> None:
    with store.read() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize("harm", ["header", "truncated", "schema page"])
def test_a_damaged_file_is_noticed_when_it_is_opened(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "b.db"
    open_store(path).close()
    whole = path.read_bytes()
    broken = {
        "header": b"not a database at all" + whole[21:],
        "truncated": whole[: len(whole) // 3],
        "schema page": whole[:100] + b"\xff" * 3000 + whole[3100:],
    }[harm]
    path.write_bytes(broken)
    with pytest.raises(StoreDamaged) as raised:
        open_store(path)
    assert raised.value.backups == ()
    assert str(path) in str(raised.value)


def test_a_database_with_migrations_due_is_backed_up_and_then_migrated(tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        db.commit()
    open_store(path).close()
    open_store(tmp_path / "fresh.db").close()
    migrated = [entry for entry in schema(path) if "alembic_version" not in entry[0]]
    assert migrated == [entry for entry in schema(tmp_path / "fresh.db") if "alembic_version" not in entry[0]]
    (made,) = backups(path)
    assert made.name.endswith(f"-before-{REVISION}.db")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("nosuch://host/name", "cannot be read"),
        ("post gres://", "cannot be read"),
    ],
)
def test_a_place_that_cannot_be_a_database_is_refused_in_words(place: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        open_store(place)


def test_a_folder_that_cannot_be_made_and_a_folder_in_the_place_of_the_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be made"):
        open_store(tmp_path / "file" / "b.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(tmp_path)


def test_a_url_of_sqlite_is_its_file(tmp_path: Path) -> None:
    opened = open_store(f"sqlite:///{tmp_path / 'by-url.db'}")
    assert opened.path == tmp_path / "by-url.db"
    opened.close()
