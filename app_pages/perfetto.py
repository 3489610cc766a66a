"""The address under which Perfetto shows a trace that was analysed, on this app and without the internet."""

from __future__ import annotations

import threading
from urllib.parse import urlencode

ROOT = "/perfetto"
_served = threading.Event()


def perfetto_url(analysis_id: str, start_ns: int | None = None, end_ns: int | None = None) -> str:
    """Opens the trace of an analysis that is done, with the time from `start_ns` to `end_ns` in view.

    Both count as the file's own clock does; a gap of a device begins at its `start_ns` plus the gap's
    `start_us`. Without them the whole trace is in view. The address is relative to the app's root: a link
    with it belongs into a tab of its own (target="_blank").
    """
    if start_ns is None or end_ns is None:
        return f"{ROOT}/open/{analysis_id}"
    return f"{ROOT}/open/{analysis_id}?{urlencode({'start': start_ns, 'end': end_ns})}"


def is_served() -> bool:
    """Whether this app serves Perfetto: `make run` does, `streamlit run app.py` can't."""
    return _served.is_set()


def say_it_is_served() -> None:
    _served.set()
