"""The settings page: saved at once, refused with words, backed up and restored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from engine.study import settings
from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def kept(app: App) -> settings.StudySettings:
    store = app.store()
    try:
        return settings.load(store)
    finally:
        store.close()


def test_a_setting_is_saved_at_once_and_survives_a_restart(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "settings")
    field = page.get_by_role("spinbutton", name="New cards a day")
    field.fill("7")
    field.press("Enter")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert kept(app).new_per_day == 7
    app.kill()
    app.start()
    page.reload()
    expect(page.get_by_role("spinbutton", name="New cards a day")).to_have_value("7")
    page.context.close()


def test_a_bad_value_is_refused_in_words_and_nothing_changes(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "settings")
    field = page.get_by_role("spinbutton", name="Desired retention")
    field.fill("1.5")
    field.press("Enter")
    expect(page.get_by_text("It must lie between 0.7 and 0.99. Not saved.")).to_be_visible()
    steps = page.get_by_role("textbox", name="Learning steps", exact=True)
    steps.fill("10m 1m")
    steps.press("Enter")
    expect(page.get_by_text("shorter than the step before it", exact=False)).to_be_visible()
    assert kept(app) == settings.StudySettings()
    field.fill("0.85")
    field.press("Enter")
    expect(page.get_by_text("It must lie between 0.7 and 0.99.", exact=False)).to_have_count(0)
    assert kept(app).desired_retention == 0.85
    page.context.close()


def test_the_language_changes_at_once_for_the_whole_page(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "settings", locale="vi-VN")
    expect(page.get_by_role("heading", name="Cài đặt")).to_be_visible()
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_role("heading", name="设置")).to_be_visible()
    expect(page.get_by_role("link", name="复习", exact=True)).to_be_visible()
    page.context.close()


def test_a_deck_left_out_does_not_come_in_the_daily_review(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "settings")
    page.get_by_role("button", name="Profiling và GPU", exact=True).click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert kept(app).decks_left_out == "gpu-profiling-vi"
    page.goto(app.url)
    expect(page.get_by_text("Day 11", exact=False).first).to_be_visible()
    expect(page.get_by_text("Decode chậm", exact=False)).to_have_count(0)
    page.context.close()


def test_a_backup_is_made_and_restored_after_asking(app: App, browser: Browser) -> None:
    app.start()
    page = visit(browser, app, "settings")
    page.get_by_role("button", name="Back up now").click()
    expect(page.get_by_text("Backed up as", exact=False)).to_be_visible()
    field = page.get_by_role("spinbutton", name="New cards a day")
    field.fill("3")
    field.press("Enter")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.get_by_role("button", name="Restore …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("won't count")
    dialog.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_role("spinbutton", name="New cards a day")).to_have_value("20")
    assert kept(app).new_per_day == 20
    assert len(list((app.home / "backups").glob("*before-restore.db"))) == 1
    page.context.close()
