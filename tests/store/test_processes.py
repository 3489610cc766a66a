"""Processes that are killed and processes that race: nothing confirmed is lost, nothing counts twice."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine.store import open_store
from engine.study import settings
from engine.study.desk import Desk
from tests.study.a_learner import plain_library


def answering(database: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.answering", str(database), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def prepared(database: Path) -> None:
    store = open_store(database)
    settings.save(store, {"new_per_day": 100})
    Desk(store).sync(plain_library(20))
    store.close()


@pytest.mark.parametrize("after", [1, 40])
def test_a_process_killed_between_answers_loses_none_and_doubles_none(tmp_path: Path, after: int) -> None:
    database = tmp_path / "b.db"
    prepared(database)
    process = answering(database, "loop")
    assert process.stdout is not None
    said = [process.stdout.readline().strip() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.read().split()
    process.wait()
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        kept = [nonce for (nonce,) in db.execute("SELECT nonce FROM reviews ORDER BY id")]
    assert len(said) >= after
    assert kept[: len(said)] == said
    assert len(kept) <= len(said) + 1  # one may be on disk whose confirmation was not heard any more
    store = open_store(database)
    desk = Desk(store)
    ids = [f"deck-{index:03}" for index in range(20)]
    before = [(desk.state(card), desk.version(card)) for card in ids]
    assert sum(version for _, version in before) == len(kept)
    desk.recompute_all()
    assert [(desk.state(card), desk.version(card)) for card in ids] == before
    store.close()


def test_of_two_processes_that_answer_the_same_cards_exactly_one_counts_for_each(tmp_path: Path) -> None:
    database = tmp_path / "b.db"
    prepared(database)
    both = [answering(database, "once", name) for name in ("one", "two")]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0].splitlines() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    for one, two in zip(*said, strict=True):
        assert sorted([one, two], key=lambda line: line != "stale")[0] == "stale"
        assert max(one, two) == "stale"
        assert min(one, two).startswith("confirmed ")
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT count(*), count(DISTINCT card_id) FROM reviews").fetchone() == (20, 20)
