"""Opening the statistics with 100,000 cards and 1,000,000 answers, each time in a fresh process.

All that the page works out and draws, its HTML included. The first time ever, when the columns of the log are
made (an import makes them at its end); every later time, with a day's answers added to them; and a further
view in the same process. Baselines of the same run through the bare `sqlite3` module: `SELECT count(*) FROM
reviews`, one GROUP BY over the whole log, and every row fetched. Known: Anki's engine takes 180 ms for its
graphs.

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

from app_pages import statistics_view as view
from app_pages.statistics_parts import parts_table
from engine.store import open_store
from engine.study import settings, statistics
from engine.study import standing as standings
from engine.study.card import Card, Deck, Library, Source
from engine.study.desk import Desk
from engine.study.log_columns import FILE, LogReader
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


def a_library() -> Library:
    """The cards in their decks, of a hundred topics."""
    made = [
        Card(
            f"card-{n:06}",
            f"deck-{n % DECKS:03}",
            "question",
            f"Card {n}",
            "vi",
            "?",
            (),
            _SOURCE,
            topics=(t,),
        )
        for n in range(CARDS)
        for t in (f"topic-{n % 100:02}",)
    ]
    decks = [
        Deck(f"deck-{d:03}", f"Deck {d}", "vi", f"{d}.yaml", "", tuple(made[d::DECKS])) for d in range(DECKS)
    ]
    return Library(decks=tuple(decks), by_id={card.id: card for card in made})


_SOURCE = Source("Document", "Section")


def one_opening(database: str) -> None:
    """What the page works out and draws, in a process that did nothing before; then another period of it."""
    library = a_library()
    begun, worked = time.perf_counter(), time.process_time()
    store = open_store(database)
    reader = LogReader(store, Path(database).parent)
    log = reader.read()
    read = time.perf_counter()
    drawn = _draw(Desk(store), reader, library, 30)
    done, worked = time.perf_counter(), time.process_time() - worked
    again = _draw(Desk(store), reader, library, 365)
    ended = time.perf_counter()
    store.close()
    assert len(drawn) == len(again) == 9
    print(
        json.dumps([(read - begun) * 1e3, (done - begun) * 1e3, len(log), worked * 1e3, (ended - done) * 1e3])
    )


def _draw(desk: Desk, reader: LogReader, library: Library, period: view.Period) -> list[str]:
    log = reader.read()
    today = desk.today(datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=UTC), "UTC").study_day
    with desk.store.read() as connection:
        here = standings.standing(connection, today)
    of = view.View(log, here, today, period, "en")
    days = statistics.days_done(log)
    head = [str(statistics.streak(days, today)), str(statistics.true_retention(log, since=of.since))]
    drawn = (view.done, view.ahead, view.year, view.calibrated, view.memory)
    return [
        *head,
        *(draw(of) for draw in drawn),
        view.retention_table(of, 0.9),
        parts_table(of, library),
    ]


def one_baseline(database: str, query: str) -> None:
    begun = time.perf_counter()
    with closing(sqlite3.connect(database)) as db:
        for _ in db.execute(query):
            pass
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
    reading, later, working, further = (
        of_python.median(each[place] for each in openings) for place in (0, 1, 3, 4)
    )
    count = of_python.median(_once("--baseline", str(database), _COUNT)[0] for _ in range(RUNS))
    group = of_python.median(_once("--baseline", str(database), _GROUP)[0] for _ in range(RUNS))
    every = _once("--baseline", str(database), _EVERY)[0]
    print(f"the first opening ever            {first[1]:8.0f} ms   (makes the columns, {size / 1e6:.0f} MB)")
    print(f"  its time on a processor         {first[3]:8.0f} ms")
    print(f"bare SQL: every row fetched       {every:8.0f} ms   the first is {first[1] / every:.2f} x of it")
    print(f"every later opening               {later:8.0f} ms   ({reading:.0f} ms of it reading the log)")
    print(f"  its time on a processor         {working:8.0f} ms   (what it takes on a machine that is idle)")
    print(f"another period after it           {further:8.0f} ms")
    print(f"bare SQL: one GROUP BY of the log {group:8.0f} ms   {later / group:.2f} x of it")
    print(f"bare SQL: count(*) of the log     {count:8.0f} ms   {later / count:.2f} x of it")
    print(f"target                            {TARGET_MS:8.0f} ms   {later / TARGET_MS:.2f} x of it")
    print(f"Anki's graphs (known)             {ANKI_MS:8.0f} ms   {later / ANKI_MS:.2f} x of it")


_COUNT = "SELECT count(*) FROM reviews"
_EVERY = """SELECT id, card_id, reviewed_at_ms, study_day, rating, kind, answer_ms, state_before, scheduler,
nonce FROM reviews"""
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
