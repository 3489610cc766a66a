"""Opening any page of the app, and a deck whose card links the lab of the tests."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, TimeoutError

from engine.measure import line
from engine.measure.line import Run
from tests.browser.app import App

LABS = Path(__file__).parent / "labs"
PATIENCE_MS = 60_000
"""A machine that is busy with other tests is slow; nothing here measures."""

COPYING = re.compile(r"^Copying · ")
"""The stage that the lab `probe` says while it copies."""

CARD = "probe-copy"
DECK = """\
deck:
  id: probe
  title: Probe
  language: vi
  document: Test
cards:
  - id: probe-copy
    kind: question
    title: Chép 8 MiB mất bao lâu?
    priority: high
    topics: [memory]
    prompt: Ước lượng trước khi đo.
    answer:
      - heading: Vài mili giây
        text: Đọc một lần, ghi một lần.
    labs:
      - {name: probe, set: {repeats: "REPEATS", pause: "0.05"}}
    source: {section: one}
    claims:
      - id: copy
        label: Thời gian chép 8 MiB
        says: {low: 0.001, high: 10000, unit: ms}
        measured: {lab: probe, metric: time, labels: {variant: once}}
      - id: ridge
        label: Điểm gãy của T4
        says: {value: 153, unit: FLOP/B, on: t4}
        formula: peak_fp16 / memory_bandwidth
  - id: probe-shared-memory
    kind: term
    title: 共享内存与寄存器
    language: zh
    prompt: 共享内存在哪里?
    answer:
      - heading: 片上
        text: 每个 SM 一份。
    source: {section: two}
"""


def write_probe_deck(home: Path, repeats: int) -> None:
    """A deck with one card that runs the lab `probe` so many times, and one in Chinese."""
    folder = home / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "probe.yaml").write_text(DECK.replace("REPEATS", str(repeats)), encoding="utf-8")


def visit(browser: Browser, app: App, path: str, *, locale: str = "en-US", width: int = 1280) -> Page:
    """A new tab on a page of the app. Close it by `page.context.close()`."""
    context = browser.new_context(
        locale=locale, timezone_id="Asia/Ho_Chi_Minh", viewport={"width": width, "height": 1000}
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(app.url + path)
    return page


def choose(page: Page, box: str, option: str | re.Pattern[str], *, behind: Locator | None = None) -> None:
    """Picks an option of the box with that label, which may stand in what a click on `behind` opens.

    Opened again where the page was drawn anew in between, as it is after a change or when a run has ended.
    """
    found = page.get_by_role("combobox", name=box, exact=True)
    for _ in range(10):
        try:
            if behind is not None and not found.is_visible():
                behind.click(timeout=5000)
            found.click(timeout=5000)
            wanted = page.get_by_role("option", name=option).first
            if isinstance(option, str) and not comes(wanted):
                found.fill(option, timeout=5000)  # a long list holds only what is near its top
            wanted.click(timeout=5000)
        except TimeoutError:
            page.keyboard.press("Escape")
            continue
        return
    raise AssertionError(f"{option!r} could not be chosen in {box!r}")


def comes(wanted: Locator, within_ms: int = 2000) -> bool:
    """Whether it is in view before so long."""
    try:
        wanted.wait_for(timeout=within_ms)
    except TimeoutError:
        return False
    return True


def soon(read: Callable[[], object], wanted: object) -> None:
    """Waits until what is read is what is wanted: for what is written while the page goes on."""
    ends = time.monotonic() + PATIENCE_MS / 1000
    while (found := read()) != wanted:
        assert time.monotonic() < ends, f"{found!r} is not {wanted!r}"
        time.sleep(0.1)


def runs_of(app: App) -> list[Run]:
    """The runs in the app's store, newest first."""
    store = app.store()
    try:
        with store.read() as connection:
            return list(line.recent(connection, None, 50))
    finally:
        store.close()
