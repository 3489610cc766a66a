"""The timeline in a real browser: gaps by key, their words, search, table, and what the page hears of it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.app import App
from tests.browser.timeline_app import timeline_app, written_timeline
from tests.browser.visit import PATIENCE_MS

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

FEW, MANY = 1500, 50_500
"""Groups of three bars. Of the many, more bars than are drawn at once: the shortest are merged."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, Path]]:
    """An app that shows whatever timeline lies at the path."""
    home = tmp_path_factory.mktemp("timeline")
    path = written_timeline(home / "timeline.bin", FEW)
    app = timeline_app(home, path)
    app.start()
    yield app, path
    app.stop()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        locale="en-US", viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def opened(page: Page, app: App) -> Locator:
    """The picture, focused."""
    page.goto(app.url)
    picture = page.get_by_role("application", name="Timeline: CPU threads above, GPU streams below")
    expect(picture).to_be_visible(timeout=PATIENCE_MS)
    picture.focus()
    return picture


def told(page: Page) -> Locator:
    return page.locator("[data-part=told] h3")


def selected(page: Page, gap: int | None) -> None:
    expect(page.get_by_text(f"selected: {gap}", exact=True)).to_be_visible(timeout=PATIENCE_MS)


def test_gaps_by_key_search_and_table_and_the_page_hears_which_is_selected(
    served: tuple[App, Path], page: Page
) -> None:
    app, _ = served
    picture = opened(page, app)
    # the longest is told at the beginning, and the page knows it
    expect(told(page)).to_have_text(re.compile(r"^Gap 1: 54\.8\sµs, <\s0\.1% of all gap time of GPU 0$"))
    selected(page, 1399)
    page.keyboard.press("n")
    expect(told(page)).to_contain_text("Gap 1:")
    page.keyboard.press("n")
    expect(told(page)).to_contain_text("Gap 2:")
    expect(page.get_by_text("Overhead: the GPU was idle")).to_be_visible()
    selected(page, 1299)
    page.keyboard.press("Shift+N")
    expect(told(page)).to_contain_text("Gap 1:")
    selected(page, 1399)
    for gap in (1299, 1199):
        page.keyboard.press("n")
        selected(page, gap)
    expect(told(page)).to_contain_text("Gap 3:")
    # the address holds it; a reload comes back to it, in view
    page.reload()
    expect(told(page)).to_contain_text("Gap 3:")
    selected(page, 1199)
    picture.focus()
    page.keyboard.press("n")
    expect(told(page)).to_contain_text("Gap 4:")
    selected(page, 1099)
    page.keyboard.press("Escape")
    selected(page, None)

    # keys that are typed into the search are its own
    page.keyboard.press("/")
    page.keyboard.type("kernel_2 n")
    expect(page.get_by_text("Nothing has this in its name")).to_be_visible()
    page.get_by_role("searchbox").fill("KERNEL_2")
    expect(page.get_by_text("– of 250")).to_be_visible()
    page.keyboard.press("Enter")
    expect(told(page)).to_have_text("void kernel_2<float>(int)")
    expect(page.get_by_text("launched by cudaLaunchKernel, 7\xa0µs before it began")).to_be_visible()
    page.keyboard.press("Escape")
    expect(picture).to_be_focused()

    page.get_by_text("The longest gaps as a table").click()
    expect(page.locator("tbody tr")).to_have_count(50)
    row = page.get_by_role("row").nth(3)
    expect(row).to_contain_text("aten::")
    page.get_by_role("button", name="Show gap 3", exact=True).click()
    expect(told(page)).to_contain_text("Gap 3:")
    expect(row).to_have_attribute("aria-current", "true")
    selected(page, 1199)


def test_a_gap_is_selected_by_a_click_and_one_that_is_not_among_the_longest_told_a_moment_later(
    served: tuple[App, Path], page: Page
) -> None:
    app, _ = served
    picture = opened(page, app)
    page.keyboard.press("n")
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Zoom out").click()
    box = picture.bounding_box()
    assert box is not None
    # below axis, caption, two lanes of the thread, and the caption of the gaps
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 26 + 20 + 2 * 17 + 8 + 20 + 9)
    expect(told(page)).to_have_text(re.compile(r"^Gap \d+: 40\.8\sµs"))
    expect(page.get_by_text("Two ways to shrink it")).to_be_visible()
    expect(page.get_by_text("Reading what the CPU did")).to_be_hidden()


def test_bars_that_were_merged_are_drawn_one_by_one_when_zoomed_in(
    served: tuple[App, Path], page: Page
) -> None:
    app, path = served
    written_timeline(path, MANY)
    picture = opened(page, app)
    expect(page.get_by_text("Zoomed in, each is drawn.")).to_be_visible()
    page.keyboard.press("n")
    box = picture.bounding_box()
    assert box is not None
    # the operators are the first lane, below the axis and the caption of their thread
    x, y = box["x"] + box["width"] * 0.62, box["y"] + 24 + 2 + 20 + 8

    def one_by_one() -> None:
        page.mouse.click(x, y)
        expect(page.locator("[data-part=told]")).to_contain_text("38.5\xa0µs, from", timeout=500)

    for _ in range(20):
        with contextlib.suppress(AssertionError):
            one_by_one()
            break
    one_by_one()
