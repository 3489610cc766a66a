"""The notebook's list: what came back most often first, pitfalls of cards among it, counted by topic."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from app_pages.notebook_lines import by_topic, lines, of_card, without_settled
from app_pages.review_card.noting import Noting, open_lines
from engine.store import Store
from engine.study.notebook import TIP, Mistake, entries
from engine.study.study_day import to_ms
from tests.study.a_learner import MORNING, a_card, a_library

LIBRARY = a_library(
    replace(a_card("a"), topics=("mbu",), pitfall="Quên *embedding*"),
    replace(a_card("b"), topics=("mbu", "gap")),
)
LIBRARY = replace(LIBRARY, by_id={card.id: card for deck in LIBRARY.decks for card in deck.cards})


def mistake(card: str, nonce: str, times: int, **more: object) -> Mistake:
    line = Mistake(nonce, card, nonce, times, "2026-11-30", "2026-11-30", to_ms(MORNING))
    return replace(line, **more)  # type: ignore[arg-type]


def test_what_came_back_most_often_stands_first_and_pitfalls_never_made_last() -> None:
    kept = {
        "b": (mistake("b", "once", 1), mistake("b", "often", 3), mistake("b", "forgot", 1, forgotten=4)),
        "gone": (mistake("gone", "of a card that is gone", 2),),
    }
    found = lines(LIBRARY, kept)
    assert [line.text for line in found] == [
        "forgot",
        "often",
        "of a card that is gone",
        "once",
        "Quên *embedding*",
    ]
    assert [line.tip for line in found] == [False, False, False, False, True]
    assert found[2].card is None


def test_a_pitfall_that_was_made_stands_once_with_the_cards_words() -> None:
    found = lines(LIBRARY, {"a": (mistake("a", TIP, 2, text=""),)})
    assert [(line.text, line.mistake.times, line.tip) for line in found] == [("Quên *embedding*", 2, True)]


def test_topics_count_how_often_their_mistakes_were_made() -> None:
    found = lines(LIBRARY, {"b": (mistake("b", "x", 2, forgotten=1), mistake("b", "y", 1, settled=True))})
    assert by_topic(found) == [("gap", 4, 2), ("mbu", 4, 3)]
    assert by_topic(without_settled(found)) == [("gap", 3, 1), ("mbu", 3, 2)]
    assert [line.text for line in of_card(LIBRARY.by_id["b"], [mistake("b", "x", 1)])] == ["x"]


def test_lines_that_the_review_page_sends_are_kept_once_and_what_is_malformed_is_refused(
    store: Store,
) -> None:
    noting = Noting(store, "UTC")
    op = {"type": "mistake", "kind": "note", "card_id": "a", "text": "wrong unit", "nonce": "n"}
    again = {"type": "mistake", "kind": "again", "card_id": "a", "about": "n", "nonce": "m"}
    for sent in (op, op, again, again):
        assert noting.carry_out(sent, MORNING + timedelta(minutes=1)) is None
    assert open_lines(store, ["a", "b"]) == {"a": [{"nonce": "n", "text": "wrong unit", "times": 2}]}
    for bad in (
        {**op, "nonce": "x", "text": 3},
        {**op, "nonce": "x", "kind": "settle"},
        {**op, "nonce": "x", "text": " "},
    ):
        refusal = noting.carry_out(bad, MORNING)
        assert refusal is not None
        assert (refusal.code, refusal.bring_back) == ("line", False)
    assert len(entries(store)["a"]) == 1


def test_settled_lines_and_pitfalls_are_not_sent_to_the_review(store: Store) -> None:
    noting = Noting(store, "UTC")
    noting.carry_out({"kind": "again", "card_id": "a", "about": TIP, "nonce": "t"}, MORNING)
    assert open_lines(store, ["a"]) == {"a": []}
