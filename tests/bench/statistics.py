"""Opening the statistics with 100,000 cards and 1,000,000 answers, each time in a fresh process.

Two figures: the first time ever, when the columns of the log are made, and every later time, with a day's
answers added to them. Baselines of the same run through the bare `sqlite3` module: `SELECT count(*) FROM
reviews`, and one GROUP BY over the whole log. Known: Anki's engine takes 180 ms for its graphs.

Run: `python -m tests.bench.statistics [FOLDER]`. FOLDER keeps the database for the next time (about 1 GB).
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics as of_python
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from engine.store import open_store
from engine.study import settings, statistics
from engine.study import standing as standings
from engine.study.log_columns import FILE, read_log
from engine.study.schedule import SchedulerParams
from engine.study.state_table import shuffle

CARDS, REVIEWS, DECKS = 100_000, 1_000_000, 200
A_DAY = 500
TODAY = date(2026, 11, 30)
RUNS = 5
TARGET_MS, ANKI_MS = 1000.0, 180.0


def build(database: Path) -> None:
    """A learner of five years: each card answered ten times, at growing intervals."""
    store = open_store(database)
    settings.save(store, {"new_per_day": 20})
    store.close()
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")
        db.executemany(
            "INSERT INTO cards VALUES (?, ?, ?, 'vi', 1, 1)",
            ((f"card-{n:06}", f"deck-{n % DECKS:03}", n) for n in range(CARDS)),
        )
        db.executemany(_INSERT, _reviews(REVIEWS, TODAY - timedelta(days=1)))
        db.executemany(
            "INSERT INTO card_states VALUES (?, ?, 'review', NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _states(),
        )
        db.commit()


_INSERT = "INSERT INTO reviews VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, 'UTC', ?, ?, ?, ?, ?, ?, ?)"


def _reviews(number: int, until: date, batch: int = 0) -> Iterator[tuple[object, ...]]:
    """So many answers in order, A_DAY a day, the last of them on the day `until`.

    batch: 0 for the log that is built; any other number for answers given after it.
    """
    dice = random.Random(1)
    fingerprint, shown = SchedulerParams().fingerprint, json.dumps([10, 8640, 14400, 28800])
    first = until - timedelta(days=(number - 1) // A_DAY)
    for n in range(number):
        day = first + timedelta(days=n // A_DAY)
        at = datetime(day.year, day.month, day.day, 8, tzinfo=UTC) + timedelta(seconds=20 * (n % A_DAY))
        ms = int(at.timestamp() * 1000)
        gap = dice.randint(1, 120)
        state = (
            f'{{"phase": "review", "step": null, "stability": {gap * 1.1:.4f}, "difficulty": 5.3, '
            f'"due_ms": {ms}, "due_day": "{day}", "interval_minutes": {gap * 1440}, "last_review_ms": {ms}, '
            f'"last_study_day": "{day - timedelta(days=gap)}", "reps": 5, "lapses": 1}}'
        )
        kind = "new" if n < CARDS and not batch else "review"
        rating = 1 if dice.random() < 0.1 else 3
        yield (
            *(f"{batch}-{n}", f"card-{n % CARDS:06}", batch + n // CARDS, kind, rating, ms),
            *(day.isoformat(), dice.randint(2000, 20_000), ms - 9000, day.isoformat(), fingerprint, shown),
            *(state, state),
        )


def _states() -> Iterator[tuple[object, ...]]:
    dice = random.Random(2)
    for n in range(CARDS):
        card, last = f"card-{n:06}", TODAY - timedelta(days=dice.randint(1, 100))
        due = TODAY + timedelta(days=dice.randint(-5, 300))
        yield (
            *(card, 10, dice.uniform(1, 400), dice.uniform(1, 10), 0, due.isoformat()),
            *(14_400 * dice.randint(1, 9), 0, last.isoformat(), 10, 1, shuffle(card, 10)),
        )


def one_opening(database: str) -> None:
    """Everything that the page draws, in a process that did nothing before."""
    decks = {f"deck-{deck:03}": [f"card-{n:06}" for n in range(deck, CARDS, DECKS)] for deck in range(DECKS)}
    begun, worked = time.perf_counter(), time.process_time()
    store = open_store(database)
    log = read_log(store, Path(database).parent)
    read = time.perf_counter()
    days = statistics.days_done(log)
    statistics.streak(days, TODAY.isoformat())
    for since in ("2026-11-24", "2026-11-01", "2025-12-01", None):
        statistics.true_retention(log, since=since)
    found = statistics.calibration(log)
    statistics.by_part(log, decks)
    with store.read() as connection:
        here = standings.standing(connection, TODAY.isoformat())
    standings.due_ahead(here, 365)
    standings.stabilities(here)
    standings.difficulties(here)
    done, worked = time.perf_counter(), time.process_time() - worked
    store.close()
    assert found is not None
    assert sum(day.answers for day in days) == len(log)
    print(json.dumps([(read - begun) * 1e3, (done - begun) * 1e3, len(log), worked * 1e3]))


def one_baseline(database: str, query: str) -> None:
    begun = time.perf_counter()
    with closing(sqlite3.connect(database)) as db:
        db.execute(query).fetchall()
    print(json.dumps([(time.perf_counter() - begun) * 1e3]))


def _once(*args: str) -> list[float]:
    command = [sys.executable, "-m", "tests.bench.statistics", *args]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(each) for each in json.loads(out)]


def report(database: Path) -> None:
    """Prints medians and ratios."""
    if not database.exists():
        print(f"building {CARDS:,} cards and {REVIEWS:,} answers ...", flush=True)
        build(database)
    (database.parent / FILE).unlink(missing_ok=True)
    print(
        f"database: {database.stat().st_size / 1e6:.0f} MB; later openings: medians of {RUNS} fresh processes"
    )
    first = _once("--open", str(database))
    size = (database.parent / FILE).stat().st_size
    openings = []
    for run in range(RUNS):
        with closing(sqlite3.connect(database)) as db:  # a day's answers between two openings
            db.executemany(_INSERT, _reviews(A_DAY, TODAY, int(time.time()) + run))
            db.commit()
        openings.append(_once("--open", str(database)))
        assert openings[run][2] == first[2] + A_DAY * (run + 1)
    later = of_python.median(each[1] for each in openings)
    reading, working = (of_python.median(each[place] for each in openings) for place in (0, 3))
    count = of_python.median(
        _once("--baseline", str(database), "SELECT count(*) FROM reviews")[0] for _ in range(RUNS)
    )
    group = _once("--baseline", str(database), _GROUP)[0]
    print(f"the first opening ever            {first[1]:8.0f} ms   (makes the columns, {size / 1e6:.0f} MB)")
    print(f"  its time on a processor         {first[3]:8.0f} ms")
    print(f"every later opening               {later:8.0f} ms   ({reading:.0f} ms of it reading the log)")
    print(f"  its time on a processor         {working:8.0f} ms   (what it takes on a machine that is idle)")
    print(f"bare SQL: one GROUP BY of the log {group:8.0f} ms   {later / group:.2f} x of it")
    print(f"bare SQL: count(*) of the log     {count:8.0f} ms   {later / count:.2f} x of it")
    print(f"target                            {TARGET_MS:8.0f} ms   {later / TARGET_MS:.2f} x of it")
    print(f"Anki's graphs (known)             {ANKI_MS:8.0f} ms   {later / ANKI_MS:.2f} x of it")


_GROUP = "SELECT study_day, count(*), sum(rating = 1), sum(answer_ms) FROM reviews GROUP BY study_day"


def main(args: list[str]) -> None:
    if args[:1] == ["--open"]:
        one_opening(args[1])
    elif args[:1] == ["--baseline"]:
        one_baseline(args[1], args[2])
    elif args:
        report(Path(args[0]) / "bench.db")
    else:
        with tempfile.TemporaryDirectory() as folder:
            report(Path(folder) / "bench.db")


if __name__ == "__main__":
    main(sys.argv[1:])
