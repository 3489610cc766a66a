"""Easy days and the backlog: the smaller sections of the schedule's page."""

from __future__ import annotations

import math
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.graphs import Series, bars, graphs
from app_pages.graphs.dates import day_label, weekdays
from app_pages.in_words import in_words
from app_pages.numbers import number
from app_pages.words import say
from engine.study import schedule_changes
from engine.study.backlog import MOST, BacklogRefused, read, suppose
from engine.study.log_columns import read_log
from engine.study.standing import standing
from engine.study.study_day import add_days
from engine.study.workload import Cards, Work, backlog, cards_of, habits

PERCENTS = (100, 50, 0)
DAYS_AHEAD, LONGEST_PAUSE = 60, 30


def _today() -> str:
    return context.desk().today(context.now(), context.zone()).study_day


@st.fragment
def easy_days_section() -> None:
    """Which weekdays take fewer cards."""
    st.subheader(say("schedule.easy"), anchor=False)
    st.caption(say("schedule.easy.hint"))
    kept = schedule_changes.plan(context.store()).easy_days
    with st.grid(4):
        for place, name in enumerate(weekdays(context.language())):
            choices = sorted({*PERCENTS, kept[place]}, reverse=True)
            st.selectbox(
                name,
                choices,
                index=choices.index(kept[place]),
                format_func=lambda percent: (
                    say(f"schedule.easy.{percent}") if percent in PERCENTS else f"{percent} %"
                ),
                key=f"schedule.easy.{place}",
                on_change=_save_easy_days,
            )


@in_words
def _save_easy_days() -> None:
    percents = [int(st.session_state[f"schedule.easy.{place}"]) for place in range(7)]
    try:
        schedule_changes.change(
            context.store(),
            "easy_days",
            {"percent": percents} if any(percent != 100 for percent in percents) else {},
            now=context.now(),
            zone=context.zone(),
            nonce=uuid4().hex,
        )
    except schedule_changes.ScheduleRefused:
        st.toast(say("schedule.easy.all"), icon=":material/error:")
        return
    st.toast(say("settings.saved"), icon=":material/check:")


@st.fragment
def backlog_section() -> None:
    """What the cards that wait cost: those of now, or as many as are typed; now, or after some days off."""
    st.subheader(say("schedule.backlog"), anchor=False)
    typed = st.text_input(
        say("schedule.waiting"),
        key="schedule.waiting",
        placeholder=say("schedule.waiting.as_it_is"),
        help=say("schedule.waiting.help"),
        max_chars=12,
    )
    pause = st.slider(say("schedule.pause"), 0, LONGEST_PAUSE, 0, key="schedule.pause")
    house, settings, language = context.house(), context.settings(), context.language()
    today = _today()
    with house.store.read() as connection:
        here = standing(connection, today)
    if not len(here):
        st.info(say("schedule.no_answers"), icon=":material/school:")
        return
    cards = _supposed(cards_of(here), typed)
    if cards is None:
        return
    work = Work(
        params=schedule_changes.plan(house.store).of_deck(settings.scheduler, None),
        days=DAYS_AHEAD + pause,
        reviews_per_day=settings.reviews_per_day,
        new_per_day=settings.new_per_day,
        pause=pause,
        habits=habits(read_log(house.store, house.data / "cache")),
    )
    found = backlog(cards, work)
    counted = {
        "cards": number(round(found.cards), language),
        "minutes": number(math.ceil(found.minutes), language),
        "limit": number(settings.reviews_per_day, language),
        "forgotten": number(round(found.forgotten), language),
    }
    if found.clear_after is None:
        said = say("schedule.backlog.never", days=work.days, **counted)
    else:
        day = day_label(add_days(today, found.clear_after), language, year=True)
        said = say("schedule.backlog.said", day=day, **counted)
    names = [day_label(add_days(today, step), language) for step in range(work.days)]
    series = [
        Series(say("schedule.backlog.done"), found.outlook.reviews),
        Series(say("schedule.backlog.waiting"), found.outlook.waiting, "second"),
    ]
    graphs(
        bars(
            title=say("schedule.backlog.title"),
            places=names,
            series=series,
            said=said,
            number=lambda value: number(round(value), language),
            heads=(say("statistics.by.day"), *(each.name for each in series)),
            summary=say("graphs.numbers"),
            note=said,
        ),
        key="schedule.backlog",
    )
    if not work.habits.measured:
        st.caption(say("schedule.seconds_guessed", n=round(work.habits.seconds)))


def _supposed(cards: Cards, typed: str) -> Cards | None:
    """The cards with as many waiting as was typed, what that stands for said; None where it is no number."""
    language = context.language()
    try:
        wanted = read(typed)
        if wanted is None:
            return cards
        found = suppose(cards, wanted)
    except BacklogRefused as refused:
        st.error(
            say(f"schedule.waiting.{refused.code}", most=number(MOST, language)), icon=":material/error:"
        )
        return None
    if found.times > 1:
        mine = number(len(cards), language)
        st.caption(say("schedule.waiting.times", cards=mine, times=number(found.times, language)))
    elif found.days:
        st.caption(say("schedule.waiting.days", days=number(found.days, language)))
    return found.cards
