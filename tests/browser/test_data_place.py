"""The data folder is moved from the settings, and the app goes on in the new one at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.app import App
from tests.browser.decks import write_deck
from tests.browser.visit import PATIENCE_MS, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def test_the_folder_moves_and_the_cards_come_from_the_new_one(
    app: App, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_deck(app.home, "moving")
    app.start()
    page = visit(browser, app, "settings")
    page.get_by_role("button", name="Move the data folder").click()
    where = page.get_by_role("textbox", name="New folder")
    where.fill(str(app.home / "inside"))
    where.press("Enter")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_text("would lie within the other", exact=False)).to_be_visible()
    new = tmp_path_factory.mktemp("elsewhere") / "data"
    where.fill(str(new))
    where.press("Enter")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_text(str(new / "decks"), exact=False)).to_be_visible()
    assert (new / "benchcards.db").is_file()
    page.goto(app.url + "cards?q=deck:moving")
    expect(page.get_by_text("Shown: 4 of", exact=False)).to_be_visible()
    page.context.close()
