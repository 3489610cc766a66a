"""The review page as a test sees it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

WAIT_MS = 60_000


class ReviewPage:
    """One tab. `errors` holds every uncaught exception of the page's scripts."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.set_default_timeout(WAIT_MS)
        expect.set_options(timeout=WAIT_MS)
        self.bench = page.locator(".bench")
        self.title = page.locator("article.card .title")
        self.answer = page.locator("article.card .answer")
        self.note = page.locator(".bench .note")
        self.waiting = page.locator(".bench .wait")
        self.done = page.locator(".bench .done")
        self.live = page.locator('.bench [aria-live="polite"]')

    def open(self) -> None:
        self.page.goto(self.url)
        expect(self.bench).to_have_attribute("data-state", "question")

    @property
    def card(self) -> str:
        """The id of the card in view."""
        return self.bench.get_attribute("data-card") or ""

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def expect_card(self, card_id: str, state: str = "question") -> None:
        expect(self.bench).to_have_attribute("data-card", card_id)
        expect(self.bench).to_have_attribute("data-state", state)

    def expect_state(self, state: str) -> None:
        expect(self.bench).to_have_attribute("data-state", state)

    def expect_confirmed(self) -> None:
        """Waits until the server has confirmed everything."""
        expect(self.bench).to_have_attribute("data-pending", "0")

    def answer_card(self, key: str) -> None:
        self.press("Space")
        self.expect_state("answer")
        self.press(key)
