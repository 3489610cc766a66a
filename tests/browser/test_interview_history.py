"""From one click to a report, and from there to the history: resumed, closed, compared, deleted."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from engine.interview.interviews import Interviews
from engine.interview.question import Interview
from engine.interview.setup import QUICK
from tests.browser.app import App
from tests.browser.interview_page import InterviewPage, now_ms
from tests.browser.visit import PATIENCE_MS, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def app(interview_app: App) -> App:
    """The app that tests of the interview share, without the interviews that they left."""
    store = interview_app.store()
    interviews = Interviews(store, interview_app.home)
    for interview in interviews.all(now_ms()):
        interviews.delete(interview.id)
    store.close()
    return interview_app


def all_interviews(app: App) -> tuple[Interview, ...]:
    store = app.store()
    try:
        return Interviews(store, app.home).all(now_ms())
    finally:
        store.close()


def test_one_click_starts_and_a_broken_off_interview_is_resumed_closed_and_deleted(
    app: App, browser: Browser
) -> None:
    page = visit(browser, app, "interview")
    page.get_by_role("button", name="Five questions, five minutes").dblclick()
    room = InterviewPage(page, page.url)
    room.begin(0)
    page.keyboard.type("It streams all weights: memory-bound")
    page.keyboard.press("Control+Enter")
    room.expect_state("ready", 1)
    (interview,) = all_interviews(app)
    assert interview.setup == QUICK
    page.get_by_role("button", name="All interviews").click()
    page.get_by_role("button", name="Go on").click()
    room.expect_state("ready", 1)
    page.get_by_role("button", name="All interviews").click()
    page.get_by_role("button", name="Close with what is there").click()
    room.expect_state("review", 0)
    page.keyboard.press("Enter")
    expect(page.get_by_text("broken off and closed", exact=False)).to_be_visible()
    expect(page.locator(".sheet details")).to_have_count(5)
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "> It streams all weights: memory-bound" in text
    assert len(re.findall(r"^### \d\. .*: Not asked$", text, re.MULTILINE)) == 4
    page.get_by_role("link", name="History").click()
    expect(page.get_by_text("asked 1 of 5", exact=False)).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Keep it").click()
    assert len(all_interviews(app)) == 1
    expect(page.get_by_role("button", name="Delete")).to_have_count(1)  # the question has closed
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("No interview yet.")).to_be_visible()
    assert all_interviews(app) == ()
    assert room.errors == []
    page.context.close()
