"""Searching 100,000 cards with 1,000,000 answers, against looking through their lower-cased texts.

Run: `python -m tests.bench.search [FOLDER]`. FOLDER keeps the database for the next time (about 220 MB).
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import insert, select

from engine.store import Store, open_store
from engine.store.tables import card_states, cards, reviews, schedulers
from engine.study import card_index, state_table
from engine.study.card import Card, Deck, Library, Point, Source
from engine.study.card_changes import flags
from engine.study.schedule import SchedulerParams
from engine.study.search.browse import browse
from engine.study.search.index import SearchIndex, index_of
from engine.study.search.text import plain_text
from engine.study.study_day import add_days, from_ms, to_ms

CARDS, REVIEWS = 100_000, 1_000_000
NOW = datetime(2026, 11, 30, 7, tzinfo=UTC)
_SAID = (
    "băng thông bộ nhớ kernel launch CPU GPU khoảng trống dòng lệnh decode prefill đồ thị `cudaMalloc` "
    "trọng số **FLOP** thời gian một bước đo bằng ncu nsys tắc nghẽn lượng tử hoá 共享内存 带宽 内核 启动 "
    "开销 时间线 缓存 寄存器 占用率 $\\frac{a}{b}$ attention softmax tensor core đường sàn trần"
)
WORDS = _SAID.split()
TEXT = 90
"""Words of a card: about 700 letters, as the cards of the Vietnamese set have."""
RARE, RARE_WORDS = 8, 60_000
"""Words of a card that few others have, and how many of them there are: what a large collection holds."""

ROWS = 200
"""Cards on a page of the list."""

QUERIES = (
    "",
    "duong san",
    "内存",
    "kernel",
    "zebra",
    "a",
    "w:softmax",
    "front:nsys",
    "prompt:*",
    "is:due",
    "is:new",
    "-is:review",
    "tag:topic-7 decode",
    "deck:deck-3 prop:s>20 prop:lapses<3",
    "rated:30:1",
    "prop:r<0.8 or prop:d>8",
    '(launch or 带宽) -"thời gian" is:review',
)
TARGET_MS, ANKI_MS = 100.0, 38.0


def a_library(number: int) -> Library:
    chance = random.Random(7)
    made: list[Card] = []
    for n in range(number):
        words = chance.choices(WORDS, k=TEXT - RARE)
        for at in sorted(chance.sample(range(6, len(words)), RARE)):
            words.insert(at, _rare(chance.randrange(RARE_WORDS)))
        half = TEXT // 2
        made.append(
            Card(
                id=f"card-{n}",
                deck=f"deck-{n % 20}",
                kind="question",
                title=" ".join(words[:6]),
                language="vi",
                prompt=" ".join(words[6:half]),
                answer=(Point(" ".join(words[half : half + 4]), " ".join(words[half + 4 :])),),
                source=Source("Document", f"Section {n % 50}"),
                topics=(f"topic-{n % 100}",),
            )
        )
    decks = [
        Deck(
            f"deck-{d}",
            f"Deck {d}",
            "vi",
            f"d{d}.yaml",
            cards=tuple(c for c in made if c.deck == f"deck-{d}"),
        )
        for d in range(20)
    ]
    return Library(decks=tuple(decks), by_id={c.id: c for deck in decks for c in deck.cards})


def _rare(number: int) -> str:
    """One of the words that few cards have: `numastroliga12`, or as many Chinese signs without a space."""
    if number % 3 == 0:
        return "".join(chr(0x4E00 + number * step % 5000) for step in (1, 7, 31, 101))
    sounds = ("nu", "mas", "tro", "li", "ga", "ve", "kör", "ẩm")
    return "".join(sounds[number // 8**place % 8] for place in range(4)) + str(number)


def fill(store: Store, library: Library) -> None:
    """States of nine cards in ten and a million answers, straight into the tables."""
    chance = random.Random(11)
    today = "2026-11-30"
    params = SchedulerParams()
    ids = list(library.by_id)
    with store.begin() as connection:
        card_index.write(connection, card_index.rows_of(library))
        connection.execute(
            insert(schedulers), {"fingerprint": params.fingerprint, "params": params.to_json()}
        )
        started = ids[: len(ids) * 9 // 10]
        rows = []
        for card_id in started:
            interval = chance.randint(1, 200)
            last = add_days(today, -chance.randint(0, interval + 10))
            due = add_days(last, interval)
            rows.append(
                {
                    "card_id": card_id,
                    "version": 10,
                    "phase": "review",
                    "stability": interval * chance.uniform(0.7, 1.4),
                    "difficulty": chance.uniform(1, 10),
                    "due_ms": to_ms(datetime.fromisoformat(f"{due}T07:00:00+00:00")),
                    "due_day": due,
                    "interval_minutes": interval * 1440,
                    "last_review_ms": to_ms(datetime.fromisoformat(f"{last}T07:00:00+00:00")),
                    "last_study_day": last,
                    "reps": 10,
                    "lapses": chance.choice((0, 0, 0, 1, 2, 5)),
                    "shuffle": chance.randrange(1 << 31),
                }
            )
        connection.execute(insert(card_states), rows)
        begun = cards.c.id.in_(select(card_states.c.card_id))
        connection.execute(cards.update().where(begun).values(started=True))
        for begin in range(0, REVIEWS, 50_000):
            connection.execute(
                insert(reviews), [_answer(n, ids, chance, params) for n in range(begin, begin + 50_000)]
            )


def _answer(n: int, ids: list[str], chance: random.Random, params: SchedulerParams) -> dict[str, object]:
    at = to_ms(NOW) - (REVIEWS - n) * 60_000
    day = from_ms(at).date().isoformat()
    return {
        "nonce": f"n{n}",
        "card_id": ids[n % (len(ids) * 9 // 10)],
        "version": n,
        "kind": "review",
        "rating": chance.choice((1, 3, 3, 3, 3, 2, 4)),
        "reviewed_at_ms": at,
        "study_day": day,
        "zone": "UTC",
        "answer_ms": 8000,
        "shown_at_ms": at,
        "shown_day": day,
        "scheduler": params.fingerprint,
        "shown": [1, 2, 3, 4],
        "state_before": {},
        "state_after": {},
    }


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and on a processor."""
    begun, worked = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - begun) * 1e3, (time.process_time() - worked) * 1e3


