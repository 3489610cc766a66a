"""From a key to the paint: Space to the answer, a grade to the next card, on the project's own decks.

Baseline: the same key press with nothing to do, which is the wait for the next frame. Then ten cards with
50 ms between keys.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from engine.store import FILE_NAME, open_store
from engine.study import settings
from tests.bench._paint import WATCH_KEYS, spread
from tests.browser.app import App
from tests.browser.chromium import launch
from tests.browser.review_page import ReviewPage

CARDS = 20
PAUSE_MS = 350
"""Between keys, so that no earlier answer is still being confirmed."""
REACH_MS = 16.0


def painted(page: Page, key: str) -> float:
    """Milliseconds from the key press to the frame after it."""
    page.evaluate("window.painted = null")
    page.keyboard.press(key)
    took = page.wait_for_function("window.painted").json_value()
    page.wait_for_timeout(PAUSE_MS)
    return float(took)


def fast(home: Path, review: ReviewPage) -> tuple[int, int]:
    """Ten cards revealed and graded with 50 ms between keys: reviews recorded, cards recorded twice."""
    store = open_store(home / FILE_NAME)
    with store.read() as connection:
        before = connection.exec_driver_sql("SELECT count(*) FROM reviews").scalar_one()
    for _ in range(10):
        for key in ("Space", "4"):
            review.press(key)
            review.page.wait_for_timeout(50)
    review.expect_confirmed()
    with store.read() as connection:
        after = connection.exec_driver_sql("SELECT count(*) FROM reviews").scalar_one()
        twice = connection.exec_driver_sql(
            "SELECT count(*) FROM (SELECT card_id FROM reviews GROUP BY card_id, version HAVING count(*) > 1)"
        ).scalar_one()
    store.close()
    return after - before, twice


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        store = open_store(home / FILE_NAME)
        settings.save(store, {"new_per_day": 9999})
        store.close()
        app = App(home)
        app.start()
        browser = launch(playwright)
        page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="vi-VN").new_page()
        review = ReviewPage(page, app.url)
        review.open()
        page.evaluate(WATCH_KEYS)
        nothing = [painted(page, "F8") for _ in range(CARDS)]
        reveals, grades = [], []
        for _ in range(CARDS):
            reveals.append(painted(page, "Space"))
            grades.append(painted(page, "4"))
        review.expect_confirmed()
        recorded, twice = fast(home, review)
        browser.close()
        app.stop()
    base = statistics.median(nothing)
    print(f"key with nothing to do: {spread(nothing)}")
    for name, times in (("Space to the answer", reveals), ("grade to the next card", grades)):
        ratio = statistics.median(times) / base
        print(f"{name}: {spread(times)}, {ratio:.2f} x (to reach: {REACH_MS:.0f} ms)")
    print(f"ten cards at 50 ms between keys: {recorded} of 10 recorded, {twice} twice")


if __name__ == "__main__":
    main()
