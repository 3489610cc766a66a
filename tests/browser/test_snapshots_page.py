"""A run that left memory snapshots: their pictures, what the analyser says of each, the files themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from engine.measure.analyse.memory import analyse_snapshot
from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS, runs_of, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)
LABS = Path(__file__).parent / "memory_labs"


def test_a_snapshot_is_drawn_told_and_taken_home(
    app: App, browser: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BENCHCARDS_LABS", str(LABS))
    app.start()
    page = visit(browser, app, "labs", locale="vi-VN")
    page.locator(".st-key-labs-leaves_snapshot").get_by_role("button", name="Chạy", exact=True).click()
    for _ in range(100):
        if [run for run in runs_of(app) if run.is_over]:
            break
        page.wait_for_timeout(200)
    (run,) = runs_of(app)
    assert run.status == "done"
    page.goto(f"{app.url}labs?run={run.id}")
    expect(page.get_by_text("Các block nằm ở đâu")).to_be_visible()
    charts = page.locator('[data-testid="stVegaLiteChart"]')
    expect(charts).to_have_count(2)
    expect(charts.last.locator("canvas, svg").first).to_be_visible()
    # the program in which something fails is shown first
    expect(page.get_by_role("combobox")).to_have_value("mảnh nhỏ sống sót · allocator mặc định")
    page.get_by_text("Các file của lần chạy này").click()
    said = page.locator(".findings li")
    expect(said.first).to_contain_text("Rò rỉ: server/trace.py:27 keep để lại")
    expect(said.nth(1)).to_contain_text("Phân mảnh: yêu cầu")
    with page.expect_download() as download:
        page.get_by_role("button", name="Tải về").first.click()
    taken = tmp_path / "taken.pickle"
    download.value.save_as(taken)
    assert analyse_snapshot(taken).findings[0].code == "leak"
    # the same file among the learner's own
    page.get_by_role("button", name="Mở trong Tệp của bạn").first.click()
    expect(page.locator(".lead")).to_contain_text("Rò rỉ: server/trace.py:27 keep để lại")
    expect(page.get_by_text("Stack gây ra chuyện này")).to_be_visible()
    page.context.close()
