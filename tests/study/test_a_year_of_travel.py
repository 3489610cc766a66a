"""A year of daily reviews across daylight saving, in six zones and between them."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
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
CARDS = 8
BEGINS = datetime(2026, 1, 5, 12, tzinfo=UTC)


def wall_day(instant: datetime, zone: str) -> str:
    """The learner's day by the clock on the wall: till four in the morning it is still yesterday."""
    wall = instant.astimezone(ZoneInfo(zone))
    return (wall.date() - timedelta(days=wall.hour < 4)).isoformat()


@pytest.mark.parametrize("home", ZONES)
def test_no_card_is_lost_doubled_or_shown_on_a_wrong_day(desk: Desk, store: Store, home: str) -> None:
    settings.save(store, {"new_per_day": 1, "learning_steps": "10m", "relearning_steps": "10m"})
    desk.sync(plain_library(CARDS))
    chance = random.Random(home)
    learner = Learner(desk, now=BEGINS, zone=home)
    last_day, sat_on = "", []
    buried: tuple[str, str] | None = None
    late = ""
    while learner.now < BEGINS + timedelta(days=365):
        if chance.random() < 0.06:
            learner.zone = chance.choice(ZONES)
        queue = learner.queue()
        day = max(last_day, wall_day(learner.now, learner.zone))
        assert queue.study_day == day
        if day > last_day:
            sat_on.append(day)
        due = {card: state.due_day for card, state in desk.states().items() if state.phase == "review"}
        if buried is not None and day > buried[1]:
            late, buried = buried[0], None
            assert late in {item.card_id for item in learner.queue(size=99).items}
        while items := learner.queue(size=99).items:
            item = items[0]
            if item.phase == "review":
                assert (due[item.card_id] or "") <= day
                before = sat_on[-2] if len(sat_on) > 1 else ""
                assert item.card_id == late or (due[item.card_id] or "") > before, "a day late"
                if buried is None and chance.random() < 0.1:
                    buried = item.card_id, day
                    bury(learner, item.card_id)
                    continue
            learner.answer(item, chance.choice((1, 3, 3, 3, 4)))
            learner.wait(seconds=30)
        if (ends := learner.queue().next_due_ms) is not None and chance.random() < 0.3:
            assert ends > learner.now.timestamp() * 1000
        last_day = max(last_day, day)
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
    assert len(before) == CARDS
    for card in before:
        history = desk.history(card)
        reviewed = [review.study_day for review in history if review.kind == "review"]
        assert len(reviewed) == len(set(reviewed)) > 3, "two reviews on one day"
        assert [review.study_day for review in history] == sorted(review.study_day for review in history)
        for review in history:
            off = (
                date.fromisoformat(review.study_day)
                - datetime.fromtimestamp(review.reviewed_at_ms / 1000, UTC).date()
            )
            assert abs(off.days) <= 1 or review.zone != history[0].zone
    desk.recompute_all()
    assert desk.states() == before
