"""The mock interview in a real browser: by keyboard alone, its clock, its notes."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Browser, expect

from engine.claims.predictions import counting
from engine.interview.setup import Setup
from engine.study.desk import Desk
from tests.browser.app import App
from tests.browser.interview_page import begin, kept, open_interview, text_of
from tests.browser.visit import CARD

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def app(interview_app: App) -> App:
    """One app for all tests here: each asks an interview of its own."""
    return interview_app


REAL = Setup(mode="real", questions=10, seconds=60, thinking=0, follow_ups=False, live=False)


def test_ten_questions_by_keyboard_alone(app: App, browser: Browser) -> None:
    interview_id = begin(app, REAL)
    page = open_interview(browser, app, interview_id)
    for place in range(10):
        page.begin(place)
        page.page.keyboard.type(f"It streams all weights from memory, answer {place + 1}.")
        page.press("Control+Enter")
    for place in range(10):
        page.expect_state("review", place)
        for key in "121":  # two points and a figure
            page.press(key)
        page.press("a")
        page.expect_confirmed()
        page.press("Enter")
    expect(page.page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    interview = kept(app, interview_id)
    assert [question.clock.outcome for question in interview.questions] == ["answered"] * 10
    assert [question.draft("main").text for question in interview.questions] == [
        f"It streams all weights from memory, answer {number}." for number in range(1, 11)
    ]
    assert {mark.tick for question in interview.questions for mark in question.marks.points} == {
        "covered",
        "partly",
    }
    store = app.store()
    desk = Desk(store)
    ratings = [[each.rating for each in desk.history(q.asked.card_id)] for q in interview.questions]
    store.close()
    assert ratings == [[question.rating] for question in interview.questions]
    assert page.errors == []
    page.page.context.close()


def test_the_clock_holds_over_a_reload_another_page_and_a_restart(app: App, browser: Browser) -> None:
    interview_id = begin(app, Setup(mode="real", questions=1, seconds=120, thinking=0))
    page = open_interview(browser, app, interview_id)
    page.begin()
    deadline = kept(app, interview_id).questions[0].clock.deadline_ms
    assert deadline is not None

    def off() -> float:
        page.expect_state("answering", 0)
        return abs(page.shown_late_ms(deadline))

    found = [off()]
    page.page.reload()
    found.append(off())
    page.page.get_by_role("link", name="Cards").click()
    expect(page.page.get_by_role("heading", name="Cards")).to_be_visible()
    page.page.go_back()
    page.page.reload()
    found.append(off())
    app.kill()
    time.sleep(1.0)
    found.append(off())
    app.start()
    page.page.keyboard.type("after the restart")
    expect(page.kept).to_have_text("Saved.")
    found.append(off())
    assert max(found) <= 500, found
    assert kept(app, interview_id).questions[0].clock.deadline_ms == deadline
    assert text_of(app, interview_id) == "after the restart"
    assert page.errors == []
    page.page.context.close()


def test_what_is_typed_until_time_is_up_is_kept_an_open_composition_too(app: App, browser: Browser) -> None:
    interview_id = begin(
        app, Setup(mode="real", questions=2, seconds=5, thinking=0, follow_ups=False, live=False)
    )
    page = open_interview(browser, app, interview_id)
    page.begin(0)
    page.notes.evaluate("node => node.addEventListener('input', () => { window.typed = node.value; })")
    page.page.keyboard.type("so far ")
    page.wait_until_left(300)
    page.page.keyboard.insert_text("last")
    page.expect_state("ready", 1)
    page.expect_confirmed()
    # a machine that is busy may hand the keys over too late: what the field took counts
    assert text_of(app, interview_id, 0) == page.page.evaluate("typed")
    page.begin(1)
    page.page.keyboard.type("显存")
    session = page.page.context.new_cdp_session(page.page)
    page.wait_until_left(300)
    session.send("Input.imeSetComposition", {"text": "带宽", "selectionStart": 2, "selectionEnd": 2})
    page.expect_state("review", 0)
    page.expect_confirmed()
    assert text_of(app, interview_id, 1) == page.page.evaluate("typed")
    assert page.errors == []
    page.page.context.close()


def test_practice_pauses_gives_hints_asks_on_and_reviews_at_once(app: App, browser: Browser) -> None:
    setup = Setup(mode="practice", questions=2, seconds=60, thinking=30, follow_ups=True)
    interview_id = begin(app, setup)
    page = open_interview(browser, app, interview_id)
    page.begin(0, "thinking")
    page.press("Escape")
    page.press("h")
    expect(page.page.locator(".room .hints li")).to_have_text(["Memory-bound"])
    page.press("Enter")
    page.expect_state("answering", 0)
    page.press("Escape")
    page.press("p")
    expect(page.room).to_have_attribute("data-paused", "true")
    left = page.left_ms
    page.page.wait_for_timeout(600)
    assert page.left_ms == left
    page.press("p")
    expect(page.room).to_have_attribute("data-paused", "false")
    expect(page.page.get_by_text("What would a larger batch change?")).to_have_count(0)
    page.notes.focus()
    page.page.keyboard.type("Left of the ridge point of the roofline: low arithmetic intensity")
    page.press("Control+Enter")
    page.expect_state("follow_ready", 0)
    page.press_until("Enter", "following", 0)
    expect(page.page.get_by_text("What would a larger batch change?")).to_be_visible()
    page.page.keyboard.type("Weights are read once")
    page.press("Control+Enter")
    page.expect_state("review", 0)
    expect(page.page.locator(".room .points .item").nth(1)).to_have_attribute("data-tick", "covered")
    page.press("Enter")
    page.expect_state("ready", 1)
    page.press("s")
    expect(page.page.locator(".room .note")).to_contain_text("Press S once more")
    page.press("s")
    page.expect_state("review", 1)
    page.press("Enter")
    expect(page.page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    interview = kept(app, interview_id)
    assert [question.clock.outcome for question in interview.questions] == ["answered", "skipped"]
    assert interview.questions[0].hints == 1
    assert interview.questions[0].draft("follow_up").text == "Weights are read once"
    assert page.errors == []
    page.page.context.close()


@pytest.mark.parametrize("ahead_ms", [-4000, 4000])
def test_a_browser_whose_clock_is_wrong_shows_the_servers_time(
    app: App, browser: Browser, ahead_ms: int
) -> None:
    interview_id = begin(app, Setup(mode="real", questions=1, seconds=120, thinking=0))
    page = open_interview(browser, app, interview_id, blank=True)
    page.page.add_init_script(f"const real = Date.now; Date.now = () => real() + {ahead_ms};")
    page.open()
    page.begin()
    page.page.keyboard.type("heard twice")  # the server's answer to it bounds its clock
    expect(page.kept).to_have_text("Saved.")
    deadline = kept(app, interview_id).questions[0].clock.deadline_ms
    assert deadline is not None
    assert abs(page.shown_late_ms(deadline) - ahead_ms) <= 500
    page.page.context.close()


def test_a_number_is_predicted_on_the_clock_and_the_lab_runs_after_it(app: App, browser: Browser) -> None:
    setup = Setup(mode="practice", questions=1, seconds=60, thinking=0, languages=("vi",))
    interview_id = begin(app, setup)
    page = open_interview(browser, app, interview_id)
    page.begin(0)
    page.press("Control+Enter")
    page.expect_state("predict_ready", 0)
    page.press_until("Enter", "predicting", 0)
    expect(page.page.get_by_text("Thời gian chép 8 MiB")).to_be_visible()
    page.page.keyboard.type("4,5")
    page.press("Enter")
    page.expect_state("review", 0)
    expect(page.page.locator(".room .own").filter(has_text="Your prediction")).to_contain_text("4,5 ms")
    page.page.get_by_role("button", name="Run it here").click()
    expect(page.page.get_by_text("measured here").first).to_be_visible()
    store = app.store()
    (made,) = counting(store, CARD)
    store.close()
    assert (made.text, made.value, made.unit) == ("4,5", 4.5, "ms")
    assert page.errors == []
    page.page.context.close()
