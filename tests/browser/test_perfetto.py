"""Perfetto, served by the app itself: the trace of an analysis with a gap in view, and nobody else asked."""

from __future__ import annotations

import gzip
import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from app_pages.perfetto import perfetto_url
from engine.measure.analyse.jobs import Analyses
from tests.browser.app import App
from tests.measure.analyse.samples import ncu, trace
from tests.measure.waiting import until

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
SEEN = """([start, end]) => {
    const trace = window.app && window.app.trace;
    if (!trace) return false;
    const span = trace.timeline.visibleWindow.toTimeSpan();
    return String(span.start) === start && String(span.end) === end;
}"""


@pytest.fixture(scope="module")
def analyses(shared_app: App) -> Iterator[Analyses]:
    """The analyses of the app's own data folder, opened beside it."""
    opened = Analyses(shared_app.home / "files")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def a_trace(analyses: Analyses) -> str:
    """The id of a trace that was analysed."""
    return analysed(analyses, "t.json", trace())


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


def a_gap(analyses: Analyses, analysis: str) -> tuple[int, int]:
    """Start and end of one in the middle, on the file's own clock."""
    (device,) = analyses.result(analysis)["devices"]
    gap = device["gaps"]["longest"][9]
    start = device["start_ns"] + round(gap["start_us"] * 1000)
    return start, start + round(gap["duration_us"] * 1000)


@pytest.mark.parametrize(
    ("name", "locale", "gap"), [("t.json", "en-US", "Gap"), ("t.json.gz", "vi-VN", "Khoảng trống")]
)
def test_a_trace_opens_with_the_gap_in_view_and_nobody_else_is_asked(
    shared_app: App, browser: Browser, analyses: Analyses, name: str, locale: str, gap: str
) -> None:
    content = gzip.compress(trace()) if name.endswith(".gz") else trace()
    analysis = analysed(analyses, name, content)
    start, end = a_gap(analyses, analysis)
    context = browser.new_context(locale=locale)
    page = context.new_page()
    elsewhere: set[str] = set()
    refused: set[str] = set()
    context.on("request", lambda request: elsewhere.add(request.url))
    context.on(
        "requestfailed", lambda request: refused.add(request.url) if request.failure == "csp" else None
    )
    page.goto(shared_app.url + perfetto_url(analysis, start, end)[1:])
    margin = (end - start) // 4
    page.wait_for_function(
        SEEN,
        arg=[str(start - margin), str(end + margin)],
        timeout=PATIENCE_MS,
    )
    page.wait_for_function(
        "gap => window.app.trace.workspace.pinnedTracks.some(track => track.name === gap)",
        arg=gap,
        timeout=PATIENCE_MS,
    )
    allowed = (shared_app.url, "data:", "blob:")
    assert {url for url in elsewhere - refused if not url.startswith(allowed)} == set()
    context.close()


def test_the_trace_is_handed_out_as_it_lies_there(shared_app: App, analyses: Analyses) -> None:
    content = gzip.compress(trace())
    analysis = analysed(analyses, "t.json.gz", content)
    status, headers, body = answer(shared_app, f"/perfetto/trace/{analysis}/t.json.gz")
    assert (status, body) == (200, content)
    assert headers["content-encoding"] == "identity"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_a_trace_that_was_cut_off_is_handed_out_closed(shared_app: App, analyses: Analyses) -> None:
    analysis = analysed(analyses, "t.json", trace()[:-100])
    assert "broken_end" in {warning["code"] for warning in analyses.result(analysis)["warnings"]}
    status, headers, body = answer(shared_app, f"/perfetto/trace/{analysis}/t.json")
    assert (status, headers["content-encoding"]) == (200, "identity")
    whole = json.loads(trace())["traceEvents"]
    assert json.loads(body)["traceEvents"] == whole[:-1]


def test_the_interface_is_kept_by_the_browser_and_may_talk_to_the_app_alone(shared_app: App) -> None:
    status, headers, body = answer(shared_app, "/perfetto/")
    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert "connect-src 'self' data: blob:" in headers["content-security-policy"]
    version = re.search(rb'"stable":"([^"]+)"', body)
    assert version is not None
    status, headers, _ = answer(shared_app, f"/perfetto/{version[1].decode()}/frontend_bundle.js")
    assert (status, headers["content-encoding"]) == (200, "identity")
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize(
    "path",
    [
        "/perfetto/../../../../../../../etc/passwd",
        "/perfetto/..%2f..%2f..%2fviewer.py",
        "/perfetto/%2e%2e/viewer.py",
        "/perfetto//etc/passwd",
        "/perfetto/v52/..\\..\\viewer.py",
        "/perfetto/service_worker.js",
        "/perfetto/trace_processor",
        "/perfetto/trace/ID/../../../benchcards.db",
        "/perfetto/trace/ID%2f..%2f..%2fbenchcards.db/x",
        "/perfetto/trace/..%2f..%2fbenchcards.db/x",
        "/perfetto/trace/20261129-000000000000-0123456789abcdef/x",
        "/perfetto/open/..",
        "/perfetto/open/20261129-000000000000-0123456789abcdef",
    ],
)
def test_nothing_else_is_handed_out(shared_app: App, a_trace: str, path: str) -> None:
    status, _, body = answer(shared_app, path.replace("ID", a_trace))
    assert status in (307, 400, 404)
    assert b"root:" not in body
    assert b"SQLite" not in body
    assert b"import " not in body


def test_only_a_trace_that_was_read_is_handed_out(
    shared_app: App, analyses: Analyses, tmp_path: Path
) -> None:
    own = tmp_path / "own.json"
    own.write_bytes(trace())
    report = analysed(analyses, "report.csv", ncu())
    refused = analysed(analyses, "words.txt", b"once upon a time")
    moved = analyses.submit(own)
    until(lambda: analyses.state(moved).is_over)
    own.unlink()
    for analysis in (report, refused, moved):
        for path in (f"/perfetto/trace/{analysis}/x", f"/perfetto/open/{analysis}"):
            status, _, body = answer(shared_app, path)
            assert (status, b"isn't here any more" in body) == (404, True)


@pytest.mark.parametrize(
    "span", ["start=x&end=y", "start=5&end=4", "start=1&end=2", f"start=-{10**30}&end={10**30}", "start=1"]
)
def test_a_time_that_is_none_of_the_trace_opens_all_of_it(shared_app: App, a_trace: str, span: str) -> None:
    status, headers, _ = answer(shared_app, f"/perfetto/open/{a_trace}?{span}")
    assert status == 303
    assert headers["location"].startswith(
        f"/perfetto/#!/?url=http%3A%2F%2F127.0.0.1%3A{shared_app.port}%2Fperfetto%2F"
    )
    assert "visStart" not in headers["location"]


def test_a_page_elsewhere_cannot_have_a_trace_by_a_rebound_name(shared_app: App, a_trace: str) -> None:
    for path in (f"/perfetto/trace/{a_trace}/x", f"/perfetto/open/{a_trace}", "/perfetto/"):
        assert answer(shared_app, path, host="evil.example")[0] == 403
