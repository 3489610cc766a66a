"""From a grade to its confirmation: written to disk by the server and read back by the page.

Baseline: the round trip of a button in a fragment of an empty Streamlit page.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from engine.store import FILE_NAME, open_store
from engine.study import settings
from tests.bench._paint import spread
from tests.browser.app import App
from tests.browser.chromium import launch
from tests.browser.review_page import ReviewPage

ANSWERS = 30
PAUSE_MS = 250
REACH_MS = 60.0

EMPTY = """import streamlit as st

@st.fragment
def part():
    n = st.session_state.setdefault("n", 0)
    if st.button("more"):
        st.session_state["n"] = n = n + 1
    st.write(f"n is {n}")

part()
"""
CLICK = """() => new Promise(resolve => {
    const texts = document.getElementsByClassName("stMarkdown");
    const seen = () => [...texts].map(e => e.textContent).join();
    const before = seen();
    const begun = performance.now();
    const watch = new MutationObserver(() => {
        if (seen() === before) return;
        watch.disconnect();
        resolve(performance.now() - begun);
    });
    watch.observe(document.body, {subtree: true, childList: true, characterData: true});
    document.querySelector("[data-testid=stButton] button").click();
})"""
WATCH = """() => {
    const inside = element => element.shadowRoot?.querySelector(".bench");
    const bench = [...document.querySelectorAll("*")].map(inside).find(Boolean);
    let begun = null;
    addEventListener("keydown", event => { begun = event.timeStamp; }, true);
    new MutationObserver(() => {
        if (bench.dataset.pending !== "0" || begun === null) return;
        window.confirmed = performance.now() - begun;
    }).observe(bench, {attributes: true, attributeFilter: ["data-pending"]});
}"""


def round_trips(home: Path, browser: Browser) -> list[float]:
    """The baseline, in ms."""
    script = home / "page.py"
    script.write_text(EMPTY, encoding="utf-8")
    app = App(home, script)
    app.start()
    page = browser.new_page()
    page.goto(app.url)
    page.get_by_text("n is 0").wait_for()
    page.get_by_role("button", name="more").wait_for()
    times = []
    for _ in range(ANSWERS):
        times.append(float(page.evaluate(CLICK)))
        page.wait_for_timeout(PAUSE_MS)
    page.close()
    app.stop()
    return times


def confirmations(home: Path, browser: Browser) -> list[float]:
    """From the grade's key press to the confirmation, in ms."""
    store = open_store(home / FILE_NAME)
    settings.save(store, {"new_per_day": 9999})
    store.close()
    app = App(home)
    app.start()
    review = ReviewPage(browser.new_page(), app.url)
    review.open()
    review.page.evaluate(WATCH)
    times = []
    for _ in range(ANSWERS):
        review.press("Space")
        review.page.wait_for_timeout(PAUSE_MS)
        review.page.evaluate("window.confirmed = null")
        review.press("4")
        times.append(float(review.page.wait_for_function("window.confirmed").json_value()))
        review.page.wait_for_timeout(PAUSE_MS)
    app.stop()
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        homes = [Path(folder) / name for name in ("empty", "ours")]
        for home in homes:
            home.mkdir()
        base = round_trips(homes[0], browser)
        ours = confirmations(homes[1], browser)
        browser.close()
    print(f"button in a fragment of an empty page: {spread(base)}")
    print(f"grade to confirmed, on disk: {spread(ours)} (to reach: {REACH_MS:.0f} ms)")
    print(f"ratio: {statistics.median(ours) / statistics.median(base):.2f}")


if __name__ == "__main__":
    main()
