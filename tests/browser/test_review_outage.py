"""What becomes of answers while the app is dead, and what the page says meanwhile."""

from __future__ import annotations

import sys

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck

pytestmark = pytest.mark.browser


def test_killed_between_answers_nothing_is_lost_or_doubled(app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(app.home, deck, cards=8)
    app.start()
    review = open_review(app, deck)
    review.answer_card("4")
    review.expect_confirmed()
    review.answer_card("3")
    app.kill()  # with the second answer on its way
    review.answer_card("2")
    review.answer_card("4")
    app.start()
    review.expect_confirmed()
    review.expect_card(cards[4])
    review.answer_card("4")
    review.expect_confirmed()
    assert [app.ratings(card) for card in cards[:6]] == [[4], [3], [2], [4], [4], []]
    assert review.errors == []


def test_a_dead_server_is_said_and_the_card_comes_back(app: App, open_review: Open, deck: str) -> None:
    cards = write_deck(app.home, deck)
    app.start()
    review = open_review(app, deck)
    app.kill()
    review.answer_card("2")
    review.expect_card(cards[1])
    expect(review.waiting).to_contain_text("The app isn't answering. Answers not saved yet: 1.")
    review.expect_card(cards[0], "answer")
    expect(review.page.locator('[data-grade="2"]')).to_have_class("pending")
    review.press("4")  # doesn't count: the card has its rating
    app.start()
    expect(review.waiting).to_be_hidden()
    review.expect_card(cards[1])
    expect(review.note).to_have_text("Saved.")
    review.expect_confirmed()
    assert app.ratings(cards[0]) == [2]


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files by prlimit")
def test_an_answer_that_cannot_be_written_brings_its_card_back(
    app: App, open_review: Open, deck: str
) -> None:
    cards = write_deck(app.home, deck)
    app.start()
    review = open_review(app, deck)
    assert app.process is not None
    server = psutil.Process(app.process.pid)
    before = server.rlimit(psutil.RLIMIT_FSIZE)
    server.rlimit(psutil.RLIMIT_FSIZE, (0, before[1]))  # no file can grow: a full disk, as a program sees it
    review.answer_card("3")
    expect(review.note).to_contain_text("The answer to “Question number 1” could not be saved.")
    review.expect_card(cards[0], "answer")
    server.rlimit(psutil.RLIMIT_FSIZE, before)
    review.press("4")
    review.expect_card(cards[1])
    review.expect_confirmed()
    assert app.ratings(cards[0]) == [4]
