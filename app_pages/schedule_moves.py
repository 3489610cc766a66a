"""What would move if every card were put on the day of the present schedule; doing so, and taking it back."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.graphs import Series, Table, curve, graphs
from app_pages.graphs.dates import day_label
from app_pages.graphs.figure import Tick, rounded_top
from app_pages.markup import plain
from app_pages.numbers import moment, number
from app_pages.words import say
from engine.study import rescheduling, schedule_changes
from engine.study.log_columns import read_log
from engine.study.refused import Refused
from engine.study.reschedule import Preview, preview
from engine.study.study_day import add_days

SHOWN = 5
"""Reschedulings that are listed."""
SAID = "schedule.move.said"
"""What came of the last click, to say once: (icon, message)."""


@st.fragment
def preview_section() -> None:
    """What would move, on demand; the button that moves it; what was moved before."""
    st.subheader(say("schedule.preview"), anchor=False)
    st.caption(say("schedule.preview.hint"))
    if st.toggle(say("schedule.preview.show"), key="schedule.preview"):
        _preview()
    said = st.session_state.pop(SAID, None)
    if said is not None:
        done, message = said
        (st.success if done else st.error)(message, icon=":material/check:" if done else ":material/error:")
    _former()


def _preview() -> None:
    house, language = context.house(), context.language()
    today = context.desk().today(context.now(), context.zone()).study_day
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
    if not found.changed:
        st.info(say("schedule.move.nothing"), icon=":material/check:")
        return
    st.button(
        say("schedule.move.do", n=number(found.changed, language)),
        icon=":material/event_repeat:",
        on_click=_move,
        args=(uuid4().hex,),
        help=say("schedule.move.help"),
        key="schedule.move",
    )


def _move(nonce: str) -> None:
    house = context.house()
    done = rescheduling.reschedule(
        house.store, house.data / "cache", now=context.now(), zone=context.zone(), nonce=nonce
    )
    if isinstance(done, Refused):
        # the second half of a double click leaves what the first one said
        st.session_state.setdefault(SAID, (False, say("schedule.move.nothing")))
    else:
        n = number(done.cards, context.language())
        st.session_state[SAID] = (True, say("schedule.move.done", n=n))


def _former() -> None:
    """The reschedulings so far, each with the way back."""
    made = rescheduling.history(context.store(), most=SHOWN)
    if not made:
        return
    language = context.language()
    with st.expander(say("schedule.move.former"), icon=":material/history:"):
        st.caption(say("schedule.move.former_help"))
        for each in made:
            at = datetime.fromtimestamp(each.at_ms / 1000, UTC)
            named = {
                "when": moment(at, context.zone(), language),
                "n": number(each.cards, language),
            }
            if each.undone:
                st.markdown(say("schedule.move.was", **named))
                continue
            st.button(
                say("schedule.move.back", **named),
                icon=":material/undo:",
                on_click=_take_back,
                args=(each.nonce,),
                key=f"schedule.move.{each.nonce}",
            )


def _take_back(nonce: str) -> None:
    undone = rescheduling.take_back(context.store(), nonce, nonce=uuid4().hex, now=context.now())
    if not isinstance(undone, Refused):
        n = number(len(undone.card_ids), context.language())
        st.session_state[SAID] = (True, say("schedule.move.taken_back", n=n))


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
