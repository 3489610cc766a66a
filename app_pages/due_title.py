"""The count of due work in the browser's tab and the page's title."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from app_pages import context
from app_pages.words import phrase
from engine.study.desk import Counts
from engine.study.study_day import UnknownZone

NAME = "Benchcards"
LAST = "due_title.last"


@dataclass(slots=True)
class Shown:
    """The title that a browser session's tab has."""

    title: str = NAME


def shown() -> Shown:
    """What this browser session's tab shows."""
    kept: Shown = st.session_state.setdefault(LAST, Shown())
    return kept


def last_title() -> str:
    """The title that the tab has: each run of the script begins with it, so that the tab doesn't flicker."""
    return shown().title


def title_for(counts: Counts, language: str) -> str:
    """`(12) Benchcards`: what is left today; without a number where nothing is."""
    left = counts.new + counts.learning + counts.due
    return phrase(language, "browse.title", n=left, page=NAME) if left else NAME


def show_due(counts: Counts | None = None) -> None:
    """Puts the count into the tab's title: that given, else the one that the store has now."""
    if counts is None:
        left_out = set(context.settings().decks_left_out.split())
        every = {deck.id for deck in context.library().decks}
        decks = every - left_out if left_out else None
        try:
            counts = context.desk().queue(context.now(), context.zone(), size=0, decks=decks).counts
        except UnknownZone:
            return
    title = title_for(counts, context.language())
    if title != last_title():
        shown().title = title
        st.set_page_config(page_title=title)
