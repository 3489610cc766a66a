"""A review that is spoken to by two ways: in order, each operation once, and never with an older view."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app_pages import context
from app_pages.due_title import Shown
from app_pages.review_card.payload import Reader
from app_pages.review_card.session import ReviewSession, session_of
from app_pages.review_card.talk import Talk, View
from tests.browser.decks import write_deck

SHOWN = Shown()


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReviewSession]:
    monkeypatch.setenv("BENCHCARDS_HOME", str(tmp_path))
    write_deck(tmp_path, "mine", cards=4)
    made = ReviewSession(SHOWN)
    made.look(
        Reader(session=made.id, language="en", zone="Asia/Ho_Chi_Minh", now=context.now()),
        frozenset({"mine"}),
    )
    yield made
    context.close(tmp_path)


def grade(item: dict[str, Any], nonce: str) -> dict[str, Any]:
    kept = ("card_id", "version", "shown_at_ms", "shown_day", "scheduler")
    return {
        "type": "answer",
        "nonce": nonce,
        "rating": 3,
        "answered_at_ms": item["shown_at_ms"] + 1000,
        "answer_ms": 1000,
        **{name: item[name] for name in kept},
    }


def test_both_ways_carry_an_operation_out_once_and_count_their_answers(session: ReviewSession) -> None:
    first, _ = session.respond(Talk())
    told = Talk.read({"ops": [grade(first["items"][0], "a")]})
    alone = session.respond_alone(told)
    again, queue = session.respond(told)
    assert (alone["confirmed"], again["confirmed"]) == (["a"], ["a"])
    assert first["stand"] < alone["stand"] < again["stand"]
    assert len(context.desk().history(first["items"][0]["card_id"])) == 1
    assert queue.counts.new == 3


def test_the_short_way_says_the_title_and_leaves_out_what_the_component_has(session: ReviewSession) -> None:
    whole, _ = session.respond(Talk())
    alone = session.respond_alone(Talk())
    assert alone["title"] == SHOWN.title == "(4) Benchcards"
    assert set(whole) - set(alone) == {"words", "line", "drawn"}


def test_a_message_that_was_overtaken_does_not_bring_its_view_back(session: ReviewSession) -> None:
    question = {"page": "p", "seq": 8, "view": {"card_id": "mine.2", "revealed": False}}
    answer = {"page": "p", "seq": 7, "view": {"card_id": "mine.1", "revealed": True}}
    session.respond_alone(Talk.read(question))
    data, _ = session.respond(Talk.read(answer))
    assert session.view == View("mine.2", revealed=False)
    assert data["drawn"] is None


def test_a_page_that_was_loaded_anew_counts_its_messages_from_one(session: ReviewSession) -> None:
    for page, seq, card in (("before", 80, "mine.1"), ("after", 1, "mine.2")):
        view = {"card_id": card, "revealed": True, "stays": True}
        data, _ = session.respond(Talk.read({"page": page, "seq": seq, "view": view}))
    assert data["drawn"] == {"card_id": "mine.2", "revealed": True, "stays": True}


def test_answers_by_both_ways_at_once_are_each_there_once(session: ReviewSession) -> None:
    items = session.respond(Talk())[0]["items"]
    ops = [grade(item, str(number)) for number, item in enumerate(items)]
    ways = (session.respond, session.respond_alone)
    threads = [
        threading.Thread(target=ways[number % 2], args=(Talk.read({"ops": ops[: number // 2 + 1]}),))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(context.desk().history(item["card_id"])) for item in items] == [1, 1, 1, 1]


def test_it_is_known_by_its_id_as_long_as_its_browser_session_holds_it(tmp_path: Path) -> None:
    held = ReviewSession(Shown())
    name = held.id
    assert session_of(name) is held
    del held
    gc.collect()
    assert session_of(name) is None


def test_an_operation_before_anyone_looked_waits_for_the_run_of_the_script() -> None:
    ReviewSession(Shown()).carry_out(Talk.read({"ops": [{"type": "undo", "nonce": "u"}]}))
