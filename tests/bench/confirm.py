"""From a grade to its confirmation: written to disk by the server and read back by the page.

Baseline: the round trip of a button in a fragment of an empty Streamlit page with our
configuration. Measured twice: on a deck
without labs, and on the project's own decks, where each answer is looked at for a second before it is graded
and its evidence stands below it (the first ones, which import the charts, are not counted). The page paints
the next card before it tells the server; the server's answer is counted from there, as the baseline is.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from engine.store import FILE_NAME, open_store
from engine.study import settings
from tests.bench._paint import spread
from tests.browser.app import ROOT, App
from tests.browser.chromium import launch
from tests.browser.decks import write_deck
from tests.browser.review_page import ReviewPage

ANSWERS = 30
PAUSE_MS = 250
LOOK_MS = 1000
UNCOUNTED = 3
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
    let begun = null, told = null;
    addEventListener("keydown", event => { begun = event.timeStamp; told = null; }, true);
    for (const [owner, name] of [[WebSocket.prototype, "send"], [window, "fetch"]]) {
        const tell = owner[name];
        owner[name] = function (...sent) {
            told ??= performance.now();
            return tell.apply(this, sent);
        };
    }
    new MutationObserver(() => {
        if (bench.dataset.pending !== "0" || begun === null) return;
        const now = performance.now();
        window.confirmed = [now - begun, now - told];
    }).observe(bench, {attributes: true, attributeFilter: ["data-pending"]});
}"""


def round_trips(home: Path, browser: Browser) -> list[float]:
    """The baseline, in ms."""
    script = home / "page.py"
    script.write_text(EMPTY, encoding="utf-8")
    shutil.copytree(ROOT / ".streamlit", home / ".streamlit")
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


def confirmations(
    home: Path, browser: Browser, *, query: str = "", look_ms: int
) -> list[tuple[float, float]]:
    """To the confirmation, in ms: from the grade's key press, and from the message that tells the server."""
    store = open_store(home / FILE_NAME)
    settings.save(store, {"new_per_day": 9999})
    store.close()
    app = App(home)
    app.start()
    review = ReviewPage(browser.new_page(), app.url + query)
    review.open()
    review.page.evaluate(WATCH)
    times = []
    for _ in range(ANSWERS + UNCOUNTED):
        review.press("Space")
        review.page.wait_for_timeout(look_ms)
        review.page.evaluate("window.confirmed = null")
        review.press("4")
        from_key, from_told = review.page.wait_for_function("window.confirmed").json_value()
        times.append((float(from_key), float(from_told)))
        review.page.wait_for_timeout(PAUSE_MS)
    app.stop()
    return times[UNCOUNTED:]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        homes = [Path(folder) / name for name in ("empty", "plain", "ours")]
        for home in homes:
            home.mkdir()
        base = round_trips(homes[0], browser)
        write_deck(homes[1], "bench", cards=ANSWERS + UNCOUNTED + 10)
        plain = confirmations(homes[1], browser, query="?deck=bench", look_ms=PAUSE_MS)
        ours = confirmations(homes[2], browser, look_ms=LOOK_MS)
        browser.close()
    print(f"button in a fragment of an empty page: {spread(base)}")
    for name, times in (("a deck without labs", plain), ("the project's decks, with evidence", ours)):
        keys, answers = [key for key, _ in times], [told for _, told in times]
        ratio = statistics.median(answers) / statistics.median(base)
        print(f"{name}: key to confirmed {spread(keys)}")
        print(f"  the server's answer: {spread(answers)}, {ratio:.2f} x (to reach: {REACH_MS:.0f} ms)")


if __name__ == "__main__":
    main()
