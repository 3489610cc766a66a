"""What the web process loads, and what the browser is given."""

from __future__ import annotations

import http.client
import sys

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.conftest import Open
from tests.browser.decks import write_deck

pytestmark = pytest.mark.browser

HEAVY = ("torch", "pandas", "pyarrow", "numpy", "pydantic_core", "_yaml", "transformers")


@pytest.mark.skipif(sys.platform != "linux", reason="reads what is mapped into another process")
def test_a_review_needs_no_heavy_package(app: App, open_review: Open, deck: str) -> None:
    write_deck(app.home, deck)
    app.start()
    open_review(app, deck)
    app.stop()  # the first start reads the decks; from the second on they are kept
    app.start()
    review = open_review(app, deck)
    review.answer_card("4")
    review.expect_confirmed()
    assert app.process is not None
    mapped = [file.path for file in psutil.Process(app.process.pid).memory_maps()]
    loaded = {name for name in HEAVY if any(f"/{name}/" in path or f"/{name}." in path for path in mapped)}
    assert loaded == set()


def test_nothing_is_fetched_from_elsewhere(shared_app: App, open_review: Open, deck: str) -> None:
    write_deck(shared_app.home, deck)
    review = open_review(shared_app, deck)
    asked: list[str] = []
    review.page.on("request", lambda request: asked.append(request.url))
    review.open()
    review.answer_card("4")
    review.expect_confirmed()
    elsewhere = [url for url in asked if not url.startswith((shared_app.url, "data:", "blob:"))]
    assert elsewhere == []


def test_the_shipped_chinese_font_can_be_had(shared_app: App, open_review: Open, deck: str) -> None:
    write_deck(shared_app.home, deck, language="zh")
    review = open_review(shared_app, deck, locale="zh-CN")
    for weight in (400, 650):
        loaded = review.page.evaluate(
            """async weight => {
                const faces = await document.fonts.load(`${weight} 16px "Benchcards SC"`, "显存带宽");
                return faces.map(face => face.status);
            }""",
            weight,
        )
        assert loaded == ["loaded"]


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 101), ("evil.example", 403)])
def test_a_page_elsewhere_cannot_reach_the_app_by_a_rebound_name(
    shared_app: App, host: str, status: int
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shared_app.port, timeout=20)
    connection.putrequest("GET", "/_stcore/stream", skip_host=True)
    for name, value in (
        ("Host", f"{host}:{shared_app.port}"),
        ("Origin", f"http://{host}:{shared_app.port}"),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Version", "13"),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_it_without_scrolling_sideways(
    shared_app: App, open_review: Open, deck: str, scheme: str
) -> None:
    write_deck(shared_app.home, deck)
    review = open_review(
        shared_app, deck, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme=scheme
    )
    review.page.locator(".reveal").tap()
    review.expect_state("answer")
    assert review.page.evaluate("document.documentElement.scrollWidth") <= 390
    for number in range(1, 5):
        box = review.page.locator(f'[data-grade="{number}"]').bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
        assert box["y"] + box["height"] <= 844, "the grades stay in reach of the thumb"
    review.page.wait_for_timeout(250)
    review.page.locator('[data-grade="3"]').tap()
    expect(review.title).to_have_text("Question number 2")
