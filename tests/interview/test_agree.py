"""The rating goes into spaced repetition once, when the learner agrees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.interview.agree import agree, given_rating, proposal
from engine.interview.interviews import Interviews
from engine.store import Store
from engine.study.card import Library
from engine.study.desk import Answer, Confirmed, Desk, Refused
from tests.interview.an_interview import Candidate

NOW = datetime(2027, 1, 16, 8, tzinfo=UTC)


def answered(interviews: Interviews, library: Library) -> Candidate:
    taking = Candidate(interviews, library)
    taking.start()
    taking.answer(
        "memory-bound: all weights are streamed; 16 GB in 4.8 ms; roofline, left of the ridge point"
    )
    return taking


def test_agreeing_again_and_from_another_tab_counts_once(
    interviews: Interviews, library: Library, store: Store
) -> None:
    taking, desk = answered(interviews, library), Desk(store)
    question = taking.question()
    assert proposal(taking.get(), question) == 4
    assert given_rating(store, question) is None
    shown = desk.item(question.asked.card_id, NOW, "UTC").outcomes[2]
    first = agree(store, desk, question, 3, now=NOW, zone="UTC")
    again = agree(store, Desk(store), question, 1, now=NOW + timedelta(hours=3), zone="UTC")
    assert isinstance(first, Confirmed)
    assert isinstance(again, Confirmed)
    assert again.already
    assert first.due_ms == shown.due_ms
    history = desk.history(question.asked.card_id)
    assert [(review.rating, review.answer_ms) for review in history] == [(3, question.clock.used_ms)]
    assert given_rating(store, question) == 3


def test_a_card_answered_in_the_review_meanwhile_still_takes_the_rating(
    interviews: Interviews, library: Library, store: Store
) -> None:
    taking, desk = answered(interviews, library), Desk(store)
    card_id = taking.question().asked.card_id
    item = desk.item(card_id, NOW, "UTC")
    answer = Answer("other", card_id, item.version, 2, item.shown_at_ms, item.shown_at_ms, 900, "UTC")
    assert isinstance(desk.answer(answer), Confirmed)
    later = NOW + timedelta(minutes=5)
    assert isinstance(agree(store, desk, taking.question(), 3, now=later, zone="UTC"), Confirmed)
    assert [review.rating for review in desk.history(card_id)] == [2, 3]


def test_a_card_that_no_deck_ever_held_is_refused(
    interviews: Interviews, library: Library, store: Store
) -> None:
    taking = answered(interviews, library)
    with store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM cards")
    refused = agree(store, Desk(store), taking.question(), 3, now=NOW, zone="UTC")
    assert isinstance(refused, Refused)
    assert refused.code == "unknown_card"
