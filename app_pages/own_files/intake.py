"""Files come in: dropped onto the page, or named by their path on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import streamlit as st

from app_pages import context
from app_pages.own_files.refusals import refused, told_error
from app_pages.words import say
from engine.faults import BenchcardsError

UPLOAD_MIB = 1024
"""The most that a browser may send: it passes through the memory of the web process. A path has no bound but
the readers' own."""
CHUNK = 1024 * 1024
FIELD = "files.upload"
ROUND = "files.upload.round"
"""Counts what was taken in: the field is empty again for the next file."""
SAID = "files.said"


class Sent(Protocol):
    """A file that a browser sent."""

    name: str

    def seek(self, position: int, /) -> int: ...

    def read(self, size: int, /) -> bytes: ...


def intake() -> None:
    """The field for a file and the one for a path. A file that came in is opened."""
    left, right = st.columns(2, gap="large", vertical_alignment="top")
    with left:
        st.file_uploader(
            say("your_files.upload"),
            max_upload_size=UPLOAD_MIB,
            help=say("your_files.upload.help"),
            key=_field(),
            on_change=_take,
        )
    with right, st.form("files.by_path", border=False):
        st.text_input(
            say("your_files.path"),
            placeholder="~/runs/trace.json.gz",
            help=say("your_files.path.help"),
            key="files.path",
        )
        st.form_submit_button(say("your_files.analyse"), icon=":material/search_insights:", on_click=_by_path)
    for fault, reason in st.session_state.pop(SAID, []):
        refused(fault, reason)


def _field() -> str:
    return f"{FIELD}.{st.session_state.get(ROUND, 0)}"


def _take() -> None:
    sent = st.session_state[_field()]
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    if sent is None:
        return
    try:
        taken = context.analyses().take_upload(sent.name, _chunks(sent))
    except (BenchcardsError, OSError) as error:
        _refuse(error)
        return
    st.query_params["file"] = taken


def _chunks(sent: Sent) -> Iterator[bytes]:
    sent.seek(0)
    while chunk := sent.read(CHUNK):
        yield chunk


def _by_path() -> None:
    typed = str(st.session_state.get("files.path", "")).strip().strip("\"'")
    if not typed:
        return
    path = Path(typed).expanduser()
    if not path.is_absolute():
        st.session_state[SAID] = [(say("your_files.path.relative", path=typed), None)]
    else:
        open_path(path)


def open_path(path: Path, name: str | None = None) -> None:
    """Has the file analysed and opens it. What is wrong is said on the page."""
    try:
        st.query_params["file"] = context.analyses().submit(path, name or path.name)
    except (BenchcardsError, OSError) as error:
        _refuse(error)


def _refuse(error: BenchcardsError | OSError) -> None:
    reason = error.why if isinstance(error, BenchcardsError) else None
    st.session_state[SAID] = [(told_error(error), reason)]
