"""Statistics: what was done, what is due, what is remembered, and whether FSRS foretells it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

from app_pages import context
from app_pages.graphs import graphs
from app_pages.numbers import as_given, number, percent
from app_pages.statistics_view import (
    Period,
    View,
    ahead,
    calibrated,
    done,
    memory,
    parts_table,
    retention_table,
    year,
)
from app_pages.wide import wide
from app_pages.words import MINUTES_AN_HOUR, say
from engine.study import statistics
from engine.study.card import Library
from engine.study.log_columns import Log, read_log
from engine.study.scope import Scope
from engine.study.standing import Standing, standing
from engine.study.study_day import add_days

PERIODS: tuple[Period, ...] = (30, 90, 365, 0)
ALL = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """The log and the cards' standing, of the cards chosen."""

    log: Log
    standing: Standing
    today: str


def _found(library: Library, deck: str, topic: str) -> _Found:
    house = context.house()
    today = context.desk().today(context.now(), context.zone()).study_day
    log = read_log(house.store, house.data / "cache")
    scope = Scope(decks=frozenset({deck}) if deck else None, topics=frozenset({topic}) if topic else None)
    with house.store.read() as connection:
        here = standing(connection, today, scope)
    if deck or topic:
        ids = [
            card.id
            for card in library.by_id.values()
            if deck in (ALL, card.deck) and (topic == ALL or topic in card.topics)
        ]
        log = log.of_cards(ids)
    return _Found(log, here, today)


def _choices(library: Library) -> tuple[Period, str, str]:
    titles = {deck.id: deck.title for deck in library.decks}
    topics = sorted({topic for card in library.by_id.values() for topic in card.topics})
    period: Period = st.segmented_control(
        say("statistics.period"),
        PERIODS,
        default=PERIODS[0],
        required=True,
        format_func=lambda days: say(f"statistics.period.{days}"),
        key="statistics.period",
    )
    with st.grid(2):
        deck = st.selectbox(
            say("statistics.deck"),
            [ALL, *titles],
            format_func=lambda each: titles.get(each, say("statistics.all_decks")),
            key="statistics.deck",
        )
        topic = st.selectbox(
            say("statistics.topic"),
            [ALL, *topics],
            format_func=lambda each: each or say("statistics.all_topics"),
            key="statistics.topic",
        )
    return period, deck or ALL, topic or ALL


def _head(found: _Found, period: Period) -> None:
    """The four figures that people look for first."""
    language = context.language()
    days = statistics.days_done(found.log)
    since = add_days(found.today, 1 - period) if period else None
    streak = statistics.streak(days, found.today)
    here = [day for day in days if since is None or day.day >= since]
    answers, minutes = sum(day.answers for day in here), sum(day.minutes for day in here)
    retention = statistics.true_retention(found.log, since=since).both
    share = "–" if retention.share is None else percent(retention.share, language)
    figures = (
        (say("statistics.answers"), number(answers, language)),
        (say("statistics.spent"), _spent(minutes)),
        (say("statistics.streak"), say("statistics.days", n=streak.now)),
        (say("statistics.true_retention"), share),
    )
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in figures)
    graphs(f'<dl class="tiles">{tiles}</dl>', key="statistics.head")


def _spent(minutes: float) -> str:
    """Minutes up to an hour, then hours."""
    if minutes < MINUTES_AN_HOUR:
        return say("interval.minutes", n=round(minutes))
    return say("interval.hours", n=as_given(round(minutes / MINUTES_AN_HOUR, 1), context.language()))


def _page() -> None:
    library = context.library()
    if not len(read_log(context.store(), context.house().data / "cache")):
        st.info(say("statistics.none"), icon=":material/school:")
        st.page_link("app_pages/review.py", label=say("statistics.begin"), icon=":material/play_arrow:")
        return
    period, deck, topic = _choices(library)
    with st.spinner(say("statistics.reading"), show_time=False):
        found = _found(library, deck, topic)
    if not len(found.log):
        st.info(say("statistics.none_chosen"), icon=":material/filter_alt:")
        return
    _head(found, period)
    view = View(found.log, found.standing, found.today, period, context.language())
    desired = context.settings().desired_retention
    broad = "".join(f'<div class="broad">{each}</div>' for each in (ahead(view), year(view)))
    graphs(
        f'<div class="graphs">{done(view)}{broad}</div>',
        key="statistics.work",
    )
    st.page_link(
        "app_pages/schedule.py", label=say("statistics.to_schedule"), icon=":material/event_upcoming:"
    )
    st.subheader(say("statistics.memory"), anchor=False)
    remembered = f"<div>{retention_table(view, desired)}</div>"
    graphs(f'<div class="graphs">{remembered}{calibrated(view)}{memory(view)}</div>', key="statistics.memory")
    st.subheader(say("statistics.parts"), anchor=False)
    graphs(parts_table(view, library), key="statistics.parts")


wide()
st.title(say("statistics.title"), anchor=False)
_page()
