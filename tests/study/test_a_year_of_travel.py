"""A year of daily reviews across daylight saving, in six zones and between them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from engine.store import Store
from engine.study import card_changes, settings
from engine.study.card_changes import Changed
from engine.study.desk import Desk
from tests.study.a_learner import Learner, plain_library

ZONES = (
    "America/New_York",
    "America/Santiago",  # turns its clocks at midnight, in the south's autumn
    "Europe/London",
    "Australia/Lord_Howe",  # by half an hour
    "Pacific/Auckland",
    "Pacific/Honolulu",  # without daylight saving, on the other side of the date line
)
HOMES = ("America/Santiago", "Europe/London", "Australia/Lord_Howe")
"""Where the year begins; a journey every two weeks or so leads on through all the zones."""
CARDS = 6
BEGINS = datetime(2026, 1, 5, 12, tzinfo=UTC)


def wall_day(instant: datetime, zone: str) -> str:
    """The learner's day by the clock on the wall: till four in the morning it is still yesterday."""
    wall = instant.astimezone(ZoneInfo(zone))
    return (wall.date() - timedelta(days=wall.hour < 4)).isoformat()


@pytest.mark.parametrize("home", HOMES)
def test_no_card_is_lost_doubled_or_shown_on_a_wrong_day(desk: Desk, store: Store, home: str) -> None:
    settings.save(store, {"new_per_day": 1, "learning_steps": "", "relearning_steps": ""})
    desk.sync(plain_library(CARDS))
    chance = random.Random(home)
    learner = Learner(desk, now=BEGINS, zone=home)
    days: list[str] = []
    buried: set[str] = set()
    late: set[str] = set()
    while learner.now < BEGINS + timedelta(days=365):
        if chance.random() < 0.06:
            learner.zone = chance.choice(ZONES)
        day = max(days[-1] if days else "", wall_day(learner.now, learner.zone))
        items = learner.queue().items
        if day not in days:  # else a second sitting of the day
            days.append(day)
            assert buried <= {item.card_id for item in items}
            buried = set()
        for item in items:
            assert item.shown_day == day
            due = desk.state(item.card_id).due_day
            before = days[-2] if len(days) > 1 else ""
            if due is not None:
                assert due <= day, "a day early"
                assert due > before or item.card_id in late, "a day late"
            late.discard(item.card_id)
            if due is not None and chance.random() < 0.1:
                bury(learner, item.card_id)
                buried.add(item.card_id)
                late.add(item.card_id)
            else:
                learner.answer(item, chance.choice((1, 3, 3, 3, 4)))
            learner.wait(seconds=30)
        if items:
            assert learner.queue().items == ()
        learner.now += timedelta(minutes=chance.randint(20 * 60, 27 * 60))
    check_the_log(desk)


def bury(learner: Learner, card: str) -> None:
    nonce = f"bury-{next(learner.nonces)}"
    outcome = card_changes.change(
        learner.desk.store, [card], "bury", now=learner.now, zone=learner.zone, nonce=nonce
    )
    assert isinstance(outcome, Changed)


def check_the_log(desk: Desk) -> None:
    before = desk.states()
    assert len(before) == CARDS, "a card is lost"
    for card in before:
        history = desk.history(card)
        assert len(history) > 2
        answered = [review.study_day for review in history]
        assert answered == sorted(set(answered)), "a card came twice on a day"
    desk.recompute_all()
    assert desk.states() == before
