"""The running app and a real browser in front of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from engine.study import settings
from tests.browser.app import App
from tests.browser.chromium import NoChromium, launch
from tests.browser.interview_page import write_deck
from tests.browser.review_page import ReviewPage
from tests.browser.visit import LABS, write_probe_deck

Open = Callable[..., ReviewPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test through a browser that failed is tried once more, and the summary says so (R).

    On two cores a page is now and then drawn anew between a test's look and its click. A fault of ours fails
    twice.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            started = launch(playwright)
        except NoChromium as none:
            if os.environ.get("BENCHCARDS_REQUIRE_BROWSER"):
                raise
            pytest.skip(str(none))
        yield started
        started.close()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An app of the test's own, not started yet: to be killed, or to begin with an empty log."""
    running = App(tmp_path)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def shared_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A running app that many tests share; each works on a deck of its own."""
    running = App(tmp_path_factory.mktemp("home"))
    store = running.store()
    settings.save(store, {"new_per_day": 9999})
    store.close()
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def interview_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A running app for interviews, each of a test's own; one that kills it starts it again."""
    running = App(tmp_path_factory.mktemp("interviews"), labs=LABS)
    write_deck(running.home, 10)
    write_probe_deck(running.home, repeats=5)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def deck(request: pytest.FixtureRequest) -> str:
    """A name for a deck that no other test uses, nor an earlier attempt of this one."""
    attempt = f"{request.node.nodeid} {getattr(request.node, 'execution_count', 1)}"
    return f"test-{hashlib.blake2b(attempt.encode(), digest_size=6).hexdigest()}"


@pytest.fixture
def open_review(browser: Browser) -> Iterator[Open]:
    """Opens the review page of one deck in a new tab: `open_review(app, deck, locale="vi-VN")`."""
    contexts = []

    def open_(
        app: App, deck: str, *, locale: str = "en-US", zone: str = "Asia/Ho_Chi_Minh", **options: Any
    ) -> ReviewPage:
        context = browser.new_context(locale=locale, timezone_id=zone, **options)
        contexts.append(context)
        review = ReviewPage(context.new_page(), f"{app.url}?deck={deck}")
        review.open()
        return review

    yield open_
    for context in contexts:
        context.close()
