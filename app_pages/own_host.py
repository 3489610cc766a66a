"""Keeps pages elsewhere from the routes of this app."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request


def check_host(request: Request) -> None:
    """Refuses a page elsewhere that comes by a rebound DNS name. Streamlit asks this of its sockets only.

    Raises HTTPException (403).
    """
    from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

    if not is_host_allowed(request.headers.get("host")):
        raise HTTPException(403)
