"""A database that can't be read: what the page offers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from engine.store import FILE_NAME
from engine.store.backup import backup
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck

pytestmark = pytest.mark.browser


def test_a_damaged_database_is_restored_from_the_page(
    app: App, open_review: Open, browser: Browser, deck: str
) -> None:
    cards = write_deck(app.home, deck)
    app.start()
    review = open_review(app, deck)
    review.answer_card("4")
    review.expect_confirmed()
    app.stop()
    database = app.home / FILE_NAME
    kept = backup(database, "2026-11-29")
    for beside in app.home.glob(f"{FILE_NAME}-*"):
        beside.unlink()
    database.write_bytes(b"no database at all " * 4096)
    app.start()
    page = browser.new_page(locale="en-US")
    page.goto(f"{app.url}?deck={deck}")
    expect(page.get_by_text("The database is damaged")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name=f"Restore {kept.name}").click()
    expect(page.locator(".bench")).to_have_attribute("data-card", cards[1], timeout=60_000)
    page.close()
    assert app.ratings(cards[0]) == [4]
