"""The cards page: searching, one card with its history, faulty decks."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.study.desk import Answer, Confirmed, Desk, Undone
from engine.study.library import load_library
from tests.browser.app import App
from tests.browser.visit import CARD, LABS, PATIENCE_MS, visit, write_probe_deck

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)
ZONE = "Asia/Ho_Chi_Minh"


@pytest.fixture(autouse=True)
def probe(monkeypatch: pytest.MonkeyPatch, app: App) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(LABS))
    write_probe_deck(app.home, repeats=5)


def answer(app: App, ratings: list[int]) -> None:
    """Answers the card, an answer every three days, and takes the last one back."""
    store = app.store()
    desk = Desk(store)
    desk.sync(load_library([app.home / "decks"], lab_names=None, cache=None))
    at = datetime(2026, 11, 1, 8, tzinfo=UTC)
    for number, rating in enumerate(ratings):
        at_ms = int((at + timedelta(days=3 * number)).timestamp() * 1000)
        given = Answer(
            nonce=f"nonce-{number}",
            card_id=CARD,
            version=desk.version(CARD),
            rating=rating,
            shown_at_ms=at_ms,
            answered_at_ms=at_ms + 8000,
            answer_ms=8000,
            zone=ZONE,
        )
        assert isinstance(desk.answer(given), Confirmed)
    assert isinstance(desk.undo("undo-1", at + timedelta(days=30)), Undone)
    store.close()


def shown(page: Page, count: int) -> None:
    expect(page.get_by_text(f"Shown: {count} of", exact=False)).to_be_visible()


def test_search_finds_without_diacritics_and_inside_chinese(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "cards")
    field = page.get_by_role("searchbox")
    field.fill("chep 8 mib mat bao lau")
    shown(page, 1)
    field.fill("内存与寄存")
    shown(page, 1)
    field.fill("zebra")
    expect(page.get_by_text("No card has all of these words", exact=False)).to_be_visible()
    page.context.close()


def test_choosing_a_row_opens_the_card_and_the_address_names_it(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "cards")
    page.get_by_role("searchbox").fill("chep 8 mib")
    shown(page, 1)
    table = page.locator('[data-testid="stDataFrame"] .dvn-scroller')
    expect(table).to_be_visible()
    table.click(position={"x": 60, "y": 52})
    expect(page.locator("article.card .title")).to_have_text("Chép 8 MiB mất bao lâu?")
    assert f"card={CARD}" in page.url
    page.get_by_role("button", name="All cards").click()
    expect(page.get_by_role("heading", name="Cards")).to_be_visible()
    page.context.close()


def test_a_card_shows_its_state_and_every_answer_with_those_taken_back(app: App, browser: Browser) -> None:
    answer(app, [3, 3, 1])
    app.start()
    page = visit(browser, app, f"cards?card={CARD}")
    rows = page.locator("tbody tr").filter(has=page.locator("td.plain"))
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("taken back")
    expect(rows.first).to_contain_text("Again")
    expect(rows.nth(1)).not_to_contain_text("taken back")
    expect(rows.nth(2)).to_contain_text("new →")
    expect(page.locator("dl").first).to_contain_text("Stability")
    expect(page.locator("dl").first).to_contain_text("Reviews2")
    page.context.close()


def test_a_faulty_deck_is_shown_with_line_and_message_while_others_work(app: App, browser: Browser) -> None:
    (app.home / "decks" / "broken.yaml").write_text("deck:\n  id: Broken Deck\ncards: []\n", encoding="utf-8")
    app.start()
    page = visit(browser, app, "cards")
    expect(page.get_by_text("Decks that can't be used: broken.yaml", exact=False)).to_be_visible()
    expect(page.locator('[data-testid="stCode"]').first).to_contain_text("2: deck.id")
    page.get_by_role("searchbox").fill("chep 8 mib")
    shown(page, 1)
    page.context.close()


def test_an_address_of_a_card_that_is_gone_says_so(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "cards?card=long-gone")
    expect(page.get_by_text("No deck holds a card long-gone now", exact=False)).to_be_visible()
    page.context.close()


def test_many_cards_are_found_by_the_language_changed_at_once_and_changed_back(
    app: App, browser: Browser
) -> None:
    app.start()
    page = visit(browser, app, "cards")
    field = page.get_by_role("searchbox")
    field.fill("deck:probe")
    shown(page, 2)
    expect(page).to_have_title(re.compile(r"^\(\d+\) Benchcards$"))
    page.get_by_role("button", name="Change all found: 2").click()
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.get_by_text("Suspended: 2")).to_be_visible()
    field.fill("deck:probe -is:suspended")
    expect(page.get_by_text("No card has all of these words", exact=False)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    shown(page, 2)
    field.fill("deck:prob")
    expect(page.get_by_text("No deck is called prob.", exact=False)).to_be_visible()
    shown(
        page, 2
    )  # what the last search found stays while the next one is typed, and can't be changed at once
    expect(page.get_by_role("button", name="Change all found", exact=False)).to_have_count(0)
    field.fill("deck:probe lang:zh")
    shown(page, 1)
    page.locator('[data-testid="stDataFrame"] .dvn-scroller').click(position={"x": 15, "y": 52})
    page.get_by_role("button", name="Change the chosen: 1").click()
    page.get_by_role("textbox", name="Tag of your own").fill("yếu")
    page.get_by_role("button", name="Add tag").click()
    expect(page.get_by_text("Tagged yếu: 1")).to_be_visible()
    field.fill("tag:yeu")
    shown(page, 1)
    page.context.close()
