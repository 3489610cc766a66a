"""Desired retention, for all decks or one of them, with what it costs in reviews a day."""

from __future__ import annotations

from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.graphs import Series, Table, curve, graphs
from app_pages.graphs.curve import Dot
from app_pages.graphs.figure import Tick, rounded_top
from app_pages.in_words import in_words
from app_pages.numbers import number, percent
from app_pages.words import say
from engine.study import schedule_changes
from engine.study.schedule_plan import RETENTION, SchedulePlan
from engine.study.settings import SettingsRefused
from engine.study.standing import standing
from engine.study.workload import Outlook, Work, cards_of, cost_of_retention, habits

ALL = ""
DAYS = 180
"""How far the simulation looks: long enough for what a retention costs to show, short enough to believe."""
TRIED = (0.7, 0.75, 0.8, 0.84, 0.87, 0.9, 0.92, 0.94, 0.96, 0.97)
NO_LIMIT = 100_000
"""What a retention costs is what it asks for, not what a limit lets through."""
DECK, WANTED = "schedule.deck", "schedule.wanted"


@st.fragment
def retention_section() -> None:
    """A deck, a retention, and the curve of its cost."""
    st.subheader(say("schedule.retention"), anchor=False)
    library = context.library()
    titles = {deck.id: deck.title for deck in library.decks}
    plan = schedule_changes.plan(context.store())
    deck = _deck(titles, plan)
    now = plan.retention.get(deck or ALL, context.settings().desired_retention)
    low, high = RETENTION
    wanted = st.slider(
        say("schedule.wanted"),
        low,
        high,
        now,
        0.01,
        format="percent",
        key=f"{WANTED}.{deck}",
        help=say("settings.desired_retention.help"),
    )
    found = _cost(deck or ALL, plan, now, wanted)
    if found is None:
        st.info(say("schedule.no_cards"), icon=":material/style:")
        return
    graphs(_curve(found, now, wanted), key="schedule.cost")
    st.caption(say("schedule.cost.hint", days=DAYS))
    with st.container(horizontal=True):
        st.button(
            say("schedule.use", retention=percent(wanted, context.language())),
            type="primary",
            disabled=wanted == now,
            on_click=_use,
            args=(deck or ALL, wanted),
            key="schedule.use",
        )
        if deck and deck in plan.retention:
            st.button(
                say(
                    "schedule.as_settings",
                    retention=percent(context.settings().desired_retention, context.language()),
                ),
                on_click=_use,
                args=(deck, None),
                key="schedule.as_settings",
            )


def _deck(titles: dict[str, str], plan: SchedulePlan) -> str:
    """The deck that is looked at. The box says each deck's retention, and begins anew when one changes."""
    names = {each: _deck_name(each, titles, plan) for each in (ALL, *titles)}
    before = st.session_state.get(DECK, ALL)
    deck = st.selectbox(
        say("schedule.for"),
        list(names),
        index=list(names).index(before) if before in names else 0,
        format_func=names.__getitem__,
        key=f"{DECK}.{hash(tuple(names.values()))}",
    )
    st.session_state[DECK] = deck
    return deck


def _deck_name(deck: str, titles: dict[str, str], plan: SchedulePlan) -> str:
    language = context.language()
    if not deck:
        return say("schedule.all", retention=percent(context.settings().desired_retention, language))
    if deck in plan.retention:
        return f"{titles.get(deck, deck)} · {percent(plan.retention[deck], language)}"
    return titles.get(deck, deck)


@in_words
def _use(deck: str, retention: float | None) -> None:
    """For one deck a change of the schedule; for all, the setting."""
    try:
        if deck:
            schedule_changes.change(
                context.store(),
                "retention",
                {} if retention is None else {"retention": retention},
                deck=deck,
                now=context.now(),
                zone=context.zone(),
                nonce=uuid4().hex,
            )
        else:
            context.save_settings({"desired_retention": retention})
    except (schedule_changes.ScheduleRefused, SettingsRefused) as refused:
        st.error(str(refused), icon=":material/error:")
        return
    st.session_state.pop(f"{WANTED}.{deck}", None)
    st.toast(say("settings.saved"), icon=":material/check:")


def _cost(deck: str, plan: SchedulePlan, now: float, wanted: float) -> dict[float, Outlook] | None:
    """By retention; None where the deck holds no card."""
    house, settings = context.house(), context.settings()
    today = context.desk().today(context.now(), context.zone()).study_day
    with house.store.read() as connection:
        here = standing(connection, today, [deck] if deck else None)
    if not len(here) and not here.new:
        return None
    work = Work(
        params=plan.of_deck(settings.scheduler, deck or None),
        days=DAYS,
        reviews_per_day=NO_LIMIT,
        new_per_day=settings.new_per_day,
        habits=habits(context.log()),
    )
    return cost_of_retention(cards_of(here), work, sorted({*TRIED, now, wanted}))


def _curve(found: dict[float, Outlook], now: float, wanted: float) -> str:
    language = context.language()
    low, high = min(found), max(found)
    top = rounded_top(max(each.reviews_a_day for each in found.values()))
    places = [(each - low) / (high - low) for each in found]
    heights = tuple(each.reviews_a_day / top for each in found.values())

    def told(retention: float) -> str:
        of = found[retention]
        return say(
            "schedule.cost.said",
            retention=percent(retention, language),
            reviews=_short(of.reviews_a_day),
            minutes=_short(of.minutes_a_day),
            known=number(round(of.known), language),
        )

    shown = {now: "fourth", wanted: "second"} if wanted != now else {now: "second"}
    dots = [
        Dot((each - low) / (high - low), found[each].reviews_a_day / top, 12, told(each), tone)
        for each, tone in shown.items()
    ]
    said = " ".join(told(each) for each in shown)
    return curve(
        title=say("schedule.cost"),
        lines=[(Series(say("schedule.cost"), heights), places)],
        dots=dots,
        up=[Tick(share, _short(top * share)) for share in (0.5, 1.0)],
        along=[
            Tick((each - low) / (high - low), percent(each, language))
            for each in (0.7, 0.8, 0.9, 0.97)
            if each in found
        ],
        said=said,
        note=said,
        table=Table(
            say("graphs.numbers"),
            tuple(say(f"schedule.cost.{name}") for name in ("retention", "reviews", "minutes", "known")),
            tuple(
                (
                    percent(each, language),
                    _short(of.reviews_a_day),
                    _short(of.minutes_a_day),
                    number(round(of.known), language),
                )
                for each, of in found.items()
            ),
        ),
    )


def _short(value: float) -> str:
    return number(value if value < 10 else float(round(value)), context.language(), 2)
