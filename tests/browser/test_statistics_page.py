"""Statistics and the schedule in the real app: drawn, filtered, fitted, changed and taken back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, expect

from engine.study import schedule_changes, settings
from engine.study.desk import Desk
from tests.browser.app import App
from tests.browser.decks import write_deck
from tests.browser.visit import PATIENCE_MS, choose, comes, visit
from tests.study.a_learner import Learner, a_card, a_library
from tests.study.generated import generated, put

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def test_statistics_are_drawn_from_the_log_and_fit_a_phone(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "statistics")
    expect(page.get_by_text("Statistics begin with the first card")).to_be_visible()
    store = app.store()
    put(store, generated(2500))
    store.close()
    page.reload()
    page.get_by_role("radio", name="All", exact=True).click()
    expect(page.locator(".tiles div").filter(has_text="Answers")).to_contain_text("2,500")
    expect(page.get_by_role("img", name="Answers: 2,500", exact=False)).to_be_visible()
    expect(page.get_by_role("img", name="Foretold", exact=False)).to_be_visible()
    assert page.locator("svg rect.column").count() > 60
    page.get_by_text("Numbers", exact=True).first.click()
    expect(page.get_by_role("region", name="Numbers").first).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    choose(page, "Deck", "Profiling")
    expect(page.get_by_text("No answer to these cards yet.")).to_be_visible()
    page.context.close()


def test_a_schedule_is_fitted_applied_and_taken_back(app: App, browser: Browser) -> None:
    store = app.store()
    put(store, generated(3000))
    app.start()
    page = visit(browser, app, "schedule")
    expect(page.get_by_role("img", name="90%: ", exact=False).first).to_be_visible()
    expect(page.get_by_text("In use: FSRS's own parameters.")).to_be_visible()
    page.get_by_role("button", name="Fit to my answers").click()
    expect(page.get_by_text("The fitted parameters foretell your reviews better.")).to_be_visible()
    page.get_by_role("button", name="Use them from now on").click()
    expect(page.get_by_text("In use: your own parameters of", exact=False)).to_be_visible()
    assert schedule_changes.plan(store).is_fitted
    page.get_by_text("What was in use before").click()
    page.get_by_role("button", name="Back to FSRS's own parameters").click()
    expect(page.get_by_text("In use: FSRS's own parameters.")).to_be_visible()
    assert not schedule_changes.plan(store).is_fitted
    # a retention for all decks, by keyboard
    slider = page.get_by_role("slider", name="Chance of remembering", exact=False).first
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Use 92%").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert settings.load(store).desired_retention == 0.92
    # and for one deck, which stays the one that is looked at
    choose(page, "For", "Profiling và GPU")
    use = page.get_by_role("button", name="Use 91%")
    for _ in range(5):  # a key pressed while the section is drawn anew is lost
        if slider.get_attribute("aria-valuetext") != "91%":
            slider.press("ArrowLeft")
        if comes(use, 10_000):
            break
    use.click()
    back = page.get_by_role("button", name="As all decks", exact=False)
    expect(back).to_be_visible()
    assert schedule_changes.plan(store).retention == {"gpu-profiling-vi": 0.91}
    back.click()
    expect(back).to_have_count(0)
    # an easy day
    choose(page, "Sun", "None, if it can be")
    for _ in range(PATIENCE_MS // 500):
        if schedule_changes.history(store, "easy_days"):
            break
        page.wait_for_timeout(500)
    assert schedule_changes.plan(store).easy_days == (100, 100, 100, 100, 100, 100, 0)
    store.close()
    page.context.close()


def test_cards_are_put_on_other_days_and_back_and_a_typed_backlog_is_foretold(
    app: App, browser: Browser, deck: str
) -> None:
    ids = write_deck(app.home, deck)
    app.start()
    store = app.store()
    desk = Desk(store)
    desk.sync(a_library(*(a_card(card, deck) for card in ids)))
    learner = Learner(desk, now=datetime.now(UTC))
    for item in learner.queue().items:
        learner.answer(item, 4)
    schedule_changes.change(
        store, "retention", {"retention": 0.75}, deck=deck, now=learner.now, zone="UTC", nonce="r"
    )
    before = desk.states()
    page = visit(browser, app, "schedule")
    typed = page.get_by_role("textbox", name="Cards waiting today")
    for wrong, message in (("many", "Type a whole number"), ("0", "at least one"), ("999999", "100,000")):
        typed.fill(wrong)
        typed.press("Enter")
        expect(page.get_by_text(message, exact=False)).to_be_visible()
    typed.fill("12")
    typed.press("Enter")
    expect(page.get_by_text("each stands 3 times", exact=False)).to_be_visible()
    expect(page.get_by_role("img", name="Cards waiting then: 12.", exact=False)).to_be_visible()
    page.get_by_text("Work it out").click()
    page.get_by_role("button", name="Put cards on these days: 4").click()
    expect(page.get_by_text("Cards put on other days: 4.")).to_be_visible()
    expect(page.get_by_text("Every card stands where", exact=False)).to_be_visible()
    moved = desk.states()
    assert all(
        (moved[card].due_day or "") > (before[card].due_day or "") and moved[card].reps == 1 for card in ids
    )
    page.get_by_text("What was moved before").click()
    page.get_by_role("button", name="Take back:").click()
    expect(page.get_by_text("Taken back. Cards that stand", exact=False)).to_be_visible()
    assert desk.states() == before
    store.close()
    page.context.close()
