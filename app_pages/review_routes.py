"""Takes answers, undos and changes from the review page's component, and says what comes next.

Streamlit would run the page's script for each and send the whole component again: three times as long. What
the script alone can draw, the evidence, is asked of it as before; and so is everything where this route says
no, so that it may: the operations are the same, and each is carried out once.
"""

from __future__ import annotations

import json
import logging

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app_pages.own_host import check_host
from app_pages.review_line import ADDRESS, say_it_is_served

LOG = logging.getLogger(__name__)

LONGEST = 1 << 20
"""Bytes of a message. A page holds a few operations of a few hundred bytes each."""
JSON = "application/json"
"""A page elsewhere can't send this type without asking first, which is not allowed to it."""


def routes() -> list[BaseRoute]:
    """What the app serves for the review page."""
    say_it_is_served()
    return [Route(ADDRESS, _line, methods=["POST"])]


async def _line(request: Request) -> Response:
    """The component's answer to a message; an error's status where the page's script has to be asked."""
    check_host(request)
    if request.headers.get("content-type") != JSON:
        return _no(415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST:
            return _no(413)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):  # no JSON, or brackets within brackets without end
        return _no(400)
    if not isinstance(message, dict) or not isinstance(message.get("session"), str):
        return _no(400)
    return await run_in_threadpool(_respond, message)


def _respond(message: dict[str, object]) -> Response:
    from app_pages.review_card.session import session_of  # the server is up before the house is
    from app_pages.review_card.talk import Talk

    session = session_of(str(message["session"]))
    if session is None:
        return _no(404)
    try:
        data = session.respond_alone(Talk.read(message))
    except Exception:  # whatever it is: the page's script meets it, too, and can say it
        LOG.exception("The review page was not answered; its script is asked instead")
        return _no(503)
    return JSONResponse(data, headers={"Cache-Control": "no-store", "Content-Encoding": "identity"})


def _no(status: int) -> Response:
    return Response(status_code=status, headers={"Cache-Control": "no-store"})
