"""What it costs to record an answer, on disk before it is confirmed.

Baseline of the same run: one INSERT and COMMIT through the bare `sqlite3` module with the same pragmas, on a
database beside it. The same with `synchronous=NORMAL` (not on disk at the commit) says what the disk costs.

Run: `python -m tests.bench.answer [FOLDER]`. FOLDER chooses the disk.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.store import open_store
from engine.study import settings
from engine.study.desk import Answer, Confirmed, Desk
from engine.study.study_day import to_ms
from tests.study.a_learner import plain_library

ANSWERS = 400
NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
TARGET_MS = 60.0


def timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1e3


def answers(folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer, and of each queue after it."""
    store = open_store(folder / "answers.db")
    settings.save(store, {"new_per_day": 9999})
    desk = Desk(store)
    desk.sync(plain_library(ANSWERS))
    answering, queueing = [], []
    for number in range(ANSWERS):
        now = NOW + timedelta(seconds=number)
        item = desk.queue(now, "Asia/Ho_Chi_Minh").items[0]
        answer = Answer(
            nonce=f"answer-{number}",
            card_id=item.card_id,
            version=item.version,
            rating=4,
            shown_at_ms=item.shown_at_ms,
            answered_at_ms=to_ms(now),
            answer_ms=900,
            zone="Asia/Ho_Chi_Minh",
            shown_day=item.shown_day,
            scheduler=item.scheduler,
        )
        begun = time.perf_counter()
        outcome = desk.answer(answer)
        answering.append((time.perf_counter() - begun) * 1e3)
        assert isinstance(outcome, Confirmed)
        queueing.append(timed(lambda now=now: desk.queue(now, "Asia/Ho_Chi_Minh")))  # type: ignore[misc]
    store.close()
    return answering, queueing


def bare(folder: Path, synchronous: str) -> list[float]:
    """Milliseconds of each insert and commit of a row as long as a review."""
    took = []
    with closing(sqlite3.connect(folder / f"bare-{synchronous}.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(f"PRAGMA synchronous={synchronous}")
        db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, nonce TEXT UNIQUE, body TEXT)")

        def insert(number: int) -> None:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO log VALUES (NULL, ?, ?)", (f"answer-{number}", "x" * 700))
            db.execute("COMMIT")

        for number in range(ANSWERS):
            took.append(timed(lambda number=number: insert(number)))  # type: ignore[misc]
    return took


def main(folder: Path) -> None:
    answering, queueing = answers(folder)
    full, normal = bare(folder, "FULL"), bare(folder, "NORMAL")
    median, floor = statistics.median(answering), statistics.median(full)
    worst = sorted(answering)[int(len(answering) * 0.99)]
    print(f"answer, on disk and confirmed     {median:6.2f} ms   (99 %: {worst:.2f} ms, of {ANSWERS})")
    print(f"bare insert and commit, on disk   {floor:6.2f} ms   answer is {median / floor:.2f} x")
    print(f"bare, not on disk at the commit   {statistics.median(normal):6.2f} ms")
    print(f"the queue after an answer         {statistics.median(queueing):6.2f} ms")
    print(f"target for the whole round trip   {TARGET_MS:6.2f} ms   answer is {median / TARGET_MS:.2f} x")


if __name__ == "__main__":
    if sys.argv[1:]:
        with tempfile.TemporaryDirectory(dir=sys.argv[1]) as inside:
            main(Path(inside))
    else:
        with tempfile.TemporaryDirectory() as inside:
            main(Path(inside))
