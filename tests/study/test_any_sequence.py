"""Whatever is done in whatever order: what stands in the store is what the log says, and undo is exact."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.store import open_store
from engine.study import card_changes, card_flags, rescheduling, schedule_changes
from engine.study import settings as study_settings
from engine.study.card_flags import Flags
from engine.study.card_state import NEW, CardState
from engine.study.change_log import Kind
from engine.study.desk import Desk, Refused
from tests.study.a_learner import Learner, a_card, a_library

CARDS = ("a", "b", "c", "d")
Standing = tuple[dict[str, CardState], dict[str, Flags]]

CHANGES: tuple[Kind, ...] = ("bury", "unbury", "suspend", "unsuspend", "mark", "unmark", "reset")
answers = st.tuples(st.just("answer"), st.sampled_from("1234"))
some_cards = st.lists(st.sampled_from(CARDS), min_size=1, max_size=3, unique=True).map(" ".join)
changes = st.tuples(st.sampled_from(CHANGES), some_cards)
tags = st.tuples(st.sampled_from(["tag", "untag"]), some_cards)
others = st.tuples(
    st.sampled_from(["undo", "hour", "day", "month", "edit", "restart", "clock back"]), st.just("")
)
moves = st.tuples(st.just("reschedule"), st.sampled_from(["0.75", "0.9", "0.97"]))
STEPS = st.lists(st.one_of(answers, answers, changes, tags, moves, others), max_size=25)
MANY = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@dataclass
class Sitting:
    """A learner on a file, and what stood before each thing done that is not taken back."""

    path: Path
    learner: Learner
    before: list[Standing] = field(default_factory=list)
    edits: int = 0

    def standing(self) -> Standing:
        states = {card: state for card, state in self.learner.desk.states().items() if state != NEW}
        with self.learner.desk.store.read() as connection:
            return states, card_flags.read(connection)

    def do(self, what: str, of: str) -> None:
        self.learner.wait(seconds=7)
        before = self.standing()
        match what:
            case "answer":
                items = self.learner.queue().items
                if items:
                    self.learner.answer(items[0], int(of))
                    self.before.append(before)
            case "undo":
                undone = self.learner.undo()
                assert isinstance(undone, Refused) == (not self.before)
                if self.before:
                    assert self.standing() == self.before.pop()
            case "hour" | "day" | "month":
                self.learner.wait(hours={"hour": 1, "day": 24, "month": 720}[what])
            case "clock back":
                self.learner.wait(hours=-5)
            case "edit":
                self.edit()
                assert self.standing() == before
            case "restart":
                self.restart()
                assert self.standing() == before
            case "reschedule":
                self.reschedule(float(of))
                if self.standing() != before:
                    self.before.append(before)
            case kind:
                self.change(kind, of.split())  # type: ignore[arg-type]
                self.before.append(before)

    def change(self, kind: Kind, cards: list[str]) -> None:
        value = "tag" if kind in ("tag", "untag") else None
        nonce = f"change-{next(self.learner.nonces)}"
        how = {"value": value, "now": self.learner.now, "zone": "UTC", "nonce": nonce}
        first = card_changes.change(self.learner.desk.store, cards, kind, **how)  # type: ignore[arg-type]
        again = card_changes.change(self.learner.desk.store, cards, kind, **how)  # type: ignore[arg-type]
        assert not isinstance(first, Refused)
        assert replace(first, already=True) == again

    def reschedule(self, retention: float) -> None:
        """Another retention, and the cards put on its days."""
        store, nonce = self.learner.desk.store, f"change-{next(self.learner.nonces)}"
        now = self.learner.now
        wanted = {"retention": retention}
        schedule_changes.change(store, "retention", wanted, deck="deck", now=now, zone="UTC", nonce=nonce)
        first = rescheduling.reschedule(store, None, now=now, zone="UTC", nonce=nonce)
        again = rescheduling.reschedule(store, None, now=now, zone="UTC", nonce=nonce)
        if isinstance(first, Refused):
            assert first == again == Refused("nothing_moves")
        else:
            assert again == replace(first, already=True)

    def edit(self) -> None:
        """Other texts, in another order; every other time a card is missing."""
        self.edits += 1
        cards = [replace(a_card(card), title=f"{card} {self.edits}") for card in CARDS]
        held = cards[self.edits % 2 :]
        self.learner.desk.sync(a_library(*reversed(held)))

    def restart(self) -> None:
        self.learner.desk.store.close()
        self.learner.desk = Desk(open_store(self.path))


@contextmanager
def a_sitting() -> Iterator[Sitting]:
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "b.db"
        store = open_store(path)
        study_settings.save(store, {"leech_lapses": 2, "leech_action": "suspend", "learning_steps": "10m"})
        sitting = Sitting(path, Learner(Desk(store)))
        sitting.learner.desk.sync(a_library(*map(a_card, CARDS)))
        try:
            yield sitting
        finally:
            sitting.learner.desk.store.close()


@MANY
@given(STEPS)
def test_what_stands_in_the_store_is_the_log_replayed(steps: list[tuple[str, str]]) -> None:
    with a_sitting() as sitting:
        for what, of in steps:
            sitting.do(what, of)
        desk = sitting.learner.desk
        kept = sitting.standing(), {card: desk.version(card) for card in CARDS}
        desk.recompute_all()
        assert (sitting.standing(), {card: desk.version(card) for card in CARDS}) == kept
        while sitting.before:
            sitting.do("undo", "")
        assert sitting.standing() == ({}, {})
        assert sitting.learner.undo() == Refused("nothing_to_undo")


@MANY
@given(STEPS)
def test_no_card_comes_that_is_suspended_or_buried(steps: list[tuple[str, str]]) -> None:
    with a_sitting() as sitting:
        for what, of in steps:
            sitting.do(what, of)
            queue = sitting.learner.queue()
            flags = card_changes.flags(sitting.learner.desk.store)
            held = {card for card, each in flags.items() if each.suspended or each.buried(queue.study_day)}
            assert not held & {item.card_id for item in queue.items}
            if not queue.items:
                assert queue.counts.new == queue.counts.due == 0
