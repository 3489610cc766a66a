"""The first queue of the day with 100,000 cards and 1,000,000 reviews, each time in a fresh process.

Baselines of the same run, each in a fresh process through the bare `sqlite3` module: fetching and ordering
the due cards without any limit or history, and `SELECT count(*) FROM reviews`. Known from elsewhere: Anki's
engine builds the queue of 100,000 cards in 129 ms.

Run: `python -m tests.bench.queue [FOLDER]`. FOLDER keeps the database for the next time (about 900 MB).
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.store import open_store
from engine.study import settings
from engine.study.card_state import CardState
from engine.study.desk import Desk
from engine.study.schedule import SchedulerParams
from engine.study.state_table import shuffle
from engine.study.study_day import add_days, to_ms

CARDS = 100_000
REVIEWS = 1_000_000
NEW = 5_000
LEARNING = 300
NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
TODAY = "2026-11-30"
RUNS = 7
ANKI_MS = 129.0


def build(database: Path) -> None:
    """A learner of some years: most cards in review, due over the next year, a backlog of a week."""
    store = open_store(database)
    settings.save(store, {"new_per_day": 20})
    store.close()
    random_of = random.Random(1)
    started = CARDS - NEW
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")
        db.executemany(
            "INSERT INTO cards VALUES (?, ?, ?, 'vi', 1, ?)",
            ((f"card-{n:06}", f"deck-{n // 500:03}", n, n < started) for n in range(CARDS)),
        )
        db.executemany(
            "INSERT INTO reviews VALUES (NULL, ?, ?, ?, 'review', 3, ?, ?, 'UTC', 6000, ?, ?, ?, ?, ?, ?)",
            _reviews(started),
        )
        db.executemany(
            "INSERT INTO card_states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_state(f"card-{n:06}", n, started, random_of) for n in range(started)),
        )
        db.commit()


def _reviews(started: int) -> Iterator[tuple[object, ...]]:
    """Reviews of the cards in turn, ending yesterday."""
    shown = json.dumps([10, 8640, 14400, 28800])
    state = json.dumps(
        CardState("review", None, 31.1, 5.3, to_ms(NOW), TODAY, 14400, to_ms(NOW), TODAY, 9, 1).to_json()
    )
    fingerprint = SchedulerParams().fingerprint
    for n in range(REVIEWS):
        at = NOW - timedelta(days=1, seconds=60 * (REVIEWS - n))
        day = at.date().isoformat()
        ms = to_ms(at)
        card = f"card-{n % started:06}"
        yield (f"nonce-{n}", card, n // started, ms, day, ms - 9000, day, fingerprint, shown, state, state)


def _state(card_id: str, n: int, started: int, random_of: random.Random) -> tuple[object, ...]:
    reps = REVIEWS // started + (n < REVIEWS % started)
    last = add_days(TODAY, -random_of.randint(1, 300))
    learning = n < LEARNING
    due = None if learning else add_days(TODAY, random_of.randint(-7, 365))
    due_ms = to_ms(NOW) - random_of.randint(-9, 9) * 3_600_000
    phase, step = ("learning", 0) if learning else ("review", None)
    return (
        *(card_id, reps, phase, step, 31.0, 5.3, due_ms, due, 14400),
        *(due_ms - 9_000_000, last, reps, 1, shuffle(card_id, reps)),
    )


def one_queue(database: str) -> None:
    """Opens the store and asks for the queue, in a process that did neither before."""
    begun = time.perf_counter()
    store = open_store(database)
    desk = Desk(store)
    opened = time.perf_counter()
    queue = desk.queue(NOW, "Asia/Ho_Chi_Minh")
    done = time.perf_counter()
    desk.queue(NOW, "Asia/Ho_Chi_Minh")
    second = time.perf_counter()
    assert len(queue.items) == 12
    print(
        json.dumps([(opened - begun) * 1e3, (done - opened) * 1e3, (second - done) * 1e3, str(queue.counts)])
    )


def one_baseline(database: str, which: str) -> None:
    """The bare query, its connection included, in a process that had none before."""
    query = {
        "due": "SELECT s.* FROM card_states s JOIN cards c ON c.id = s.card_id "
        "WHERE c.present AND s.phase = 'review' AND s.due_day <= '2026-11-30' ORDER BY s.due_day",
        "count": "SELECT count(*) FROM reviews",
    }[which]
    begun = time.perf_counter()
    with closing(sqlite3.connect(database)) as db:
        rows = db.execute(query).fetchall()
        done = time.perf_counter()
    print(json.dumps([(done - begun) * 1e3, len(rows)]))


def _each(database: Path, *args: str) -> list[list[float]]:
    command = [sys.executable, "-m", "tests.bench.queue", *args, str(database)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(RUNS)]
    return [json.loads(out) for out in runs]


def report(database: Path) -> None:
    """Prints medians and ratios."""
    if not database.exists():
        print(f"building {CARDS:,} cards and {REVIEWS:,} reviews ...", flush=True)
        build(database)
    print(f"database: {database.stat().st_size / 1e6:.0f} MB; medians of {RUNS} fresh processes")
    runs = _each(database, "--queue")
    opening, queue, second = (statistics.median(run[place] for run in runs) for place in range(3))
    due = statistics.median(run[0] for run in _each(database, "--baseline", "due"))
    count = statistics.median(run[0] for run in _each(database, "--baseline", "count"))
    print(f"first queue of the day        {queue:7.1f} ms   {runs[0][3]}")
    print(f"  with opening the store      {opening + queue:7.1f} ms")
    print(f"  the next queue              {second:7.1f} ms")
    print(f"bare SQL: every due card      {due:7.1f} ms   queue is {queue / due:.2f} x")
    print(f"bare SQL: count(*) of the log {count:7.1f} ms   queue is {queue / count:.2f} x")
    print(f"Anki, 100,000 cards (known)   {ANKI_MS:7.1f} ms   queue is {queue / ANKI_MS:.2f} x")


def main(args: list[str]) -> None:
    if args[:1] == ["--queue"]:
        one_queue(args[1])
    elif args[:1] == ["--baseline"]:
        one_baseline(args[2], args[1])
    elif args:
        report(Path(args[0]) / "bench.db")
    else:
        with tempfile.TemporaryDirectory() as folder:
            report(Path(folder) / "bench.db")


if __name__ == "__main__":
    main(sys.argv[1:])
