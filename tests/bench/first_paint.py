"""From `streamlit run` to the first card painted, against an empty Streamlit page started the same way.

Each round starts a server and opens a fresh browser context as soon as it answers; rounds alternate, so that
a busy machine slows both. "Painted" is the second animation frame after the element is there.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.bench._paint import PAINTED
from tests.browser.app import App
from tests.browser.chromium import launch
from tests.browser.decks import write_deck

ROUNDS = 7
REACH = 1.3
EMPTY = "document.querySelector('[data-testid=stMarkdown]')?.textContent.trim() === 'empty'"
CARD = "[...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('article.card .prompt'))"


def seconds(app: App, browser: Browser, there: str) -> float:
    """Seconds from starting the server to `there` (a JavaScript expression) being true and painted."""
    context = browser.new_context(locale="vi-VN", timezone_id="Asia/Ho_Chi_Minh")
    page = context.new_page()
    page.set_default_timeout(60_000)
    begun = time.perf_counter()
    app.start()
    page.goto(app.url, wait_until="commit")
    page.evaluate(PAINTED, there)
    took = time.perf_counter() - begun
    context.close()
    app.stop()
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        empty = home / "empty" / "page.py"
        empty.parent.mkdir()
        empty.write_text("import streamlit as st\n\nst.write('empty')\n", encoding="utf-8")
        browser = launch(playwright)
        write_deck(home, "bench", cards=12)
        first = seconds(App(home), browser, CARD)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(seconds(App(home / "empty", empty), browser, EMPTY))
            ours.append(seconds(App(home), browser, CARD))
        browser.close()
    base, mine = statistics.median(theirs), statistics.median(ours)
    print(f"empty page: {base:.2f} s (median of {ROUNDS}: {min(theirs):.2f} to {max(theirs):.2f})")
    print(f"first card: {mine:.2f} s (median of {ROUNDS}: {min(ours):.2f} to {max(ours):.2f})")
    print(f"very first start, with an empty data folder: {first:.2f} s")
    print(f"ratio: {mine / base:.2f} (to reach: {REACH:.1f} or less)")


if __name__ == "__main__":
    main()
