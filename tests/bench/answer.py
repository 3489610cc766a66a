"""What it costs to record an answer with 100,000 cards and 1,000,000 answers, on disk before it is confirmed.

Baselines of the same run through the bare `sqlite3` module with the same pragmas: the same rows written into
the same database, and one INSERT and COMMIT in a small one beside it. The latter with `synchronous=NORMAL`
(not on disk at the commit) says what the disk costs. Known: Anki's engine takes 0.28 ms.

Run: `python -m tests.bench.answer [FOLDER]`. FOLDER chooses the disk, and keeps the database of
`tests.bench.queue` for the next time (about 800 MB; a copy of it is written to).
"""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from engine.store import open_store
from engine.study import settings
from engine.study.desk import Answer, Confirmed, Desk
from engine.study.study_day import to_ms
from tests.bench.queue import NOW, build

ANSWERS = 400
ZONE = "Asia/Ho_Chi_Minh"
TARGET_MS, ANKI_MS = 5.0, 0.28

_LAST = "SELECT id, card_id FROM reviews ORDER BY id DESC LIMIT ?"
_ROW = """INSERT INTO reviews SELECT NULL, ?, card_id, version + 1000, kind, rating, reviewed_at_ms,
study_day, zone, answer_ms, shown_at_ms, shown_day, scheduler, shown, state_before, state_after
FROM reviews WHERE id = ?"""


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and on a processor."""
    begun, worked = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - begun) * 1e3, (time.process_time() - worked) * 1e3


def answers(database: Path) -> tuple[list[tuple[float, float]], list[float]]:
    """What each answer took, and each queue after it."""
    store = open_store(database)
    settings.save(store, {"new_per_day": 9999, "reviews_per_day": 9999})
    desk = Desk(store)
    answering, queueing = [], []
    for number in range(ANSWERS + 1):
        now = NOW + timedelta(seconds=number)
        item = desk.queue(now, ZONE).items[0]
        answer = Answer(
            nonce=f"answer-{number}",
            card_id=item.card_id,
            version=item.version,
            rating=3,
            shown_at_ms=item.shown_at_ms,
            answered_at_ms=to_ms(now),
            answer_ms=900,
            zone=ZONE,
            shown_day=item.shown_day,
            scheduler=item.scheduler,
        )
        outcome: list[object] = []
        took = timed(lambda answer=answer, outcome=outcome: outcome.append(desk.answer(answer)))  # type: ignore[misc]
        assert isinstance(outcome[0], Confirmed)
        if number == 0:  # the first of the day starts the backup: what a reader meets all day long is timed
            assert store.backups is not None
            store.backups.wait()
            continue
        answering.append(took)
        queueing.append(timed(lambda now=now: desk.queue(now, ZONE))[0])  # type: ignore[misc]
    store.close()
    return answering, queueing


def same_rows(database: Path) -> list[tuple[float, float]]:
    """What it takes to write what an answer writes: a row of the log, and the card's state."""
    with closing(_opened(database, "FULL")) as db:
        last = db.execute(_LAST, (ANSWERS,)).fetchall()

        def write(number: int) -> None:
            review, card = last[number]
            db.execute("BEGIN IMMEDIATE")
            db.execute(_ROW, (f"bare-{number}", review))
            db.execute(
                "UPDATE card_states SET version = version + 1, due_ms = ? WHERE card_id = ?", (number, card)
            )
            db.execute("COMMIT")

        return [timed(lambda number=number: write(number)) for number in range(ANSWERS)]  # type: ignore[misc]


def bare(folder: Path, synchronous: str) -> float:
    """The median of an insert and commit of a row as long as a review, in milliseconds."""
    with closing(_opened(folder / f"bare-{synchronous}.db", synchronous)) as db:
        db.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, nonce TEXT UNIQUE, body TEXT)")

        def insert(number: int) -> None:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO log VALUES (NULL, ?, ?)", (f"answer-{number}", "x" * 700))
            db.execute("COMMIT")

        return statistics.median(
            timed(lambda number=number: insert(number))[0]  # type: ignore[misc]
            for number in range(ANSWERS)
        )


def _opened(database: Path, synchronous: str) -> sqlite3.Connection:
    db = sqlite3.connect(database, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute(f"PRAGMA synchronous={synchronous}")
    return db


def report(kept: Path, folder: Path) -> None:
    """Prints medians and ratios. folder: where the copy is written to."""
    if not kept.exists():
        print("building the database ...", flush=True)
        build(kept)
    database = folder / "answers.db"
    shutil.copyfile(kept, database)
    answering, queueing = answers(database)
    rows = same_rows(database)
    full, normal = bare(folder, "FULL"), bare(folder, "NORMAL")
    (took, worked), (floor, floor_worked) = (
        (statistics.median(each[which] for each in of) for which in (0, 1)) for of in (answering, rows)
    )
    worst = sorted(each[0] for each in answering)[int(ANSWERS * 0.99)]
    print(f"database: {database.stat().st_size / 1e6:.0f} MB; medians of {ANSWERS}")
    print(f"answer, on disk and confirmed     {took:6.2f} ms   (99 %: {worst:.2f} ms)")
    print(f"  its time on a processor         {worked:6.2f} ms")
    print(f"bare SQL: the same rows, on disk  {floor:6.2f} ms   answer is {took / floor:.2f} x")
    print(
        f"  its time on a processor         {floor_worked:6.2f} ms   answer is {worked / floor_worked:.2f} x"
    )
    print(f"bare, one row in a small file     {full:6.2f} ms   answer is {took / full:.2f} x")
    print(f"bare, not on disk at the commit   {normal:6.2f} ms")
    print(f"the queue after an answer         {statistics.median(queueing):6.2f} ms")
    print(f"target                            {TARGET_MS:6.2f} ms   answer is {took / TARGET_MS:.2f} x")
    print(f"Anki's engine (known)             {ANKI_MS:6.2f} ms   answer is {took / ANKI_MS:.2f} x")


def main(args: list[str]) -> None:
    home = Path(args[0]) if args else None
    with tempfile.TemporaryDirectory(dir=home) as inside:
        report((home or Path(inside)) / "bench.db", Path(inside))


if __name__ == "__main__":
    main(sys.argv[1:])
