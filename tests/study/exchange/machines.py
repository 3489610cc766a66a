"""Machines with a database and a folder of decks each, between which files go."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Table, select

from engine.store import FILE_NAME, Store, open_store
from engine.study.card_state import CardState
from engine.study.desk import Desk
from engine.study.exchange.files import read, write
from engine.study.exchange.gather import gather
from engine.study.exchange.report import Report
from engine.study.exchange.take_in import take_in
from engine.study.settings import StudySettings, save
from tests.study.a_learner import MORNING, Learner, plain_library

LIBRARY = plain_library(4)
LATER = MORNING + timedelta(days=400)
"""When files go in and out."""


@dataclass
class Machine:
    """One machine: its store, its decks, and the learner who sits at it."""

    store: Store
    decks: Path
    learner: Learner

    def export(self, format: str = "json") -> bytes:
        return write(gather(self.store, self.decks, LATER).export, format)

    def take(self, content: bytes, *, replace: bool = False) -> Report:
        known = {card.id for deck in LIBRARY.decks for card in deck.cards}
        parsed = read(content, "export")
        return take_in(self.store, parsed, self.decks, known_cards=known, now=LATER, replace=replace)

    def states(self) -> dict[str, CardState]:
        return self.learner.desk.states()

    def rows(self, table: Table) -> list[dict[str, object]]:
        query = select(table).order_by(*table.primary_key)
        with self.store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def machine(home: Path, *, first_nonce: int = 0, steps: str = "1m 10m") -> Machine:
    """A new machine; `first_nonce` keeps the names of its answers apart from another's."""
    home.mkdir(parents=True, exist_ok=True)
    store = open_store(home / FILE_NAME)
    desk = Desk(store)
    desk.sync(LIBRARY)
    if steps != StudySettings().learning_steps:
        save(store, {"learning_steps": steps})
    return Machine(store, home / "decks", Learner(desk, nonces=itertools.count(first_nonce)))


def study(at: Machine, ratings: str) -> None:
    """A sitting: each sign of `ratings` is a rating of the next card (1 to 4), `u` takes the last one back,
    `d` lets a day pass, `h` an hour; where nothing is due, three days pass.
    """
    for sign in ratings:
        at.learner.wait(seconds=20)
        if sign == "u":
            at.learner.undo()
        elif sign in "dh":
            at.learner.wait(days=sign == "d", hours=sign == "h")
        else:
            items = at.learner.queue().items
            if items:
                at.learner.answer(items[0], int(sign))
            else:
                at.learner.wait(days=3)
