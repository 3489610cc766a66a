"""The evidence under an answer: labs run, are cancelled, crash, and are found again, in the real app."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import App
from tests.browser.visit import CARD, COPYING, LABS, PATIENCE_MS, choose, runs_of, visit, write_probe_deck

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def app_with_probe(app: App, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setenv("BENCHCARDS_LABS", str(LABS))
    yield app
    app.stop()


def run_it(page: Page) -> None:
    page.get_by_role("button", name="Run it here").click()
    expect(page.get_by_text(COPYING)).to_be_visible()


def test_a_lab_runs_under_the_answer_to_its_end(app_with_probe: App, browser: Browser) -> None:
    app = app_with_probe
    write_probe_deck(app.home, repeats=120)
    app.start()
    page = visit(browser, app, "?deck=probe")
    page.locator(".reveal").press("Space")
    run_it(page)
    expect(page.get_by_text("measured here", exact=True)).to_be_visible()
    expect(page.locator(".findings li")).to_contain_text("Memory copies at")
    claim = page.locator(".claims tbody").first
    expect(claim.locator(".verdict")).to_have_text("holds")
    expect(claim.locator("td").nth(2)).to_contain_text("ms")
    expect(page.locator('[data-testid="stVegaLiteChart"]').first).to_be_visible()
    # the other claim stands folded: the card's own figure doesn't follow from its inputs
    page.get_by_text("Checked by formula only: 1").click()
    expect(page.locator(".card-off")).to_contain_text("203")
    assert [run.status for run in runs_of(app)] == ["done"]
    # the review goes on
    page.keyboard.press("3")
    expect(page.locator('article.card [lang="zh"]').first).to_be_visible()
    page.context.close()


def test_a_run_is_cancelled_and_said_to_be(app_with_probe: App, browser: Browser) -> None:
    app = app_with_probe
    write_probe_deck(app.home, repeats=2000)
    app.start()
    page = visit(browser, app, f"cards?card={CARD}")
    run_it(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The last run was cancelled.")).to_be_visible()
    expect(page.get_by_role("button", name="Run it here")).to_be_visible()
    (run,) = runs_of(app)
    assert run.status == "cancelled"
    page.context.close()


def test_a_reload_and_another_tab_find_the_run_and_start_no_second_one(
    app_with_probe: App, browser: Browser
) -> None:
    app = app_with_probe
    write_probe_deck(app.home, repeats=2000)
    app.start()
    page = visit(browser, app, f"cards?card={CARD}")
    run_it(page)
    page.reload()
    expect(page.get_by_text(COPYING)).to_be_visible()
    expect(page.get_by_role("button", name="Run it here")).to_have_count(0)
    other = visit(browser, app, "labs")
    expect(other.get_by_text(COPYING)).to_be_visible()
    start = other.locator(".st-key-labs-run-probe button")
    expect(start).to_be_disabled()
    page.context.close()
    # nothing ends because a tab was closed
    (run,) = runs_of(app)
    assert run.status == "running"
    cancel = other.get_by_role("button", name="Cancel")
    expect(cancel).to_have_count(1)  # while a page is drawn anew, what stood there stands beside it
    cancel.click()
    expect(cancel).to_have_count(0)
    expect(start).to_have_count(1)
    expect(start).to_be_enabled()
    other.context.close()


def test_a_lab_killed_mid_run_is_a_failed_run_with_its_reason_and_the_app_goes_on(
    app_with_probe: App, browser: Browser
) -> None:
    app = app_with_probe
    write_probe_deck(app.home, repeats=2000)
    app.start()
    page = visit(browser, app, f"cards?card={CARD}")
    run_it(page)
    (run,) = runs_of(app)
    assert run.process is not None
    os.kill(run.process.pid, signal.SIGKILL)
    expect(page.get_by_text("The memory didn't suffice.", exact=False)).to_be_visible()
    page.get_by_text("Details and log").click()
    expect(page.get_by_text("ended by SIGKILL", exact=False).first).to_be_visible()
    (run,) = runs_of(app)
    assert (run.status, run.failure_code) == ("failed", "out_of_memory")
    run_it(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The last run was cancelled.")).to_be_visible()
    page.context.close()


def test_after_a_failure_the_newest_good_result_stays_in_view(app_with_probe: App, browser: Browser) -> None:
    app = app_with_probe
    write_probe_deck(app.home, repeats=5)
    app.start()
    page = visit(browser, app, f"cards?card={CARD}", locale="vi-VN")
    page.get_by_role("button", name="Chạy trên máy này").click()
    expect(page.get_by_text("đo trên máy này", exact=True)).to_be_visible()
    choose(page, "Kết thúc", "sập", behind=page.get_by_role("button", name="Tuỳ chỉnh"))
    expect(page.get_by_text("Kết thúc: sập")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Chạy trên máy này").click()
    expect(page.get_by_text("Tiến trình của phòng đo kết thúc", exact=False)).to_be_visible()
    expect(page.get_by_text("đo trên máy này", exact=True)).to_be_visible()
    expect(page.locator(".claims .verdict").first).to_have_text("đúng")
    page.context.close()
