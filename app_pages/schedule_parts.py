"""Easy days, the backlog, and what would move: the smaller sections of the schedule's page."""

from __future__ import annotations

import math
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.graphs import Series, Table, bars, curve, graphs
from app_pages.graphs.dates import day_label, weekdays
from app_pages.graphs.figure import Tick, rounded_top
from app_pages.in_words import in_words
from app_pages.markup import plain
from app_pages.numbers import number
from app_pages.words import say
from engine.study import schedule_changes
from engine.study.log_columns import read_log
from engine.study.reschedule import Preview, preview
from engine.study.standing import standing
from engine.study.study_day import add_days
from engine.study.workload import Work, backlog, cards_of, habits

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
    """What the cards that wait cost, now or after some days off."""
    st.subheader(say("schedule.backlog"), anchor=False)
    pause = st.slider(say("schedule.pause"), 0, LONGEST_PAUSE, 0, key="schedule.pause")
    house, settings, language = context.house(), context.settings(), context.language()
    today = _today()
    with house.store.read() as connection:
        here = standing(connection, today)
    if not len(here):
        st.info(say("schedule.no_answers"), icon=":material/school:")
        return
    work = Work(
        params=schedule_changes.plan(house.store).of_deck(settings.scheduler, None),
        days=DAYS_AHEAD + pause,
        reviews_per_day=settings.reviews_per_day,
        new_per_day=settings.new_per_day,
        pause=pause,
        habits=habits(read_log(house.store, house.data / "cache")),
    )
    found = backlog(cards_of(here), work)
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


@st.fragment
def preview_section() -> None:
    """What would move if every card were put on the day of the present schedule."""
    st.subheader(say("schedule.preview"), anchor=False)
    st.caption(say("schedule.preview.hint"))
    if not st.toggle(say("schedule.preview.show"), key="schedule.preview"):
        return
    house, language = context.house(), context.language()
    today = _today()
    log = read_log(house.store, house.data / "cache")
    plan = schedule_changes.plan(house.store)
    with house.store.read() as connection:
        found = preview(connection, log, plan, context.settings().scheduler, today)
    if not found.cards:
        st.info(say("schedule.no_answers"), icon=":material/school:")
        return
    before, after = found.due_today
    said = say(
        "schedule.preview.said",
        cards=number(found.cards, language),
        sooner=number(found.sooner, language),
        later=number(found.later, language),
        before=number(before, language),
        after=number(after, language),
    )
    graphs(_moves(found, today, said), key="schedule.preview.graph")


def _moves(found: Preview, today: str, said: str) -> str:
    language = context.language()
    days = len(found.now)
    top = rounded_top(max(*found.now, *found.then))
    places = [step / (days - 1) for step in range(days)]
    titles = {card.id: plain(card.title) for card in context.library().by_id.values()}

    def when(due: int) -> str:
        return day_label(add_days(today, due), language)

    return curve(
        title=say("schedule.preview.title"),
        lines=[
            (Series(say("schedule.preview.now"), tuple(each / top for each in found.now), "fourth"), places),
            (Series(say("schedule.preview.then"), tuple(each / top for each in found.then)), places),
        ],
        dots=[],
        up=[Tick(share, number(top * share, language)) for share in (0.5, 1.0)],
        along=[Tick(step / (days - 1), when(step)) for step in range(0, days, 7)],
        said=said,
        note=said,
        table=Table(
            say("schedule.preview.farthest"),
            tuple(say(f"schedule.preview.{name}") for name in ("card", "due", "would_be", "stability")),
            tuple(
                (
                    titles.get(each.card_id, each.card_id),
                    when(each.due),
                    when(each.would_be),
                    f"{number(each.stability, language, 2)} → {number(each.would_be_stability, language, 2)}",
                )
                for each in found.moved
            ),
        ),
    )
