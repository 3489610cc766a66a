"""A card's text edited over the review and over the Cards page, in the real app and a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.folders import project_folder
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck
from tests.browser.visit import PATIENCE_MS, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def field(page: Page) -> Locator:
    return dialog(page).get_by_role("textbox", name="The card as YAML")


def test_a_card_is_edited_in_the_review_which_goes_on_with_its_new_text_and_history(
    shared_app: App, open_review: Open, deck: str
) -> None:
    first, second, *_ = write_deck(shared_app.home, deck)
    path = shared_app.home / "decks" / f"{deck}.yaml"
    path.write_text("# mine\n" + path.read_text(encoding="utf-8") + "# end\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    review = open_review(shared_app, deck)
    page = review.page
    review.answer_card("3")
    review.expect_card(second)
    review.press("Space")
    review.expect_state("answer")
    review.press("w")
    review.press("1")  # typed before the editor is there: no grade
    expect(field(page)).to_be_visible()
    assert f"card={second}" in page.url
    text = field(page).input_value()
    field(page).fill(text.replace("kind: question", "kind: qestion"))
    expect(dialog(page).locator(".editor .fault")).to_have_count(1)
    expect(dialog(page).get_by_text("did you mean question?", exact=False).first).to_be_visible()
    expect(dialog(page).get_by_role("button", name="Save")).to_be_disabled()
    field(page).fill(text)
    field(page).press("Control+Home")
    page.keyboard.type("# 1 2 3 4 u w ? - @\n")  # every key of the review
    page.mouse.click(640, 40)  # whatever is clicked over the review
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)
    review.expect_card(second, "answer")
    review.press("w")
    expect(dialog(page).get_by_text("is here again", exact=False)).to_be_visible()
    field(page).fill(text.replace("title: Question number 2", "title: 'Câu hỏi: số 2'"))
    expect(dialog(page).locator("article.card .title")).to_have_text("Câu hỏi: số 2")
    field(page).press("Control+s")
    expect(dialog(page)).to_have_count(0)
    expect(review.note).to_contain_text("Saved to")
    expect(review.title).to_have_text("Câu hỏi: số 2")
    review.expect_card(second, "answer")
    assert path.read_text(encoding="utf-8") == before.replace("Question number 2", "'Câu hỏi: số 2'")
    review.press("3")
    review.expect_confirmed()
    assert (shared_app.ratings(first), shared_app.ratings(second)) == ([3], [3])
    review.press("u")
    review.expect_card(second, "answer")
    review.press("w")
    expect(field(page)).to_have_value(text.replace("title: Question number 2", "title: 'Câu hỏi: số 2'"))
    expect(dialog(page).get_by_text("is here again", exact=False)).to_have_count(0)
    assert review.errors == []


def test_a_card_of_the_projects_is_copied_first_and_edited_on_the_cards_page(
    app: App, browser: Browser
) -> None:
    project, card = project_folder() / "cards" / "day11-layer-table.zh.yaml", "zh-d11-table-layer"
    original = project.read_bytes()
    app.start()
    page = visit(browser, app, f"cards?card={card}", width=390)
    page.get_by_role("button", name="Edit").click()
    expect(dialog(page).get_by_text("came with Benchcards", exact=False)).to_be_visible()
    field(page).press("Control+End")
    page.keyboard.type("\n# noted")
    dialog(page).get_by_role("button", name="Save to my copy").click()
    expect(dialog(page)).to_have_count(0)
    expect(page.get_by_text("Saved to", exact=False)).to_be_visible()
    mine = app.home / "decks" / project.name
    assert "# noted" in mine.read_text(encoding="utf-8")
    assert project.read_bytes() == original
    page.context.close()
