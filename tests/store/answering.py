"""A process that answers cards in a loop and says on standard output what was confirmed.

`python -m tests.store.answering DATABASE loop`: without end, a line per confirmed answer.
`python -m tests.store.answering DATABASE once NAME`: waits for a line, then answers every card once, at
version 0, as fast as it can; a line per answer, `confirmed CARD` or the code of the refusal.
"""

from __future__ import annotations

import itertools
import sys
from datetime import UTC, datetime

from engine.store import open_store
from engine.study.desk import Answer, Confirmed, Desk
from engine.study.study_day import to_ms


def main(database: str, way: str, name: str = "") -> None:
    desk = Desk(open_store(database))
    if way == "once":
        items = desk.queue(datetime.now(UTC), "UTC", size=100).items
        print("ready", flush=True)
        sys.stdin.readline()
        for item in items:
            outcome = desk.answer(an_answer(f"{name}-{item.card_id}", item.card_id, 0))
            print(f"confirmed {item.card_id}" if isinstance(outcome, Confirmed) else outcome.code, flush=True)
        return
    for number in itertools.count():
        card_id = f"deck-{number % 20:03}"
        nonce = f"answer-{number}"
        outcome = desk.answer(an_answer(nonce, card_id, desk.version(card_id)))
        assert isinstance(outcome, Confirmed), outcome
        print(nonce, flush=True)


def an_answer(nonce: str, card_id: str, version: int) -> Answer:
    now = to_ms(datetime.now(UTC))
    return Answer(nonce, card_id, version, 3, now, now, 100, "UTC")


if __name__ == "__main__":
    main(*sys.argv[1:])
