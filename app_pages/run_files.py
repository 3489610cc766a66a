"""The files that a run left: what the analysers say of each, and the file itself to take home."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from app_pages import context
from app_pages.analysis_words import findings_of, said
from app_pages.lab_words import LabWords
from app_pages.numbers import quantity
from app_pages.sheet import sheet
from app_pages.words import say
from engine.measure.events import Artifact
from engine.measure.fault import MeasureError
from engine.measure.results import Result

ANALYSIS = ".analysis"
"""The end of the name of an artifact that holds the analysis of the one named before it, as JSON."""
READABLE = (".json", ".json.gz", ".pickle", ".sqlite", ".csv", ".ncu-rep", ".nsys-rep")
"""The ends of the names of files that the page of own files reads."""
OPENED = "files.opened"
_MOST_BYTES = 4 * 1024 * 1024
"""An analysis is small; whatever is larger isn't one."""


def run_files(result: Result, folder: Path, words: LabWords, *, key: str) -> None:
    """The artifacts that still lie in the run's folder. Nothing outside of it is ever shown."""
    found = {
        artifact.name: artifact for artifact in result.artifacts if _lies_in(Path(artifact.path), folder)
    }
    shown = [artifact for name, artifact in found.items() if not name.endswith(ANALYSIS)]
    if not shown:
        return
    box = st.expander(
        say("files.title"), icon=":material/folder_open:", on_change="rerun", key=f"{key}.files"
    )
    if not box.open:
        return
    with box:
        for place, artifact in enumerate(shown):
            analysis = found.get(artifact.name + ANALYSIS)
            _file(artifact, analysis, words, key=f"{key}.files.{place}")


def _file(artifact: Artifact, analysis: Artifact | None, words: LabWords, *, key: str) -> None:
    path = Path(artifact.path)
    name = " · ".join(words.value(part) for part in artifact.name.split("."))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{name}** · {quantity(path.stat().st_size, 'B', words.language)}")
        st.download_button(
            say("files.download"),
            path.read_bytes(),
            file_name=path.name,
            mime="application/octet-stream",
            icon=":material/download:",
            key=f"{key}.download",
            on_click="ignore",
        )
        if path.name.endswith(READABLE):
            st.button(
                say("your_files.open_here"),
                icon=":material/query_stats:",
                key=f"{key}.open",
                on_click=_open,
                args=(path, key),
            )
    fault = st.session_state.pop(f"{key}.fault", None)
    if fault is not None:
        st.error(fault, icon=":material/error:")
    if st.session_state.get(OPENED):
        st.switch_page("app_pages/your_files.py", query_params={"file": st.session_state.pop(OPENED)})
    if analysis is not None:
        _conclusions(_read(Path(analysis.path)), words, key=key)


def _open(path: Path, key: str) -> None:
    """Has the file analysed as one of the learner's own; the page goes there."""
    try:
        st.session_state[OPENED] = context.analyses().submit(path)
    except MeasureError as error:
        st.session_state[f"{key}.fault"] = str(error)


def _conclusions(analysis: Mapping[str, Any], words: LabWords, *, key: str) -> None:
    """What the analyser says of the file by itself, and what lived at its end by call."""
    items = "".join(f"<li>{escape(said(finding, words.language))}</li>" for finding in findings_of(analysis))
    if items:
        sheet(f'<ul class="findings" lang="{words.language}">{items}</ul>', key=f"{key}.said")


def _read(path: Path) -> Mapping[str, Any]:
    if path.stat().st_size > _MOST_BYTES:
        return {}
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the lab was ended while it wrote: the file says nothing
        return {}
    return body if isinstance(body, dict) else {}


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether the file is there and within the folder: a result may come from elsewhere and name anything."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())
