"""What the server does with the texts and deeds that the interview's page sends."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app_pages.interview_room.payload import envelope, question_payload, review_payload
from app_pages.interview_room.talk import Doing, Ledger, Talk
from engine.interview.interviews import Interviews
from engine.store import Store
from engine.study.desk import Desk
from engine.study.study_day import from_ms
from tests.interview.an_interview import SETUP, START, Candidate, library_of

NOW = from_ms(START)


@pytest.fixture
def candidate(store: Store, tmp_path: Path) -> Candidate:
    library = library_of(4)
    Desk(store).sync(library)
    taking = Candidate(Interviews(store, tmp_path), library)
    taking.start()
    return taking


def doing(candidate: Candidate, store: Store) -> Doing:
    return Doing(candidate.interviews, store, Desk(store), "UTC", from_ms(candidate.now))


def op(candidate: Candidate, kind: str, nonce: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "nonce": nonce, "interview": candidate.id, "place": 0, **more}


def step(candidate: Candidate, deed: str, phase: str, nonce: str) -> dict[str, Any]:
    return op(candidate, "step", nonce, deed=deed, phase=phase, at_ms=candidate.now)


def text(candidate: Candidate, typed: str, seq: int) -> dict[str, Any]:
    return {"interview": candidate.id, "place": 0, "part": "main", "text": typed, "seq": seq}


def say(ledger: Ledger, candidate: Candidate, store: Store, *ops: Any, texts: Any = ()) -> Talk:
    talk = Talk.read({"ops": list(ops), "texts": list(texts)})
    ledger.carry_out(talk, doing(candidate, store))
    return talk


def test_texts_come_before_the_deed_that_ends_the_answer(candidate: Candidate, store: Store) -> None:
    ledger = Ledger()
    say(ledger, candidate, store, step(candidate, "begin", "ready", "1"))
    candidate.now += 15_000
    final = text(candidate, "memory-bound: all weights are streamed", 5)
    talk = say(ledger, candidate, store, step(candidate, "finish", "answering", "2"), texts=[final])
    data = envelope("en", candidate.now, talk, ledger)
    assert data["done"] == ["2"]
    assert data["saved"] == {f"{candidate.id}.0.main": 5}
    candidate.do("skip")  # the follow-up
    assert candidate.question().marks.points[0].tick == "covered"


def test_sent_again_to_a_server_that_knows_nothing_it_is_done_once(
    candidate: Candidate, store: Store
) -> None:
    begin = step(candidate, "begin", "ready", "1")
    say(Ledger(), candidate, store, begin)
    deadline = candidate.question().clock.deadline_ms
    candidate.now += 5_000
    fresh = Ledger()
    talk = say(fresh, candidate, store, begin)
    assert candidate.question().clock.deadline_ms == deadline
    assert envelope("en", candidate.now, talk, fresh)["done"] == ["1"]


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        {"ops": "x", "texts": 3},
        {"ops": [{"nonce": 1}, 5, {"nonce": "n"}], "texts": [{}, 1, {"text": 1}]},
        {"ops": [{"nonce": "n", "type": "step", "interview": "x", "place": -1}]},
        {"ops": [{"nonce": "n", "type": "step", "interview": "x", "place": float("nan")}]},
        {"ops": [{"nonce": "n", "type": "tick", "interview": "x", "place": 0, "kind": "?"}]},
        {"texts": [{"interview": "x", "place": 0, "part": "other", "text": "t", "seq": 1}]},
    ],
)
def test_a_malformed_message_is_refused_and_harms_nothing(
    candidate: Candidate, store: Store, message: object
) -> None:
    before = candidate.get()
    ledger = Ledger()
    talk = Talk.read(message)
    ledger.carry_out(talk, doing(candidate, store))
    assert candidate.get() == before
    assert set(ledger.refused) <= {"n"}
    assert {code for code, _ in ledger.refused.values()} <= {"malformed"}
    assert ledger.trouble is None


def test_half_a_character_from_a_browser_is_kept_as_far_as_it_is_one(
    candidate: Candidate, store: Store
) -> None:
    ledger = Ledger()
    say(ledger, candidate, store, texts=[text(candidate, "bandwidth \ud83d", 1)])
    assert candidate.question().draft("main").text == "bandwidth ?"


def test_what_cannot_be_written_now_is_not_confirmed_and_told(candidate: Candidate, store: Store) -> None:
    ledger = Ledger()
    with store.begin():  # another program holds the write lock
        store.engine.dispose()
        raw = store.engine.raw_connection()
        raw.execute("PRAGMA busy_timeout = 50")
        raw.close()
        talk = say(ledger, candidate, store, texts=[text(candidate, "kept by the browser", 1)])
    data = envelope("en", candidate.now, talk, ledger)
    assert data["saved"] == {}
    assert "locked" in data["trouble"]
    talk = say(ledger, candidate, store, texts=[text(candidate, "kept by the browser", 1)])
    data = envelope("en", candidate.now, talk, ledger)
    assert data["trouble"] is None
    assert candidate.question().draft("main").text == "kept by the browser"


def test_a_rating_is_given_once_and_its_refusal_is_in_words(candidate: Candidate, store: Store) -> None:
    candidate.answer("memory-bound")
    ledger = Ledger()
    for nonce in ("1", "2"):
        say(ledger, candidate, store, op(candidate, "rate", nonce, rating=3))
    assert candidate.question().rating == 3
    assert len(Desk(store).history(candidate.question().asked.card_id)) == 1
    talk = say(ledger, candidate, store, op(candidate, "rate", "3", place=1, rating=9))
    (refused,) = envelope("vi", candidate.now, talk, ledger)["refused"]
    assert "bad_rating" in refused


def test_nothing_is_told_before_its_time(candidate: Candidate) -> None:
    def told() -> str:
        interview = candidate.get()
        question = interview.current
        assert question is not None
        return str(question_payload(interview, question, candidate.now))

    assert "Why is a decode step slow?" not in told()
    candidate.do("begin")
    assert "Why is a decode step slow?" in told()
    assert "streams all" not in told()
    assert "And a larger batch?" not in told()
    candidate.now += 70_000
    assert "And a larger batch?" not in told()
    candidate.do("begin")
    assert "And a larger batch?" in told()
    assert "read once" not in told()


def test_the_course_holds_the_stored_deadline_and_a_pause_stops_it(candidate: Candidate) -> None:
    candidate.setup = SETUP
    candidate.do("begin")
    interview = candidate.get()
    data = question_payload(interview, interview.questions[0], candidate.now)
    assert data["course"] == [
        {"phase": "thinking", "until_ms": candidate.now + 10_000},
        {"phase": "answering", "until_ms": candidate.now + 70_000},
    ]
    assert data["hints"] == []  # real gives none


def test_the_review_shows_what_each_rating_leads_to(candidate: Candidate, store: Store) -> None:
    candidate.answer("memory-bound, 16 GB")
    interview = candidate.get()
    question = interview.questions[0]
    outcomes = Desk(store).item(question.asked.card_id, NOW + timedelta(hours=1), "UTC").outcomes
    data = review_payload(interview, question, language="zh", outcomes=outcomes, given=None, revisited=False)
    assert [point["tick"] for point in data["points"]] == ["covered", "missed"]
    assert data["figures"][0]["text"] == "Weights：<strong>16\xa0GB</strong>"
    assert [figure["tick"] for figure in data["figures"]] == ["right", "missing"]
    assert len(data["intervals"]) == 4
    assert data["intervals"][0] == "1 分钟"
