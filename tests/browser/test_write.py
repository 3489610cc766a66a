"""Writing cards and the mistake notebook, in the real app and a real browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.study import notebook
from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck
from tests.browser.visit import PATIENCE_MS, choose, soon, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def lines_of(app: App, card: str) -> list[tuple[str, int]]:
    """What the notebook holds of a card: texts, and how often."""
    store = app.store()
    try:
        return [(line.text, line.times) for line in notebook.entries(store, [card]).get(card, ())]
    finally:
        store.close()


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="The card as YAML")


def title(page: Page) -> Locator:
    return page.locator("article.card .title")


def test_a_card_is_edited_with_faults_and_preview_while_typing_and_only_its_line_changes(
    shared_app: App, browser: Browser, deck: str
) -> None:
    (card, *_) = write_deck(shared_app.home, deck)
    path = shared_app.home / "decks" / f"{deck}.yaml"
    path.write_text("# mine\n" + path.read_text(encoding="utf-8") + "# end\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    page = visit(browser, shared_app, f"write?card={card}")
    expect(title(page)).to_have_text("Question number 1")
    text = field(page).input_value()
    field(page).fill(text.replace("kind: question", "kind: qestion"))
    expect(page.locator(".editor .fault")).to_have_count(1)
    expect(page.get_by_text("did you mean question?", exact=False).first).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    field(page).fill(text.replace("title: Question number 1", "title: 'Câu hỏi: số 1'"))
    expect(title(page)).to_have_text("Câu hỏi: số 1")
    page.reload()
    expect(page.get_by_text("is here again", exact=False)).to_be_visible()
    expect(title(page)).to_have_text("Câu hỏi: số 1")
    field(page).press("Control+s")
    expect(page.get_by_text("Saved to", exact=False)).to_be_visible()
    assert path.read_text(encoding="utf-8") == before.replace("Question number 1", "'Câu hỏi: số 1'")
    page.get_by_role("link", name="The card").click()
    expect(title(page)).to_have_text("Câu hỏi: số 1")
    page.context.close()


def test_a_new_card_makes_a_deck_and_notes_come_into_one(
    shared_app: App, browser: Browser, deck: str, tmp_path: Path
) -> None:
    page = visit(browser, shared_app, "write")
    expect(field(page)).to_be_visible()
    if not page.get_by_label("Its title").is_visible():  # other tests made decks
        choose(page, "Deck", "A new deck")
    page.get_by_label("Its title").fill(f"Của tôi {deck}")
    page.get_by_label("Its title").press("Enter")
    expect(field(page)).to_have_value(re.compile(f"^id: cua-toi-{deck}-"))  # a redraw would close the box
    choose(page, "Begin with", "Number that a lab checks")
    expect(title(page)).to_have_text("The floor of a decode step, in numbers")
    expect(field(page)).to_have_value(re.compile(f"^id: cua-toi-{deck}-the-floor"))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("is in the deck", exact=False)).to_be_visible()
    made = shared_app.home / "decks" / f"cua-toi-{deck}.yaml"
    assert "memory_bandwidth" in made.read_text(encoding="utf-8")
    page.get_by_text("Bring in notes").click()
    notes = tmp_path / f"{deck}.md"
    notes.write_text(f"---\ndeck: cua-toi-{deck}\n---\n## Q?\nA.\n", encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(notes)
    expect(page.get_by_text(f"Into the deck cua-toi-{deck}")).to_be_visible()
    page.get_by_role("button", name="Make cards of them").click()
    expect(page.get_by_text("Written to", exact=False)).to_be_visible()
    assert made.read_text(encoding="utf-8").rstrip().endswith("text: A.")
    page.context.close()


def test_after_again_a_line_is_written_and_stands_below_the_answer_next_time(
    shared_app: App, open_review: Open, deck: str
) -> None:
    first, second, *_ = write_deck(shared_app.home, deck)
    store = shared_app.store()
    now = datetime.now(UTC)
    notebook.write(
        store, second, "note", nonce=f"{deck}-n", now=now, zone="UTC", text="nhầm <b>GB</b> với GiB"
    )
    store.close()
    review = open_review(shared_app, deck)
    review.answer_card("1")
    above, below = review.page.locator(".notebook.after"), review.page.locator(".notebook:not(.after)")
    expect(above).to_contain_text("Question number 1")
    review.press("n")
    review.page.keyboard.type("lấy băng thông datasheet 2")
    review.press("Enter")
    expect(above).to_be_hidden()
    review.expect_card(second)
    review.press("Space")
    expect(below).to_contain_text("nhầm <b>GB</b> với GiB")
    below.get_by_role("button", name="Again").click()
    expect(below).to_contain_text("2×")
    review.expect_confirmed()
    soon(lambda: lines_of(shared_app, first), [("lấy băng thông datasheet 2", 1)])
    soon(lambda: lines_of(shared_app, second), [("nhầm <b>GB</b> với GiB", 2)])
    assert shared_app.ratings(first) == [1]
    review.press("w")
    expect(field(review.page)).to_be_visible()
    assert f"card={second}" in review.page.url
    assert review.errors == []


def test_the_notebook_lists_lines_by_topic_and_settles_them(
    shared_app: App, browser: Browser, deck: str
) -> None:
    (card, *_) = write_deck(shared_app.home, deck)
    path = Path(shared_app.home / "decks" / f"{deck}.yaml")
    text = path.read_text(encoding="utf-8").replace(
        "    priority: high\n", f"    priority: high\n    topics: [{deck}]\n"
    )
    path.write_text(text, encoding="utf-8")
    store = shared_app.store()
    for number in range(3):
        kind: notebook.Kind = "again" if number else "note"
        notebook.write(
            store,
            card,
            kind,
            nonce=f"{deck}-{number}",
            now=datetime.now(UTC),
            zone="UTC",
            text="x *y*",
            about=f"{deck}-0" if number else "",
        )
    store.close()
    page = visit(browser, shared_app, "notebook", width=390)
    page.get_by_role("button", name=f"{deck} · 3×").click()
    expect(page.get_by_text("Your own: 1", exact=False)).to_be_visible()
    expect(page.get_by_text("x *y*", exact=True)).to_be_visible()
    expect(page.get_by_text("made 3×", exact=False)).to_be_visible()
    page.get_by_role("button", name="Dealt with").click()
    expect(page.get_by_text("x *y*", exact=True)).to_be_hidden()
    page.context.close()
