"""Bury, suspend, mark, card info, undo of each, practice: by key, mouse and thumb, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from engine.study import card_changes, settings
from engine.study.card_flags import Flags
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck
from tests.browser.visit import choose, visit

pytestmark = pytest.mark.browser


def flags(app: App, card: str) -> Flags:
    store = app.store()
    try:
        return card_changes.flags(store, [card]).get(card, Flags())
    finally:
        store.close()


def test_a_card_is_buried_suspended_and_marked_by_key_and_each_is_taken_back_by_name(
    shared_app: App, deck: str, open_review: Open
) -> None:
    one, two, three, _ = write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    review.expect_card(one)
    review.press("*")
    expect(review.note).to_contain_text("Marked")
    expect(review.page.locator("article.card .sign.marked")).to_be_visible()
    review.press("-")
    expect(review.note).to_contain_text("Buried till tomorrow: “Question number 1”")
    review.expect_card(two)
    review.press("@")
    review.expect_card(three)
    review.expect_confirmed()
    assert flags(shared_app, one).marked
    assert flags(shared_app, one).buried_until is not None
    assert flags(shared_app, two).suspended
    review.press("u")
    expect(review.note).to_contain_text("Taken back: suspending “Question number 2”")
    review.expect_card(two)
    review.press("u")
    review.expect_card(one)
    expect(review.note).to_contain_text("Taken back: burying “Question number 1”")
    review.press("u")
    expect(review.note).to_contain_text("Taken back: marking")
    expect(review.page.locator("article.card .sign.marked")).to_have_count(0)
    review.expect_confirmed()
    assert (flags(shared_app, one), flags(shared_app, two)) == (Flags(), Flags())
    assert review.errors == []


def test_what_was_done_before_a_reload_is_taken_back_by_name(
    shared_app: App, deck: str, open_review: Open
) -> None:
    one, two, *_ = write_deck(shared_app.home, deck, language="vi")
    review = open_review(shared_app, deck, locale="vi-VN")
    review.press("@")
    review.expect_card(two)
    review.expect_confirmed()
    review.open()
    review.expect_card(two)
    review.press("u")
    review.expect_card(one)
    expect(review.note).to_contain_text("Đã rút lại: tạm ngưng “Câu hỏi số 1”")
    assert flags(shared_app, one) == Flags()
    assert review.errors == []


def test_the_menu_serves_a_thumb_and_shows_what_is_known_of_the_card(
    shared_app: App, deck: str, open_review: Open
) -> None:
    one, two, *_ = write_deck(shared_app.home, deck, language="zh")
    review = open_review(
        shared_app, deck, locale="zh-CN", viewport={"width": 390, "height": 800}, has_touch=True
    )
    review.answer_card("1")
    review.expect_card(two)
    review.expect_confirmed()
    review.press("u")
    review.expect_card(one, "answer")
    review.expect_confirmed()
    review.page.locator('[data-part="more"]').tap()
    review.page.locator('[data-act="info"]').tap()
    info = review.page.locator("dialog.info")
    expect(info).to_contain_text("重来")
    expect(info.locator("tr.undone")).to_have_count(1)
    assert review.page.evaluate("document.documentElement.scrollWidth") <= 390
    review.page.locator('[data-part="info-close"]').tap()
    review.page.locator('[data-part="more"]').tap()
    review.page.locator('[data-act="bury"]').tap()
    review.expect_card(two)
    assert review.errors == []


def test_practice_leaves_the_schedule_alone(shared_app: App, deck: str, open_review: Open) -> None:
    ids = write_deck(shared_app.home, deck, cards=2)
    review = open_review(shared_app, f"{deck}&practice={deck}&mode=cram")
    first = review.card
    review.answer_card("1")
    review.expect_state("question")
    other = next(card for card in ids if card != first)
    review.expect_card(other)
    review.answer_card("3")
    review.expect_card(first)
    review.answer_card("4")
    expect(review.done).to_contain_text("Practised: 2")
    review.press("u")
    review.expect_card(first, "answer")
    review.expect_confirmed()
    assert [shared_app.ratings(card) for card in ids] == [[], []]
    review.page.goto(f"{shared_app.url}?deck={deck}&practice={deck}-ahead&mode=ahead&days=7")
    expect(review.done).to_contain_text("None of these cards comes due in the next days (7)")
    assert review.errors == []


def test_a_key_of_ones_own_does_what_it_was_chosen_for(app: App, deck: str, open_review: Open) -> None:
    one, two, *_ = write_deck(app.home, deck)
    store = app.store()
    settings.save(store, {"review_keys": "bury:k"})
    store.close()
    app.start()
    review = open_review(app, deck)
    review.press("-")
    review.press("?")
    keys = review.page.locator('dialog[data-part="keys"]')
    expect(keys).to_contain_text("K")
    review.press("Escape")
    review.expect_card(one)
    review.press("k")
    review.expect_card(two)
    assert review.errors == []


def test_what_to_study_is_chosen_on_a_page_of_its_own(shared_app: App, deck: str, browser: Browser) -> None:
    write_deck(shared_app.home, deck, language="vi", cards=2)
    page = visit(browser, shared_app, "study")
    choose(page, "Languages", "Tiếng Việt")
    page.keyboard.press("Escape")
    page.get_by_text("Cram", exact=True).click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".bench")).to_have_attribute("data-state", "question")
    expect(page.get_by_text("Cramming. Nothing here changes")).to_be_visible()
    assert "mode=cram" in page.url
    assert "language=vi" in page.url
    page.get_by_text("Back to the daily review").click()
    expect(page.get_by_text("Cramming. Nothing here changes")).to_have_count(0)
    page.context.close()
