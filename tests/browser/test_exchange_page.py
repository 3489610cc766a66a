"""Out and in on the settings page: the dry run comes first, and an import is one click after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from engine.study import settings
from engine.study.desk import Desk
from engine.study.exchange.files import read
from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS, visit
from tests.study.exchange.machines import machine, study

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def test_a_file_of_another_machine_is_shown_then_taken_and_goes_out_again(
    app: App, browser: Browser, tmp_path: Path
) -> None:
    other = machine(tmp_path / "other")
    other.learner.now = other.learner.now.replace(year=2024)
    study(other, "3412u")
    settings.save(other.store, {"new_per_day": 9})
    file, bad = tmp_path / "other.csv", tmp_path / "bad.json"
    file.write_bytes(other.export("csv"))
    bad.write_bytes(other.export()[:2000])
    states = other.states()
    other.store.close()

    app.start()
    page = visit(browser, app, "settings")
    field = page.locator('input[type="file"]')
    field.set_input_files(bad)
    expect(page.get_by_text("This file can't be imported. Nothing was changed.")).to_be_visible()
    expect(page.get_by_text("ends in the middle", exact=False)).to_be_visible()
    field.set_input_files(file)
    expect(page.get_by_text("Answers: 4 new, 0 here already")).to_be_visible()
    expect(page.get_by_text("New cards a day", exact=True)).to_be_visible()
    store = app.store()
    assert Desk(store).states() == {}
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Imported.", exact=True)).to_be_visible()
    expect(page.get_by_role("spinbutton", name="New cards a day")).to_have_value("9")
    assert Desk(store).states() == states
    store.close()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export as JSON").click()
    out = Path(waiting.value.path()).read_bytes()
    assert [review.nonce for review in read(out, "out").export.reviews] == [
        review.nonce for review in read(file.read_bytes(), "in").export.reviews
    ]
    page.context.close()
