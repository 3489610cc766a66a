"""Own files on the page: dropped in or named by path, read, looked into, made into cards, compared."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import App
from tests.browser.visit import PATIENCE_MS, choose, visit
from tests.measure.analyse.nsys_export import decode
from tests.measure.analyse.samples import ncu

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
expect.set_options(timeout=PATIENCE_MS)
KERNEL = "void gemv<float>(float*)"


def trace(step_us: int, *, steps: int = 40) -> dict[str, Any]:
    """Steps of one operator that launches one kernel of 10 µs; the GPU waits for the next launch."""
    events: list[dict[str, Any]] = []
    for step in range(steps):
        start = 1000 + step * step_us
        own = {"ph": "X", "pid": 7, "tid": 7}
        launch = {"correlation": step + 1}
        events += [
            {**own, "cat": "cpu_op", "name": "aten::linear", "ts": start, "dur": step_us - 4, "args": {}},
            {
                **own,
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "ts": start + 6,
                "dur": 5,
                "args": launch,
            },
            {
                "ph": "X",
                "cat": "kernel",
                "name": KERNEL,
                "pid": 0,
                "tid": 3,
                "ts": start + 14,
                "dur": 10,
                "args": {**launch, "device": 0, "stream": 3},
            },
        ]
    return {"traceEvents": events}


def write(path: Path, body: dict[str, Any]) -> Path:
    path.write_bytes(gzip.compress(json.dumps(body).encode()))
    return path


def by_path(page: Page, path: Path) -> None:
    page.get_by_role("textbox", name="Or its path on this machine").fill(str(path))
    page.get_by_role("button", name="Analyse", exact=True).click()


def test_a_trace_is_dropped_in_diagnosed_made_a_card_and_compared(
    app: App, browser: Browser, tmp_path: Path
) -> None:
    app.start()
    page = visit(browser, app, "analyse")
    slow = write(tmp_path / "before.json.gz", trace(100))
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(slow)
    expect(page.locator(".lead")).to_contain_text("Overhead-bound")
    expect(page.locator(".lead")).to_contain_text("aten::linear → cudaLaunchKernel")
    # the gap that is gone to by key, told in words, and made a card with its picture
    expect(page.get_by_role("link", name="Open in Perfetto")).to_have_attribute(
        "href", re.compile(r"/perfetto/open/")
    )
    page.locator("canvas[data-part=canvas]").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.get_by_text(re.compile(r"^Gap [23]:"))).to_be_visible()
    page.get_by_role("button", name="Make a card of this").first.click()
    page.get_by_role("link", name="Open it").click()
    expect(page.locator(".points img")).to_have_attribute("src", re.compile("^data:image/svg"))
    deck = app.home / "decks" / "my-files.yaml"
    assert "aten::linear" in deck.read_text(encoding="utf-8")
    # a second one, by its path, beside the first
    page.goto(f"{app.url}analyse")
    by_path(page, write(tmp_path / "after.json.gz", trace(20)))
    expect(page.locator(".lead")).to_be_visible()
    choose(page, "Compare with an earlier trace", re.compile("before.json.gz"))
    expect(page.get_by_role("region", name="What moved")).to_contain_text("Busy ratio")
    page.context.close()


def test_what_can_not_be_read_is_refused_in_words_and_the_page_goes_on(
    app: App, browser: Browser, tmp_path: Path
) -> None:
    app.start()
    page = visit(browser, app, "analyse", locale="vi-VN")
    expect(page.get_by_role("heading", name="Tệp của bạn")).to_be_visible()
    bad = tmp_path / "armed.pickle"
    bad.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "run").encode() + b"'\ntR.")
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(bad)
    expect(page.get_by_text("Không dùng được tệp này.")).to_be_visible()
    expect(page.get_by_text("armed.pickle:")).to_be_visible()
    assert not (tmp_path / "run").exists()
    page.get_by_role("button", name="Tất cả tệp").click()
    page.get_by_role("textbox", name="Hoặc đường dẫn trên máy này").fill(str(tmp_path / "absent.json"))
    page.get_by_role("button", name="Phân tích", exact=True).click()
    expect(page.get_by_text("absent.json: ở đây không có tệp nào như thế.")).to_be_visible()
    page.context.close()


def test_a_report_is_set_against_the_roofline_and_a_capture_becomes_a_card(
    app: App, browser: Browser, tmp_path: Path
) -> None:
    app.start()
    page = visit(browser, app, "analyse")
    report = tmp_path / "gemv.csv"
    report.write_bytes(ncu())
    by_path(page, report)
    expect(page.locator(".lead")).to_contain_text("no Speed Of Light pair")
    page.get_by_text("What the roofline expects of it").click()
    choose(page, "Predict as if on", "H200 SXM 141 GB")
    page.get_by_text("Elementwise, copy").click()
    for label, size in (("numbers", 1_000_000), ("inputs of that size", 2), ("outputs of that size", 1)):
        field = page.get_by_role("spinbutton", name=label)
        field.fill(str(size))
        field.press("Enter")
    expect(page.get_by_text(re.compile(r"6\sMB that it has to move"))).to_be_visible()
    page.goto(f"{app.url}analyse")
    by_path(page, decode(20, cost=6000, kernel=3000).write(tmp_path / "decode.sqlite"))
    page.get_by_role("button", name="Make a card of this").click()
    page.get_by_role("link", name="Open it").click()
    expect(page.locator("img").first).to_have_attribute("src", re.compile("^data:image/svg"))
    page.context.close()
