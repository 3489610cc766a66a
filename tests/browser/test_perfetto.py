"""Perfetto, served by the app itself: the trace of an analysis with a gap in view, and nobody else asked."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from app_pages.perfetto import perfetto_url
from engine.measure.analyse.jobs import Analyses
from tests.browser.app import App
from tests.measure.analyse.samples import trace
from tests.measure.waiting import until

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
VIEW = """() => {
    const trace = window.app && window.app.trace;
    if (!trace) return null;
    const span = trace.timeline.visibleWindow.toTimeSpan();
    return [String(span.start), String(span.end)];
}"""


@pytest.fixture
def analyses(shared_app: App) -> Iterator[Analyses]:
    """The analyses of the app's own data folder, opened beside it."""
    opened = Analyses(shared_app.home / "files")
    yield opened
    opened.close()


def analysed(analyses: Analyses, name: str, content: bytes) -> str:
    analysis = analyses.take_upload(name, [content])
    until(lambda: analyses.state(analysis).is_over)
    assert analyses.state(analysis).status in ("done", "failed")
    return analysis


def answer(app: App, path: str, host: str = "127.0.0.1") -> tuple[int, dict[str, str], bytes]:
    """What the app answers to a path as it stands there: a browser would tidy it up first."""
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", f"{host}:{app.port}")
    connection.putheader("Accept-Encoding", "gzip")
    connection.endheaders()
    with connection.getresponse() as response:
        found = (
            response.status,
            {name.lower(): value for name, value in response.headers.items()},
            response.read(),
        )
    connection.close()
    return found


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_a_trace_opens_with_the_gap_in_view_and_nobody_else_is_asked(
    shared_app: App, browser: Browser, analyses: Analyses, name: str
) -> None:
    content = gzip.compress(trace()) if name.endswith(".gz") else trace()
    analysis = analysed(analyses, name, content)
    (device,) = analyses.result(analysis)["devices"]
    gap = device["gaps"]["longest"][0]
    start = device["start_ns"] + round(gap["start_us"] * 1000)
    end = start + round(gap["duration_us"] * 1000)
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page.goto(shared_app.url + perfetto_url(analysis, start, end)[1:])
    page.wait_for_function(VIEW, timeout=PATIENCE_MS)
    seen = [int(value) for value in page.wait_for_function(VIEW, timeout=PATIENCE_MS).json_value()]
    print(start, end, seen, asked)
    page.screenshot(path="/tmp/jobs-perfetto.png")
    assert seen[0] <= start < end <= seen[1]
    context.close()
