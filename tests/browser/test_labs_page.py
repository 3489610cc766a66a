"""The labs page: levers, runs, one run opened, this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.app import App
from tests.browser.visit import COPYING, LABS, PATIENCE_MS, runs_of, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(autouse=True)
def probe(monkeypatch: pytest.MonkeyPatch, app: App) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(LABS))
    app.start()


def test_a_lab_runs_with_its_levers_and_its_result_can_be_taken_home(
    app: App, browser: Browser, tmp_path: Path
) -> None:
    page = visit(browser, app, "labs")
    lab = page.locator(".st-key-labs-probe")
    repeats = lab.get_by_label("Repeats")
    repeats.fill("200")
    repeats.press("Enter")
    lab.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(COPYING)).to_be_visible()
    expect(page.get_by_text(COPYING)).to_have_count(0)
    (run,) = runs_of(app)
    assert (run.status, run.params["repeats"]) == ("done", 200)
    page.get_by_role("button", name="Open the last result").click()
    expect(page.locator(".findings li")).to_contain_text("Memory copies at")
    page.get_by_role("button", name="All labs").click()
    page.get_by_text("Runs", exact=True).click()
    table = page.locator('[data-testid="stDataFrame"] .dvn-scroller')
    expect(table).to_be_visible()
    table.click(position={"x": 60, "y": 52})
    expect(page.locator(".findings li")).to_contain_text("Memory copies at")
    assert f"run={run.id}" in page.url
    with page.expect_download() as download:
        page.get_by_role("button", name="Result (JSON)").click()
    download.value.save_as(tmp_path / "result.json")
    body = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (body["lab"], body["params"]["repeats"]) == ("probe", 200)
    page.context.close()


def test_the_address_of_a_run_opens_it_and_an_unknown_one_says_so(app: App, browser: Browser) -> None:
    page = visit(browser, app, "labs?run=20260101-000000-00000000")
    expect(page.get_by_text("There is no run 20260101-000000-00000000 here.")).to_be_visible()
    page.get_by_role("button", name="All labs").click()
    expect(page.get_by_role("heading", name="Labs")).to_be_visible()
    page.context.close()


def test_runs_on_one_device_wait_for_each_other_and_say_so(app: App, browser: Browser) -> None:
    page = visit(browser, app, "labs")
    lab = page.locator(".st-key-labs-probe")
    repeats = lab.get_by_label("Repeats")
    repeats.fill("5000")
    repeats.press("Enter")
    lab.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(COPYING)).to_be_visible()
    other = page.locator(".st-key-labs-fusion")
    other.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("In line, place 1", exact=False)).to_be_visible()
    expect(page.get_by_text("two at once would measure each other", exact=False)).to_be_visible()
    cancel = page.get_by_role("button", name="Cancel")
    for left in (1, 0):  # the last one again before it is gone would cancel the same run twice
        cancel.last.click()
        expect(cancel).to_have_count(left)
    assert {run.status for run in runs_of(app)} == {"cancelled"}
    page.context.close()


def test_this_machine_is_described(app: App, browser: Browser) -> None:
    page = visit(browser, app, "labs")
    page.get_by_text("This machine", exact=True).click()
    expect(page.get_by_text("Measured ceilings").first).to_be_visible()
    expect(page.locator("dl").first).to_contain_text("Memory")
    page.context.close()


def test_a_link_that_names_a_lab_brings_it_into_view(app: App, browser: Browser) -> None:
    page = visit(browser, app, "labs?lab=probe")
    lab = page.locator(".st-key-labs-probe")
    expect(lab.get_by_role("heading")).to_be_in_viewport()
    page.goto(f"{app.url}labs?lab=opera")
    expect(page.get_by_text("There is no lab “opera” here.")).to_be_visible()
    page.context.close()
