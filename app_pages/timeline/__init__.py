"""The component that draws a trace's timeline: zoom, pan, gaps by length, and what the CPU did in each.

`front/` holds its parts in plain JavaScript; Streamlit takes a component of an app as one text, so they are
put together here, `main.js` last.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.timeline.payload import Course, first_gap, open_timeline, payload
from engine.measure.analyse.timeline import Timeline
from engine.measure.analyse.timeline_cut import cut

FRONT = Path(__file__).parent / "front"
SCRIPTS = (
    "decode",
    "units",
    "window",
    "layout",
    "colours",
    "paint",
    "map",
    "pointer",
    "keyboard",
    "search",
    "telling",
    "viewing",
    "timeline",
    "main",
)


def _read(name: str) -> str:
    return (FRONT / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "benchcards.timeline",
    html=_read("timeline.html"),
    css=_read("timeline.css"),
    js="\n".join(_read(f"{name}.js") for name in SCRIPTS),
)


def timeline(path: Path, *, key: str, goto: int | None = None) -> int | None:
    """Draws the timeline at `path` (see `write_timeline`); returns the number of the selected gap.

    `goto` is a gap to go to (`Timeline.find_gap` knows those that an analysis lists); before anything is
    selected it counts as selected, without it the longest. A page may hand back what was returned, as one
    that keeps it in its address does: only another gap is gone to. Each selection runs the page, or the
    fragment that this is called in, again. Raises `UnreadableFile`, OSError.
    """
    opened = open_timeline(path)
    asked = _asked(st.session_state.get(key))
    course = st.session_state.setdefault(f"{key}.course", Course())
    begins = "gap" not in asked
    if begins:
        course.begin(first_gap(opened, course.to))
    sent = course.steer(_gap(goto, opened))
    gap = first_gap(opened, course.to) if begins or sent else _gap(asked["gap"], opened)
    course.returned = gap
    _mount(
        key=key,
        data=payload(path, context.language(), course=course, gap=gap, detail=_detail(asked, opened)),
        on_asked_change=_changed,
    )
    return gap


def _changed() -> None:
    """The new selection is read when the page runs again."""


def _asked(state: object) -> Mapping[str, object]:
    asked = state.get("asked") if isinstance(state, Mapping) else getattr(state, "asked", None)
    return asked if isinstance(asked, Mapping) else {}


def _gap(value: object, opened: Timeline) -> int | None:
    number = _whole(value)
    return number if number is not None and number < opened.gap_count else None


def _detail(asked: Mapping[str, object], opened: Timeline) -> bytes:
    """The bars of the stretch that is in view, where the overview has merged ones there."""
    window = asked.get("window")
    if not isinstance(window, list) or len(window) != 2:
        return b""
    start, end = (_whole(edge) for edge in window)
    if start is None or end is None or not start < end <= opened.span_ns:
        return b""
    return cut(opened, start, end)


def _whole(value: object) -> int | None:
    """A number of the client's, which may send anything."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1 << 62:
        return None
    return int(value)
