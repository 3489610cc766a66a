"""Which cards are drawn: what the set-up allows, none twice, those that need it more often."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from engine.interview.draw import Standing, candidates, draw, weight
from engine.interview.setup import Setup
from engine.study.card import Library
from engine.study.card_state import CardState
from tests.interview.an_interview import a_card, library_of

TODAY = "2026-11-30"


def test_no_card_comes_twice_and_a_seed_draws_the_same_again() -> None:
    library = library_of(8)
    drawn = draw(library, Setup(questions=50), Standing(), seed="a")
    assert sorted(card.id for card in drawn) == sorted(library.by_id)
    assert draw(library, Setup(questions=3), Standing(), seed="a") == drawn[:3]
    assert draw(library, Setup(questions=8), Standing(), seed="b") != drawn


def test_decks_languages_and_topics_narrow_it() -> None:
    cards = [replace(a_card(0), deck="other"), replace(a_card(1), language="vi"), a_card(2, topics=("mbu",))]
    library = Library(by_id={card.id: card for card in cards})
    assert [card.id for card in candidates(library, Setup(decks=("other",)))] == ["card-0"]
    assert [card.id for card in candidates(library, Setup(languages=("vi",)))] == ["card-1"]
    assert [card.id for card in candidates(library, Setup(topics=("mbu", "x")))] == ["card-2"]
    assert len(candidates(library, Setup())) == 3


def test_a_suspended_card_is_not_asked() -> None:
    library = library_of(3)
    assert [card.id for card in candidates(library, Setup(), suspended={"card-1"})] == ["card-0", "card-2"]
    drawn = draw(library, Setup(questions=3), Standing(suspended={"card-1"}), seed="a")
    assert sorted(card.id for card in drawn) == ["card-0", "card-2"]


def test_each_reason_makes_a_card_likelier_unless_it_is_switched_off() -> None:
    card = a_card(1, priority="high")
    states = {card.id: CardState(phase="review", due_day=TODAY, difficulty=8.0, lapses=2)}
    standing = Standing(states, TODAY, asked={card.id})
    plain = Setup(due=False, weak=False, priority=False, never_asked=False)
    assert weight(card, plain, standing) == 1
    for name in ("due", "weak", "priority"):
        assert weight(card, replace(plain, **{name: True}), standing) > 1, name  # type: ignore[arg-type]
    assert weight(card, replace(plain, never_asked=True), standing) == 1
    assert weight(card, replace(plain, never_asked=True), Standing()) > 1
    later = Standing({card.id: CardState(phase="review", due_day="2026-12-05")}, TODAY)
    assert weight(card, replace(plain, due=True), later) == 1
    badly = Standing(went_badly={card.id})
    assert weight(card, replace(plain, weak=True), badly) > 1


def test_a_card_that_is_due_is_drawn_in_proportion_to_its_weight() -> None:
    library = library_of(4)
    states = {"card-0": CardState(phase="review", due_day=TODAY)}
    setup = Setup(questions=1, weak=False, priority=False, never_asked=False)
    standing = Standing(states, TODAY)
    first = Counter(draw(library, setup, standing, seed=str(seed))[0].id for seed in range(4000))
    assert 0.46 < first["card-0"] / 4000 < 0.54  # 3 against 1 + 1 + 1
