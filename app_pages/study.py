"""Choosing what to study: by deck, topic and language; by the schedule or outside it; more for today."""

from __future__ import annotations

import streamlit as st

from app_pages import context, study_address
from app_pages.in_words import in_words
from app_pages.words import say
from engine.study import practice, today_limits
from engine.study.card import Card, Library
from engine.study.practice import MOST_DAYS, Mode, Sitting
from engine.study.scope import Scope
from engine.study.today_limits import MOST, More

MODES: tuple[str, ...] = ("review", "cram", "ahead")


def _scope(library: Library) -> Scope:
    """The boxes for decks, topics, languages; an empty box is all of them."""
    titles = {deck.id: deck.title for deck in library.decks}
    cards = library.by_id.values()
    with st.grid(3):
        with st.container():
            decks = st.multiselect(
                say("study.decks"),
                list(titles),
                format_func=lambda deck: titles[deck],
                placeholder=say("study.all"),
                key="study.decks",
            )
        with st.container():
            topics = st.multiselect(
                say("study.topics"),
                sorted({topic for card in cards for topic in card.topics}),
                placeholder=say("study.all"),
                key="study.topics",
            )
        with st.container():
            languages = st.multiselect(
                say("study.languages"),
                sorted({card.language for card in cards}),
                format_func=lambda code: say(f"language.{code}"),
                placeholder=say("study.all"),
                key="study.languages",
            )
    return Scope(
        decks=frozenset(decks) or None,
        languages=frozenset(languages) or None,
        topics=frozenset(topics) or None,
    )


def _matches(card: Card, scope: Scope) -> bool:
    return (
        (scope.decks is None or card.deck in scope.decks)
        and (scope.languages is None or card.language in scope.languages)
        and (scope.topics is None or bool(scope.topics & set(card.topics)))
    )


def _mode() -> tuple[Mode | None, int]:
    """By the schedule (None), or outside it; and how many days a look ahead goes."""
    chosen = st.radio(
        say("study.how"),
        MODES,
        format_func=lambda mode: say(f"study.mode.{mode}"),
        captions=[say(f"study.mode.{mode}.help") for mode in MODES],
        key="study.mode",
    )
    days = study_address.DAYS
    if chosen == "ahead":
        days = st.number_input(
            say("study.days"), min_value=1, max_value=MOST_DAYS, value=days, step=1, key="study.days"
        )
    mode: Mode | None = "cram" if chosen == "cram" else "ahead" if chosen == "ahead" else None
    return mode, days


def _waiting(scope: Scope, mode: Mode | None, days: int) -> int:
    """How many cards there are to answer now."""
    now, zone = context.now(), context.zone()
    if mode is not None:
        sitting = Sitting("look", mode, scope, days)
        return practice.queue(context.store(), sitting, now=now, zone=zone, size=1).left
    counts = context.desk().queue(now, zone, size=1, decks=scope).counts
    return counts.new + counts.learning + counts.due


@in_words
def _save_today() -> None:
    more = More(new=st.session_state["study.today.new"], reviews=st.session_state["study.today.reviews"])
    today_limits.save(context.store(), more, now=context.now(), zone=context.zone())
    st.toast(say("settings.saved"), icon=":material/check:")


def _today() -> None:
    st.subheader(say("study.today"), anchor=False)
    st.caption(say("study.today.help"))
    more = today_limits.load(context.store(), now=context.now(), zone=context.zone())
    with st.grid(2):
        for name, value, step in (("new", more.new, 5), ("reviews", more.reviews, 10)):
            with st.container():
                st.number_input(
                    say(f"study.today.{name}"),
                    min_value=-MOST,
                    max_value=MOST,
                    value=value,
                    step=step,
                    key=f"study.today.{name}",
                    on_change=_save_today,
                )


st.title(say("study.title"), anchor=False)
held = context.library()
scope = _scope(held)
matching = sum(_matches(card, scope) for card in held.by_id.values())
st.caption(say("study.matching", n=matching))
mode, days = _mode()
if matching == 0:
    st.info(say("study.none"), icon=":material/search_off:")
with st.container(horizontal=True, vertical_alignment="center"):
    start = st.button(
        say("study.start"), type="primary", icon=":material/play_arrow:", disabled=matching == 0
    )
    st.caption(say("study.waiting", n=_waiting(scope, mode, days)))
if start:
    st.switch_page("app_pages/review.py", query_params=study_address.address(scope, mode, days))
_today()
