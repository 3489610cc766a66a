"""The running app and a real browser in front of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.app import App
from tests.browser.chromium import NoChromium, launch
from tests.browser.review_page import ReviewPage

Open = Callable[..., ReviewPage]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            started = launch(playwright)
        except NoChromium as none:
            pytest.skip(str(none))
        yield started
        started.close()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The app, not started yet."""
    running = App(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def open_review(app: App, browser: Browser) -> Iterator[Open]:
    """Opens the review page of one deck in a new tab: `open_review("test-en", locale="vi-VN")`."""
    contexts = []

    def open_(
        deck: str, *, locale: str = "en-US", zone: str = "Asia/Ho_Chi_Minh", **options: object
    ) -> ReviewPage:
        context = browser.new_context(locale=locale, timezone_id=zone, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page: Page = context.new_page()
        review = ReviewPage(page, f"{app.url}?deck={deck}")
        review.open()
        return review

    yield open_
    for context in contexts:
        context.close()
