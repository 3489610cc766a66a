"""Dated backups, and putting one back where the database is damaged."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.store import Store, StoreDamaged, StoreError, open_store
from engine.store import backup as backups
from engine.study.desk import Desk
from tests.study.a_learner import Learner, plain_library


def an_evening(store: Store) -> Learner:
    learner = Learner(Desk(store))
    learner.desk.sync(plain_library(5))
    learner.answer(learner.first(), 4)
    assert store.backups is not None
    # the answer started the day's own backup: under load its unfinished copy still lay in the folder, or
    # took the place of a test's own with what was answered after it
    store.backups.wait()
    return learner


def path_of(store: Store) -> Path:
    assert store.path is not None
    return store.path


def test_the_first_answer_of_a_study_day_makes_that_days_backup(store: Store) -> None:
    learner = an_evening(store)
    learner.answer(learner.first(), 4)
    learner.wait(days=1)
    learner.answer(learner.first(), 4)
    store.close()
    names = [file.name for file in backups.backups(path_of(store))]
    assert names == ["benchcards-2026-12-01.db", "benchcards-2026-11-30.db"]
    assert store.backups is not None
    assert store.backups.fault is None
    with closing(sqlite3.connect(backups.backups(path_of(store))[0])) as db:
        assert db.execute("SELECT count(*) FROM reviews").fetchone() == (3,)


def test_a_backup_is_one_whole_file_even_while_others_write(store: Store) -> None:
    learner = an_evening(store)
    made = backups.backup(path_of(store), "2026-11-30")
    learner.answer(learner.first(), 4)
    assert backups.is_sound(made)
    assert [file.name for file in made.parent.iterdir()] == [made.name]


def test_the_newest_backups_are_kept(store: Store) -> None:
    for day in range(1, 20):
        backups.backup(path_of(store), f"2026-11-{day:02}", keep=5)
    names = [file.name for file in backups.backups(path_of(store))]
    assert names == [f"benchcards-2026-11-{day}.db" for day in (19, 18, 17, 16, 15)]


def test_an_unsound_database_makes_no_backup_and_costs_no_old_one(store: Store) -> None:
    path = path_of(store)
    an_evening(store)
    store.close()
    harm(path)
    with pytest.raises(StoreError):
        backups.backup(path, "2026-12-01", keep=1)
    assert [file.name for file in backups.backups_folder(path).iterdir()] == ["benchcards-2026-11-30.db"]


def test_a_backup_that_fails_is_told_and_the_answer_stands(store: Store) -> None:
    backups.backups_folder(path_of(store)).write_text("a file where the folder should be")
    learner = an_evening(store)
    store.close()
    assert store.backups is not None
    assert "No backup" in str(store.backups.fault)
    assert learner.desk.today(learner.now, "UTC").reviewed == 1


def harm(path: Path) -> None:
    """Overwrites every page after the first, as a dying disk does."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(size - 100))


def test_a_damaged_database_offers_its_sound_backups_and_is_kept_when_one_is_restored(store: Store) -> None:
    path = path_of(store)
    learner = an_evening(store)
    store.close()
    learner.answer(learner.first(), 4)
    newer = backups.backup(path, "2026-12-02")
    older = backups.backups(path)[1]
    store.close()
    harm(path)
    harm(newer)
    damaged = path.read_bytes()
    with pytest.raises(StoreDamaged) as raised:
        open_store(path)
    assert raised.value.backups == (older,)
    assert older.name in str(raised.value)
    with pytest.raises(StoreError, match="older one"):
        backups.restore(path, newer)
    kept = backups.restore(path, older)
    assert kept is not None
    assert kept.read_bytes() == damaged
    restored = open_store(path)
    assert Desk(restored).today(learner.now, "UTC").reviewed == 1
    restored.close()


def test_the_log_of_the_damaged_file_is_not_played_into_the_restored_one(store: Store) -> None:
    path = path_of(store)
    learner = an_evening(store)
    chosen = backups.backup(path, "2026-11-30")
    learner.answer(learner.first(), 4)
    wal = path.with_name(path.name + "-wal").read_bytes()
    store.close()
    path.with_name(path.name + "-wal").write_bytes(wal)  # left behind by a crash
    backups.restore(path, chosen)
    restored = open_store(path)
    assert Desk(restored).today(learner.now, "UTC").reviewed == 1
    restored.close()


def test_damage_met_in_the_middle_of_work_is_told_with_the_backups(store: Store) -> None:
    path = path_of(store)
    learner = an_evening(store)
    store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'reviews'").fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    reopened = open_store(path)
    learner.desk = Desk(reopened)
    with pytest.raises(StoreDamaged) as raised:
        learner.queue()
    assert [file.name for file in raised.value.backups] == ["benchcards-2026-11-30.db"]
    reopened.close()
