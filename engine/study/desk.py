"""The learner's desk: what comes next, answers, taking back, and what was done today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from engine.store import Store
from engine.store.tables import reviews
from engine.study import card_changes, card_flags, card_index, queue, review_log, state_table
from engine.study.answer import Answer, Confirmed, record
from engine.study.card import Library
from engine.study.card_changes import Changed, ChangeUndone
from engine.study.card_state import CardState
from engine.study.change_log import Kind
from engine.study.forecast import DayAhead, forecast
from engine.study.queue import Counts, Outcome, Queue, QueueItem
from engine.study.refused import Refused
from engine.study.review_log import Review
from engine.study.scope import Narrowed
from engine.study.settings import StudySettings, load, load_in
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner
from engine.study.undo import Undone, take_back

__all__ = [
    "Answer",
    "CardState",
    "ChangeUndone",
    "Changed",
    "Confirmed",
    "Counts",
    "DayAhead",
    "Desk",
    "Outcome",
    "Queue",
    "QueueItem",
    "Refused",
    "Review",
    "Today",
    "Undone",
]


@dataclass(frozen=True, slots=True)
class Today:
    """What was done on a study day: answers that count, those that were a card's first, forgotten ones."""

    study_day: str
    reviewed: int
    new: int
    again: int
    minutes: float


class Desk:
    """The daily work on one store. Holds no state of its own: any number of desks, threads and processes
    may work on one store, and one card's one showing is answered once.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def sync(self, library: Library) -> bool:
        """Tells the store which cards the decks hold now. Cheap where nothing changed; says if it did."""
        rows = card_index.rows_of(library)
        fingerprint = card_index.fingerprint_of(rows)
        with self.store.read() as connection:
            if card_index.kept_fingerprint(connection) == fingerprint:
                return False
        with self.store.begin() as connection:
            card_index.write(connection, rows)
        return True

    def queue(self, now: datetime, zone: str, size: int = 12, decks: Narrowed = None) -> Queue:
        """The cards that come next at `now` (aware) for a learner in `zone` (IANA name); writes nothing.

        Raises UnknownZone.
        """
        with self.store.read() as connection:
            settings = load_in(connection)
            moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
            return queue.build(connection, moment, settings, size=size, decks=decks)

    def item(self, card_id: str, now: datetime, zone: str) -> QueueItem:
        """One card as the queue would show it at `now`, whether or not it comes now; writes nothing.

        Raises UnknownZone.
        """
        with self.store.read() as connection:
            settings = load_in(connection)
            moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
            return queue.item_of(connection, card_id, moment, settings)

    def answer(self, answer: Answer) -> Confirmed | Refused:
        """Records an answer; when this returns Confirmed it is on disk. Raises UnknownZone, StoreError.

        The interval given is the one shown, to the minute, counted from the answer.
        """
        with self.store.begin() as connection:
            outcome = record(connection, answer)
        if isinstance(outcome, Confirmed) and not outcome.already:
            self._back_up(outcome.study_day)
        return outcome

    def change(
        self, card_id: str, kind: Kind, *, value: str | None = None, at_ms: int, zone: str, nonce: str
    ) -> Changed | Refused:
        """Buries, suspends or marks a card at an instant (UTC ms), as `engine.study.card_changes.change`."""
        with self.store.begin() as connection:
            return card_changes.change_in(
                connection, [card_id], kind, value=value, now_ms=at_ms, zone=zone, nonce=nonce
            )

    def undo(self, nonce: str, now: datetime) -> Undone | ChangeUndone | Refused:
        """Takes the last answer or change back, and called again the one before it."""
        with self.store.begin() as connection:
            return take_back(connection, nonce, to_ms(now))

    def history(self, card_id: str) -> tuple[Review, ...]:
        """Every answer to a card, oldest first, those taken back among them (`undone`)."""
        with self.store.read() as connection:
            return review_log.of_card(connection, card_id)

    def state(self, card_id: str) -> CardState:
        """Where a card stands; a card that was never answered is new."""
        with self.store.read() as connection:
            return state_table.read(connection, card_id)[0]

    def states(self) -> dict[str, CardState]:
        """Where each card stands that was ever answered, by card id; every other card is new."""
        with self.store.read() as connection:
            return state_table.read_all(connection)

    def version(self, card_id: str) -> int:
        """The version that an answer to the card must name."""
        with self.store.read() as connection:
            return state_table.read(connection, card_id)[1]

    def today(self, now: datetime, zone: str) -> Today:
        """What was done on the study day that `now` belongs to."""
        with self.store.read() as connection:
            settings = load_in(connection)
            day = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour).day
            row = connection.execute(
                select(
                    func.count(),
                    func.count().filter(reviews.c.kind == "new"),
                    func.count().filter(reviews.c.rating == 1),
                    func.coalesce(func.sum(reviews.c.answer_ms), 0),
                ).where(reviews.c.study_day == day, review_log.counts())
            ).one()
        return Today(study_day=day, reviewed=row[0], new=row[1], again=row[2], minutes=row[3] / 60_000)

    def forecast(
        self, now: datetime, zone: str, days: int = 7, decks: Narrowed = None
    ) -> tuple[DayAhead, ...]:
        """What comes on the next study days; the first is today with what is left of it."""
        with self.store.read() as connection:
            settings = load_in(connection)
            moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
            return forecast(connection, moment, settings, days=days, decks=decks)

    def recompute(self, card_id: str) -> CardState:
        """Makes a card's state and flags again from the log, and returns the state."""
        with self.store.begin() as connection:
            card_flags.recompute(connection, [card_id])
            state_table.recompute(connection, card_id)
            return state_table.read(connection, card_id)[0]

    def recompute_all(self) -> int:
        """Makes every card's state and flags again from the log. Returns how many were ever answered."""
        with self.store.begin() as connection:
            card_flags.recompute(connection)
            return state_table.recompute(connection)

    def settings(self) -> StudySettings:
        """The settings that hold now (`engine.study.settings.save` changes them)."""
        return load(self.store)

    def _back_up(self, study_day: str) -> None:
        if self.store.backups is not None:
            self.store.backups.due(study_day)