def medians(work: Callable[[], object], repeat: int = 5) -> tuple[float, float]:
    samples = [timed(work) for _ in range(repeat)]
    return statistics.median(each[0] for each in samples), statistics.median(each[1] for each in samples)


def shown(store: Store, library: Library, query: str) -> int:
    """What the Cards page does with a search: counts what was found, and reads the first page's states."""
    found = browse(store, library, query, now=NOW, zone="UTC")
    ids = [card.id for card in found[:ROWS]]
    with store.read() as connection:
        state_table.read_some(connection, ids)
    flags(store, ids)
    return len(found)


def report(store: Store, library: Library) -> None:
    """Prints each search: the first time, and its median after that."""
    lowered = [plain_text(card).lower() for card in library.by_id.values()]
    baseline, _ = medians(lambda: [n for n, text in enumerate(lowered) if "zebra" in text])
    took, worked = timed(lambda: index_of(library).prepare())
    print(f"texts of {CARDS:,} cards prepared: {took / 1e3:.1f} s ({worked / 1e3:.1f} s processor), once")
    small = replace(library, by_id=dict(list(library.by_id.items())[:1000]))
    print(f"texts of 1,000 cards prepared: {medians(lambda: SearchIndex(small).prepare())[0]:.0f} ms")
    first, _ = timed(lambda: [index_of(library).labelled(by) for by in ("kind", "language", "topic", "deck")])
    first += timed(partial(shown, store, library, "is:due nothing-like-this"))[0]
    print(f"what the first search of a process does besides: {first:.0f} ms")
    print(
        f"\n{CARDS:,} cards, {REVIEWS:,} answers; ms: the first time, then the median of 5 (processor time)"
    )
    print(f"  {'one pass over the texts (baseline)':<44} {'':7} {baseline:7.1f}")
    worst = 0.0
    for query in QUERIES:
        work = partial(shown, store, library, query)
        (first, _), (again, worked) = timed(work), medians(work)
        worst = max(worst, first)
        of = f"{first / baseline:5.2f} and {again / baseline:5.2f} × baseline"
        print(f"  {query or '(empty)':<44} {first:7.1f} {again:7.1f} ({worked:5.1f})  {of}, {work():6} found")
    of = f"{worst / TARGET_MS:.2f} × target, {worst / ANKI_MS:.2f} × Anki's (known)"
    print(f"  {'the slowest':<44} {worst:7.1f}   {of}")


def main(args: list[str]) -> None:
    library = a_library(CARDS)
    with tempfile.TemporaryDirectory() as inside:
        database = Path(args[0] if args else inside) / "bench.db"
        is_new = not database.exists()
        store = open_store(database)
        if is_new:
            fill(store, library)
        report(store, library)
        store.close()


if __name__ == "__main__":
    main(sys.argv[1:])
