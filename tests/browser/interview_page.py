"""An interview in the app's store, and its page as a test sees it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.sync_api import Browser, Page, expect

from engine.interview.draw import Standing
from engine.interview.interviews import Interviews
from engine.interview.question import Interview, Part
from engine.interview.setup import Setup
from engine.study.library import load_library
from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS

DECK = """\
deck:
  id: ask
  title: Asked
  language: en
  document: Test
cards:
"""
CARD = """\
  - id: ask-{number}
    kind: question
    title: Question number {number}
    topics: [decode, topic-{number}]
    prompt: Why is decode number {number} slow?
    answer:
      - heading: Memory-bound
        text: Every step streams all **weights** from memory.
      - heading: Roofline
        text: Its arithmetic intensity lies left of the ridge point.
    key_figures:
      - 16 GB ÷ 3.35 TB/s = 4.8 ms
    follow_ups:
      - prompt: What would a larger batch change?
        answer: The weights are read once for all sequences.
    source: {{section: one}}
"""


def write_deck(home: Path, cards: int) -> None:
    folder = home / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    body = "".join(CARD.format(number=number) for number in range(1, cards + 1))
    (folder / "ask.yaml").write_text(DECK + body, encoding="utf-8")


def now_ms() -> int:
    return int(time.time() * 1000)


def begin(app: App, setup: Setup) -> str:
    """Starts an interview in the app's store, as the page does; returns its id.

    Without a choice of languages it asks cards of `write_deck`.
    """
    setup = setup if setup.languages else replace(setup, decks=("ask",))
    interview_id = uuid4().hex
    store = app.store()
    try:
        library = load_library([app.home / "decks"], lab_names=None, cache=None)
        Interviews(store, app.home).start(interview_id, setup, library, Standing(), now_ms=now_ms())
    finally:
        store.close()
    return interview_id


def kept(app: App, interview_id: str) -> Interview:
    """The interview as it stands in the app's store."""
    store = app.store()
    try:
        found = Interviews(store, app.home).get(interview_id, now_ms())
    finally:
        store.close()
    assert found is not None
    return found


def text_of(app: App, interview_id: str, place: int = 0, part: Part = "main") -> str:
    return kept(app, interview_id).questions[place].draft(part).text


CLOCK = "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.clock')).find(Boolean)"


class InterviewPage:
    """One tab on an interview. `errors` holds every uncaught exception of the page's scripts."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        self.room = page.locator(".room")
        self.clock = page.locator(".room .clock")
        self.notes = page.locator(".room textarea")
        self.number = page.locator(".room #typed-number")
        self.waiting = page.locator(".room .wait")
        self.kept = page.locator(".room .kept")

    def open(self) -> None:
        self.page.goto(self.url)

    def expect_state(self, state: str, place: int | None = None) -> None:
        expect(self.room).to_have_attribute("data-state", state)
        if place is not None:
            expect(self.room).to_have_attribute("data-place", str(place))

    def expect_confirmed(self) -> None:
        """Waits until the server has everything."""
        expect(self.room).to_have_attribute("data-pending", "0")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def begin(self, place: int = 0, state: str = "answering") -> None:
        """Presses Enter where the question waits, once keys meant for the last answer no longer count."""
        self.expect_state("ready", place)
        self.press_until("Enter", state, place)

    def press_until(self, key: str, state: str, place: int) -> None:
        """The page ignores keys for a moment after an answer ends: pressed again until it takes them."""
        before = self.room.get_attribute("data-state")
        taken = (
            "(room, before) => room.dataset.state !== before || room.querySelector('[data-part=go]').disabled"
        )
        for _ in range(100):
            self.press(key)
            if self.room.evaluate(taken, before):
                break  # what the key was meant for is on its way
            self.page.wait_for_timeout(50)
        self.expect_state(state, place)

    def shown_late_ms(self, deadline_ms: int) -> float:
        """How much more time the countdown shows than the wall clock leaves until the stored deadline."""
        shown, now = self.page.evaluate(f"() => [Number({CLOCK}.dataset.left), Date.now()]")
        return float(shown) - (deadline_ms - float(now))

    def wait_until_left(self, ms: int) -> None:
        """Until the countdown shows no more than that, or nothing because time is up."""
        self.page.wait_for_function(f"() => !({CLOCK}.dataset.left >= {ms})", polling=20)

    @property
    def left_ms(self) -> int:
        return int(self.clock.get_attribute("data-left") or "-1")


def open_interview(
    browser: Browser, app: App, interview_id: str, *, blank: bool = False, **options: Any
) -> InterviewPage:
    """A new tab on an interview, or `blank` for now. Close it by `page.page.context.close()`."""
    context = browser.new_context(locale="en-US", timezone_id="Asia/Ho_Chi_Minh", **options)
    found = InterviewPage(context.new_page(), f"{app.url}interview?session={interview_id}")
    if not blank:
        found.open()
    return found
