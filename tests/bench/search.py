"""Searching 100,000 cards with 1,000,000 answers, against looking through their lower-cased texts.

Run: python -m tests.bench.search
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert, select

from engine.store import Store, open_store
from engine.store.tables import card_states, cards, reviews, schedulers
from engine.study import card_index
from engine.study.card import Card, Deck, Library, Point, Source
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

QUERIES = (
    "",
    "duong san",
    "内存",
    "kernel",
    "zebra",
    "a",
    "w:kernel",
    "front:kernel",
    "prompt:*",
    "is:due",
    "is:new",
    "-is:review",
    "tag:topic-7 kernel",
    "deck:deck-3 prop:s>20 prop:lapses<3",
    "rated:30:1",
    "prop:r<0.8 or prop:d>8",
    '(kernel or 内存) -"đồ thị" is:review',
)


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


def median_ms(work: Callable[[], object], repeat: int = 5) -> float:
    work()
    samples = []
    for _ in range(repeat):
        begun = time.process_time()  # all in one thread: what else runs on the machine hardly shows
        work()
        samples.append((time.process_time() - begun) * 1e3)
    return statistics.median(samples)


def main() -> None:
    library = a_library(CARDS)
    lowered = [plain_text(card).lower() for card in library.by_id.values()]
    baseline = median_ms(lambda: [n for n, text in enumerate(lowered) if "zebra" in text])
    begun = time.process_time()
    index_of(library).prepare()
    print(f"index of {CARDS:,} cards: {time.process_time() - begun:.1f} s, once a library")
    small = replace(library, by_id=dict(list(library.by_id.items())[:1000]))
    print(f"index of 1,000 cards: {median_ms(lambda: SearchIndex(small).prepare()):.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "bench.db")
        fill(store, library)
        print(f"\n{CARDS:,} cards, {REVIEWS:,} answers; median of 5, processor time")
        print(f"  {'one pass over the texts (baseline)':<44} {baseline:7.1f} ms   1.00 × baseline")
        for query in QUERIES:
            found = browse(store, library, query, now=NOW, zone="UTC")

            def search(text: str = query) -> object:
                return browse(store, library, text, now=NOW, zone="UTC")

            taken = median_ms(search)
            ratio = f"{taken / baseline:5.2f} × baseline"
            print(f"  {query or '(empty)':<44} {taken:7.1f} ms  {ratio}, {len(found):6} found")
        store.close()


if __name__ == "__main__":
    main()
