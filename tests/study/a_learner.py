"""What tests of the daily work share: decks of plain cards, and a learner who answers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from engine.study import schedule_changes
from engine.study.card import Card, Deck, Library, Point, Priority, Source
from engine.study.desk import Answer, ChangeUndone, Confirmed, Desk, Queue, QueueItem, Refused, Undone
from engine.study.log_columns import read_log
from engine.study.reschedule import Preview, preview
from engine.study.schedule import SchedulerParams
from engine.study.study_day import to_ms

MORNING = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


def a_card(card_id: str, deck: str = "deck", priority: Priority = "normal") -> Card:
    return Card(
        id=card_id,
        deck=deck,
        kind="question",
        title=card_id,
        language="en",
        prompt="?",
        answer=(Point("point", "text"),),
        source=Source("document", "section"),
        priority=priority,
    )


def a_library(*cards: Card) -> Library:
    """A library of these cards, in decks by their order."""
    decks: dict[str, list[Card]] = {}
    for card in cards:
        decks.setdefault(card.deck, []).append(card)
    return Library(
        decks=tuple(
            Deck(id=deck, title=deck, language="en", path=f"{deck}.yaml", cards=tuple(held))
            for deck, held in decks.items()
        )
    )


def plain_library(number: int, deck: str = "deck") -> Library:
    return a_library(*(a_card(f"{deck}-{index:03}", deck) for index in range(number)))


@dataclass
class Learner:
    """Answers on a desk at a clock that it moves itself."""

    desk: Desk
    now: datetime = MORNING
    zone: str = "UTC"
    nonces: itertools.count[int] = field(default_factory=itertools.count)

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)

    def queue(self, size: int = 12, decks: list[str] | None = None) -> Queue:
        return self.desk.queue(self.now, self.zone, size, decks)

    def ids(self, size: int = 12, decks: list[str] | None = None) -> list[str]:
        return [item.card_id for item in self.queue(size, decks).items]

    def as_answer(self, item: QueueItem, rating: int) -> Answer:
        return Answer(
            nonce=f"answer-{next(self.nonces)}",
            card_id=item.card_id,
            version=item.version,
            rating=rating,
            shown_at_ms=item.shown_at_ms,
            answered_at_ms=to_ms(self.now),
            answer_ms=4000,
            zone=self.zone,
            shown_day=item.shown_day,
            scheduler=item.scheduler,
        )

    def answer(self, item: QueueItem, rating: int = 3) -> Confirmed:
        outcome = self.desk.answer(self.as_answer(item, rating))
        assert isinstance(outcome, Confirmed), outcome
        return outcome

    def first(self) -> QueueItem:
        return self.queue().items[0]

    def undo(self) -> Undone | ChangeUndone | Refused:
        return self.desk.undo(f"undo-{next(self.nonces)}", self.now)


def who_answered_two_decks(desk: Desk) -> Learner:
    """Two decks of eight cards, each answered three times."""
    desk.sync(a_library(*(a_card(f"{deck}-{n:02}", deck) for deck in ("one", "two") for n in range(8))))
    learner = Learner(desk)
    for _ in range(3):
        while learner.queue().items:
            learner.answer(learner.first(), 4)
        learner.wait(days=12)
    return learner


def foreseen(learner: Learner) -> Preview:
    """What would move for this learner."""
    store = learner.desk.store
    plan = schedule_changes.plan(store)
    with store.read() as connection:
        return preview(connection, read_log(store, None), plan, SchedulerParams(), learner.queue().study_day)
