"""The timeline of a trace, and what can be done with the gap that is selected in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.own_files import trace_cards
from app_pages.own_files.make_card import card_button
from app_pages.own_files.refusals import told_error
from app_pages.own_files.text import escape_markdown
from app_pages.perfetto import is_served, perfetto_url
from app_pages.timeline import timeline as draw
from app_pages.timeline.gap_picture import gap_picture
from app_pages.timeline.payload import open_timeline
from app_pages.words import say
from engine.faults import BenchcardsError
from engine.measure.analyse.gap_story import GapStory, gap_story
from engine.measure.analyse.job import TIMELINE

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState


@st.fragment
def timeline(state: AnalysisState, device: Mapping[str, Any], *, key: str) -> None:
    """The drawing, and below it the buttons for the selected gap. `?gap=N` begins with that gap."""
    path = context.analyses().folder(state.id) / TIMELINE
    if not path.is_file():
        return
    st.markdown(f"**{say('your_files.timeline')}**")
    try:
        gap = draw(path, key=f"{key}.timeline", goto=_asked_for())
        story = None if gap is None else gap_story(open_timeline(path), gap)
    except (BenchcardsError, OSError, IndexError) as error:
        said = str(error) if isinstance(error, IndexError) else told_error(error)
        st.error(escape_markdown(said), icon=":material/error:")
        return
    if story is not None and st.query_params.get("gap") != str(story.gap):
        st.query_params["gap"] = str(story.gap)
    with st.container(horizontal=True, vertical_alignment="center"):
        if story is not None:
            card_button(
                partial(trace_cards.of_gap, state, device, path, story, context.language()),
                key=f"{key}.gap.card",
            )
            _picture(path, story, key=key)
        _perfetto(state, path, story)


def _asked_for() -> int | None:
    asked = st.query_params.get("gap", "")
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else None


def _picture(path: Path, story: GapStory, *, key: str) -> None:
    st.download_button(
        say("your_files.gap.picture"),
        partial(_svg, path, story, context.language()),
        file_name=f"gap-{story.rank}.svg",
        mime="image/svg+xml",
        icon=":material/image:",
        on_click="ignore",
        key=f"{key}.gap.picture",
    )


def _svg(path: Path, story: GapStory, language: str) -> bytes:
    """Made when the button is pressed, in a thread of its own."""
    return gap_picture(open_timeline(path), story.gap, language).encode()


def _perfetto(state: AnalysisState, path: Path, story: GapStory | None) -> None:
    if not is_served():
        return
    start = end = None
    if story is not None:
        start = open_timeline(path).origin_ns + story.start_ns
        end = start + story.duration_ns
    st.link_button(
        say("perfetto.open"),
        perfetto_url(state.id, start, end),
        icon=":material/open_in_new:",
        help=say("your_files.perfetto.help"),
    )
