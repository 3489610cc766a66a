"""What the review page is to show, as its address says: `?deck=…&topic=…&language=…`, and for practice
`&practice=NAME&mode=cram` or `&mode=ahead&days=7`.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.escaped import escape_markdown
from app_pages.words import say
from engine.study.card import Library
from engine.study.practice import MODES, MOST_DAYS, Mode, Sitting
from engine.study.scope import Scope

DAYS = 7
LONGEST_NAME = 64


def scope_of(library: Library) -> Scope:
    """The decks, topics and languages that the address names; the decks else those not left out."""
    every = {deck.id for deck in library.decks}
    left_out = set(context.settings().decks_left_out.split()) & every
    named = _named("deck", every)
    decks = named if named is not None else frozenset(every - left_out) if left_out else None
    languages, topics = st.query_params.get_all("language"), st.query_params.get_all("topic")
    return Scope(
        decks=decks,
        languages=frozenset(languages) if languages else None,
        topics=frozenset(topics) if topics else None,
    )


def _named(name: str, every: Iterable[str]) -> frozenset[str] | None:
    found = frozenset(st.query_params.get_all(name)) & frozenset(every)
    return found or None


def sitting_of(library: Library) -> Sitting | None:
    """What is practised outside the schedule; None for the daily review."""
    name, mode = st.query_params.get("practice", ""), st.query_params.get("mode", "")
    if not 0 < len(name) <= LONGEST_NAME or mode not in MODES:
        return None
    days = st.query_params.get("days", "")
    number = int(days) if days.isascii() and days.isdigit() else DAYS
    at_most = min(MOST_DAYS, max(1, number))
    return Sitting(name, "cram" if mode == "cram" else "ahead", scope_of(library), at_most)


def address(scope: Scope, mode: Mode | None, days: int) -> list[tuple[str, str]]:
    """The query of the review page that shows these cards; a new sitting where it is practice."""
    found = [
        (name, value)
        for name, values in (("deck", scope.decks), ("topic", scope.topics), ("language", scope.languages))
        for value in sorted(values or ())
    ]
    if mode is not None:
        found += [("practice", uuid4().hex), ("mode", mode)]
        if mode == "ahead":
            found.append(("days", str(days)))
    return found


def notice(library: Library) -> None:
    """Says above the card what is shown, where it isn't the whole daily review."""
    sitting, what = sitting_of(library), _what(library)
    if sitting is None and not what:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="study.notice"):
        lines = []
        if sitting is not None:
            lines.append(say(f"review.practice.{sitting.mode}", days=sitting.days))
        if what:
            lines.append(say("review.narrowed", what=escape_markdown(what)))
        st.caption(" ".join(lines))
        st.page_link("app_pages/review.py", label=say("review.practice.leave"), icon=":material/undo:")


def _what(library: Library) -> str:
    """The chosen decks, topics and languages by name."""
    titles = {deck.id: deck.title for deck in library.decks}
    decks = sorted(_named("deck", titles) or ())
    names = [titles[deck] for deck in decks] + st.query_params.get_all("topic")
    known = [code for code in st.query_params.get_all("language") if code in context.LANGUAGES]
    return ", ".join([*names, *(say(f"language.{code}") for code in known)])
