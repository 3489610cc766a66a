"""What the profilers recorded, on the cards: the report beside its prediction, command lines to copy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)


def test_a_report_stands_beside_its_prediction_and_a_command_line_can_be_copied(
    app: App, browser: Browser
) -> None:
    app.start()
    page = visit(browser, app, "cards?card=vi-q4-ncu-occupancy", locale="vi-VN")
    rows = page.locator("table.light tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("GEMV")
    expect(rows.first).to_contain_text("dự đoán")
    expect(rows.first.locator(".meter").first).to_be_visible()
    page.context.close()

    page = visit(browser, app, "cards?card=vi-q3-nsys-live-server")
    expect(page.get_by_text("VLLM_WORKER_MULTIPROC_METHOD=spawn").first).to_be_visible()
    expect(page.get_by_text("--capture-range=cudaProfilerApi").first).to_be_hidden()
    page.get_by_text("More command lines, and what each flag is for").click()
    expect(page.locator(".findings code", has_text="--kill=none")).to_be_visible()
    expect(page.get_by_text("Traceback")).to_have_count(0)
    page.context.close()
