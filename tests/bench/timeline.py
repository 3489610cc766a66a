"""The timeline with 100,000 events: the time from frame to frame while panning.

Baseline: the same browser's frames on the same page with nothing moving. Three stretches: half of all in
view, a hundredth, and some twenty kernels, each panned by a held key as a person does.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from engine.measure.analyse.timeline import read_timeline
from tests.bench._paint import spread
from tests.browser.chromium import launch
from tests.browser.timeline_app import timeline_app, written_timeline

GROUPS = 33_400
"""Three bars each."""
FRAMES = 90
REACH_MS = 33.0
DRAWN = "canvas => canvas.toDataURL()"
WATCH = """frames => new Promise(done => {
    const times = [];
    let before = null;
    const next = now => {
        if (before !== null) times.push(now - before);
        before = now;
        if (times.length < frames) requestAnimationFrame(next);
        else done(times);
    };
    requestAnimationFrame(next);
})"""

COUNT_COSTS = """() => {
    const ask = window.requestAnimationFrame.bind(window);
    window.costs = [];
    window.requestAnimationFrame = act => ask(now => {
        const begun = performance.now();
        act(now);
        window.costs.push(performance.now() - begun);
    });
}"""
"""From now on `window.costs` holds the milliseconds that the page's scripts took of each frame."""


def frames(page: Page, key: str | None) -> list[float]:
    """Milliseconds between frames, while the key is held."""
    if key is not None:
        page.keyboard.down(key)
    times: list[float] = page.evaluate(WATCH, FRAMES)
    if key is not None:
        page.keyboard.up(key)
    page.wait_for_timeout(400)
    return times


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        path = written_timeline(home / "timeline.bin", GROUPS)
        begun = time.perf_counter()
        opened = read_timeline(path)
        print(f"{opened.bar_count:,} events; opened in {(time.perf_counter() - begun) * 1e3:.1f} ms")
        app = timeline_app(home, path)
        app.start()
        browser = launch(playwright)
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(app.url)
        picture = page.get_by_role("application")
        picture.wait_for(timeout=60_000)
        page.get_by_role("heading", level=3).wait_for()
        picture.focus()
        page.evaluate(COUNT_COSTS)
        still = frames(page, None)
        print(f"nothing moves: {spread(still)}")
        worst = 0.0
        for name, halvings in (("half of it", 1), ("a hundredth", 7), ("some twenty kernels", 11)):
            page.keyboard.press("0")
            page.wait_for_timeout(500)
            for _ in range(halvings):
                page.get_by_role("button", name="Zoom in").click()
                page.wait_for_timeout(320)
            picture.focus()
            page.evaluate("window.costs = []")
            before = picture.evaluate(DRAWN)
            times = frames(page, "d")
            if picture.evaluate(DRAWN) == before:
                raise RuntimeError("the picture didn't move")
            times += frames(page, "a")
            cost = statistics.median(sorted(page.evaluate("window.costs"))[FRAMES * 2 :])
            middle = statistics.median(times)
            worst = max(worst, middle)
            print(
                f"panning, {name} in view: {spread(times)}, {middle / statistics.median(still):.2f} x "
                f"(to reach: {REACH_MS:.0f} ms); drawing takes {cost:.1f} ms of it"
            )
        browser.close()
        app.stop()
    return 0 if worst <= REACH_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
