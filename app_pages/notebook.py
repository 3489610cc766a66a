"""The mistake notebook (错题本): what went wrong, by topic, and how often it came back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app_pages import context
from app_pages.notebook_lines import Line, by_topic, lines, without_settled
from app_pages.notebook_view import line_box
from app_pages.words import say
from engine.study import notebook
from engine.study.card import Library
from engine.study.search import fold, plain_markdown

MORE = "notebook.more"
AT_ONCE = 25
"""Lines shown at first, and added by each press of the button."""
MOST_TOPICS = 12


def _matching(every: Sequence[Line], query: str) -> list[Line]:
    """The lines whose text, or whose card's title, holds every word, diacritics or not."""
    wanted = fold(query).split()
    found = []
    for line in every:
        text = fold(f"{plain_markdown(line.text)} {line.card.title if line.card is not None else ''}")
        if all(word in text for word in wanted):
            found.append(line)
    return found


def _topics(every: Sequence[Line]) -> set[str]:
    """The topics chosen, each with how often its mistakes were made."""
    ranked = by_topic(every)[:MOST_TOPICS]
    times = {topic: count for topic, count, _ in ranked}
    chosen = st.pills(
        say("notebook.topics"),
        list(times),
        selection_mode="multi",
        format_func=lambda topic: f"{topic} · {times[topic]}×" if times.get(topic) else topic,
        key="notebook.topics",
    )
    return set(chosen)


@st.fragment
def listed(library: Library) -> None:
    """The lines with their filters; what came back most often stands first."""
    every = lines(library, notebook.entries(context.store()))
    query = st.text_input(
        say("cards.search"),
        type="search",
        live=True,
        placeholder=say("cards.search_hint"),
        label_visibility="collapsed",
        key="notebook.search",
    )
    with st.container(horizontal=True):
        tips = st.toggle(say("notebook.with_tips"), value=True, key="notebook.tips")
        settled = st.toggle(say("notebook.with_settled"), key="notebook.settled")
    shown = every if settled else without_settled(every)
    shown = [line for line in shown if tips or not line.tip or line.mistake.times]
    topics = _topics(shown)
    if topics:
        shown = [line for line in shown if line.card is not None and topics & set(line.card.topics)]
    shown = _matching(shown, query)
    own = sum(not line.tip for line in shown)
    st.caption(say("notebook.count", own=own, tips=len(shown) - own))
    if not shown:
        st.info(say("notebook.none"), icon=":material/menu_book:")
        return
    most = st.session_state.get(MORE, AT_ONCE)
    for line in shown[:most]:
        line_box(line)
    if len(shown) > most:
        st.button(say("notebook.more", n=len(shown) - most), on_click=_more, key="notebook.more_button")


def _more() -> None:
    st.session_state[MORE] = st.session_state.get(MORE, AT_ONCE) + AT_ONCE


st.title(say("notebook.title"), anchor=False)
st.caption(say("notebook.hint"))
listed(context.library())
