"""A question and those that follow it up come on different days."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.store import Store
from engine.study import settings
from engine.study.card import Library
from engine.study.desk import Desk
from engine.study.library import load_library
from tests.study.a_learner import Learner, a_card, a_library
from tests.study.decks import small, written

QUESTION, FOLLOW_UP, LAST = "question", "follow-up", "last"


def family() -> Library:
    return a_library(
        a_card(QUESTION),
        replace(a_card(FOLLOW_UP), follows=QUESTION),
        replace(a_card(LAST), follows=FOLLOW_UP),
        a_card("stranger"),
    )


@pytest.fixture
def learner(desk: Desk) -> Learner:
    desk.sync(family())
    return Learner(desk)


def days_of_answers(learner: Learner, days: int) -> dict[str, list[str]]:
    """The study days on which each card was answered with easy."""
    found: dict[str, list[str]] = {}
    for _ in range(days):
        while items := learner.queue().items:
            found.setdefault(items[0].card_id, []).append(items[0].shown_day)
            learner.answer(items[0], 4)
            learner.wait(seconds=10)
        learner.wait(days=1)
    return found


def test_a_question_comes_before_its_follow_up_and_each_on_a_day_of_its_own(learner: Learner) -> None:
    assert learner.ids() == [QUESTION, "stranger"]
    found = days_of_answers(learner, 200)
    firsts = [found[card][0] for card in (QUESTION, FOLLOW_UP, LAST)]
    assert firsts == ["2026-11-30", "2026-12-01", "2026-12-02"]
    days = [day for card in (QUESTION, FOLLOW_UP, LAST) for day in found[card]]
    assert len(days) == len(set(days)) > 6


def test_an_empty_queue_says_that_the_sibling_comes_tomorrow(learner: Learner) -> None:
    for _ in range(2):
        learner.answer(learner.first(), 4)
    queue = learner.queue()
    assert (queue.items, queue.counts.new) == ((), 0)
    learner.wait(milliseconds=(queue.next_due_ms or 0) - learner.queue().last_answer_ms)  # type: ignore[operator]
    assert learner.ids() == [FOLLOW_UP]


def test_taking_the_answer_back_lets_the_sibling_come(learner: Learner, store: Store) -> None:
    settings.save(store, {"learning_steps": ""})
    days_of_answers(learner, 4)
    learner.wait(days=300)
    shown = [card for card in learner.ids() if card != "stranger"]
    assert len(shown) == 1
    item = next(item for item in learner.queue().items if item.card_id == shown[0])
    learner.answer(item, 4)
    assert [card for card in learner.ids() if card != "stranger"] == []
    learner.undo()
    assert [card for card in learner.ids() if card != "stranger"] == shown


def test_a_suspended_question_keeps_no_follow_up_waiting(learner: Learner) -> None:
    learner.desk.change(QUESTION, "suspend", at_ms=0, zone="UTC", nonce="n")
    assert learner.ids() == [FOLLOW_UP, "stranger"]


def follows(card: str, other: str) -> str:
    head = f"  - {{id: {card}, follows: {other}, kind: term, title: T, prompt: P, "
    return head + "answer: [{heading: H, text: T}]}\n"


@pytest.mark.parametrize(
    ("cards", "line", "message"),
    [
        (follows("two", "nobody"), 9, 'there is no card "nobody" in this deck'),
        (follows("two", "two"), 9, '"two" follows this very card'),
        (follows("two", "three") + follows("three", "two"), 9, '"three" follows this very card'),
    ],
)
def test_a_deck_whose_card_follows_none_or_itself_is_at_fault(
    tmp_path: Path, cards: str, line: int, message: str
) -> None:
    written(tmp_path / "deck.yaml", small("deck", "one") + cards)
    library = load_library([tmp_path], lab_names=None, cache=None)
    fault = library.faults[0]
    assert (fault.line, message in fault.message) == (line, True), fault
    assert fault.field.endswith("follows")


def test_a_follow_up_is_read_from_the_deck_and_from_its_cache(tmp_path: Path) -> None:
    written(tmp_path / "decks" / "deck.yaml", small("deck", "one") + follows("two", "one"))
    for _ in range(2):
        library = load_library([tmp_path / "decks"], lab_names=None, cache=tmp_path / "cache")
        assert library.faults == ()
        assert [card.follows for card in library.by_id.values()] == [None, "one"]
