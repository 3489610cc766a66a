"""What `make run` starts: the pages of `app.py`, with everything loaded while the browser still opens.

`streamlit run app.py` shows the same pages; their first card then waits for the imports.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.cli_util import open_browser
from streamlit.web.server.server_util import get_url

from app_pages import perfetto_routes, review_routes

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import Analyses


def _warm_up() -> None:
    """Imports what the first page needs. Faults are left for the page to meet and to show."""
    gc.disable()  # imports make thousands of objects that stay: looking through them is a tenth of the time
    try:
        from app_pages import warm

        warm.up()
    finally:
        gc.enable()


@asynccontextmanager
async def _lifespan(_app: st.App) -> AsyncIterator[None]:
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
    if not st.get_option("server.headless"):
        open_browser(get_url(st.get_option("server.address")))
    yield


def _analyses() -> Analyses:
    from app_pages import context  # the server is up before the house is

    return context.analyses()


app = st.App(
    "app.py", lifespan=_lifespan, routes=[*review_routes.routes(), *perfetto_routes.routes(_analyses)]
)
