"""The interview's countdown against the wall clock, over five minutes of what users do to a page.

Every few seconds the countdown on the screen is held against the deadline that the database holds; in between
the page is reloaded, left for another page, opened in a second tab, and the server is killed and started
again. To reach: never more than 0.5 s off.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from engine.interview.setup import Setup
from tests.browser.app import App
from tests.browser.chromium import launch
from tests.browser.interview_page import InterviewPage, begin, kept, open_interview, write_deck

SECONDS = 300
REACH_MS = 500
EVERY_S = 12.0


def reload(page: InterviewPage, _app: App) -> None:
    page.page.reload()


def another_page(page: InterviewPage, _app: App) -> None:
    page.page.get_by_role("link", name="Cards").click()
    expect(page.page.get_by_role("heading", name="Cards")).to_be_visible()
    page.page.go_back()


def restart(page: InterviewPage, app: App) -> None:
    app.kill()
    page.page.wait_for_timeout(2000)
    app.start()


def second_tab(page: InterviewPage, _app: App) -> None:
    other = page.page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".room")).to_have_attribute("data-state", "answering")
    other.close()


def nothing(_page: InterviewPage, _app: App) -> None:
    return


TROUBLES: tuple[Callable[[InterviewPage, App], None], ...] = (
    nothing,
    reload,
    another_page,
    restart,
    second_tab,
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = App(Path(folder))
        write_deck(app.home, 1)
        app.start()
        browser = launch(playwright)
        interview_id = begin(
            app, Setup(mode="real", questions=1, seconds=SECONDS, thinking=0, follow_ups=False)
        )
        page = open_interview(browser, app, interview_id)
        page.begin()
        deadline = kept(app, interview_id).questions[0].clock.deadline_ms
        if deadline is None:
            raise AssertionError("the clock doesn't run")
        off: dict[str, list[float]] = {}
        turn = 0
        while time.time() * 1000 < deadline - 2 * EVERY_S * 1000:
            trouble = TROUBLES[turn % len(TROUBLES)]
            turn += 1
            trouble(page, app)
            page.expect_state("answering", 0)
            off.setdefault(trouble.__name__, []).append(page.shown_late_ms(deadline))
            page.page.wait_for_timeout(EVERY_S * 1000)
            off[trouble.__name__].append(page.shown_late_ms(deadline))
        expect(page.room).to_have_attribute("data-state", "review", timeout=60_000)
        used = kept(app, interview_id).questions[0].clock.used_ms
        browser.close()
        app.stop()
    for name, values in off.items():
        worst = max(values, key=abs)
        print(f"{name}: {len(values)} looks, at most {abs(worst):.0f} ms off")
    worst = max((abs(value) for values in off.values() for value in values), default=float("nan"))
    print(f"answer ended after {used} ms of {SECONDS * 1000}")
    print(f"most: {worst:.0f} ms off over {SECONDS} s (to reach: {REACH_MS} or less)")


if __name__ == "__main__":
    main()
