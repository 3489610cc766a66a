"""What the pages say of a card: figures, the curve of retrievability, everything that befell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app_pages.card_info import Reader, card_info, points
from engine.store import Store, open_store
from engine.study import card_changes, rescheduling, schedule_changes, settings
from engine.study.change_log import Kind
from engine.study.desk import Desk
from engine.study.schedule import SchedulerParams, retrievability
from engine.study.study_day import days_between
from tests.study.a_learner import Learner, a_card, a_library

CARD = replace(a_card("card"), title="A <b>card</b>")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "benchcards.db")
    yield opened
    opened.close()


@pytest.fixture
def learner(store: Store) -> Learner:
    settings.save(store, {"learning_steps": "", "relearning_steps": ""})
    desk = Desk(store)
    desk.sync(a_library(CARD))
    return Learner(desk)


def shown(learner: Learner, language: str = "en") -> ElementTree.Element:
    """The HTML, which is XML as well: a text that wasn't escaped would not be read."""
    html = card_info(CARD, learner.desk, Reader(language, "UTC", learner.now))
    return ElementTree.fromstring(f"<div>{html}</div>")  # noqa: S314  # our own


def text(node: ElementTree.Element) -> str:
    return " ".join(part.strip() for part in node.itertext() if part.strip())


def change(learner: Learner, kind: Kind, value: str | None = None) -> None:
    nonce = f"change-{next(learner.nonces)}"
    card_changes.change(
        learner.desk.store,
        ["card"],
        kind,
        value=value,
        now=learner.now,
        zone="UTC",
        nonce=nonce,
    )


def study(learner: Learner, *ratings: int) -> None:
    for rating in ratings:
        learner.answer(learner.first(), rating)
        learner.wait(days=days_between("2026-11-30", learner.desk.state("card").due_day or "") + 1)


def test_a_card_never_answered_has_no_curve_and_no_history(learner: Learner) -> None:
    found = shown(learner)
    assert "new" in text(found)
    assert found.find(".//svg") is None
    assert found.find(".//table") is None


def test_the_curve_is_what_fsrs_says_of_each_day(learner: Learner) -> None:
    study(learner, 3, 4, 1)
    state = learner.desk.state("card")
    history = list(learner.desk.history("card"))
    today = learner.queue().study_day
    drawn = points(history, state, today, SchedulerParams(learning_steps=(), relearning_steps=()))
    assert [day for day, _ in drawn] == sorted(day for day, _ in drawn)
    assert [share for day, share in drawn if day in {review.study_day for review in history}].count(1.0) == 3
    day, share = drawn[-1]
    assert share == retrievability(state, day, SchedulerParams())
    assert all(0 < share <= 1 for _, share in drawn)


def test_answers_and_changes_stand_newest_first_with_those_taken_back_marked(learner: Learner) -> None:
    learner.answer(learner.first(), 4)
    learner.wait(minutes=1)
    change(learner, "tag", "hỏi-lại")
    learner.wait(minutes=1)
    change(learner, "suspend")
    learner.undo()
    rows = shown(learner).findall(".//tbody/tr")
    said = [text(row) for row in rows]
    assert ["suspended" in said[0], "tagged hỏi-lại" in said[1], "Easy" in said[2]] == [True] * 3
    assert [row.get("class") for row in rows] == ["undone", None, None]
    assert "tag hỏi-lại" in text(shown(learner))


def test_the_curve_begins_anew_where_the_card_was_reset(learner: Learner) -> None:
    study(learner, 3, 3)
    change(learner, "reset")
    assert shown(learner).find(".//svg") is None
    learner.answer(learner.first(), 3)
    dots = shown(learner).findall(".//circle")
    assert len(dots) == 1
    assert len(shown(learner).findall(".//tbody/tr")) == 4


def test_a_card_put_on_another_day_says_on_which(learner: Learner) -> None:
    study(learner, 4)
    learner.wait(days=1)
    store, how = learner.desk.store, {"now": learner.now, "zone": "UTC"}
    wanted = {"retention": 0.75}
    schedule_changes.change(store, "retention", wanted, deck="deck", nonce="r", **how)  # type: ignore[arg-type]
    rescheduling.reschedule(store, None, nonce="m", **how)  # type: ignore[arg-type]
    day = learner.desk.state(CARD.id).due_day
    assert f"put on another day: {day}" in text(shown(learner))
    assert f"dời sang ngày khác: {day}" in text(shown(learner, "vi"))


def test_flags_are_told_in_the_readers_language(learner: Learner) -> None:
    change(learner, "bury")
    change(learner, "mark")
    assert "buried till 1 Dec 2026" in text(shown(learner))
    assert "hoãn đến 1/12/2026" in text(shown(learner, "vi"))
    assert "已标记" in text(shown(learner, "zh"))
    learner.now += timedelta(days=1)
    assert "buried till" not in text(shown(learner))
