"""Before an interview: one click for five questions in five minutes, or a set-up of one's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.numbers import moment
from app_pages.words import say
from engine.interview.draw import Standing, candidates
from engine.interview.fault import InterviewError
from engine.interview.question import Interview
from engine.interview.setup import QUICK, RANGES, Setup
from engine.study import card_changes
from engine.study.card import Library
from engine.study.study_day import to_ms

NEXT_ID = "interview.next"
CHOSEN = "interview.setup"
WEIGHTS = ("due", "weak", "priority", "never_asked")


def setup_page() -> None:
    library = context.library()
    st.title(say("interview.title"), anchor=False)
    st.markdown(say("interview.about"))
    if not library.by_id:
        st.info(say("interview.no_cards"), icon=":material/style:")
        return
    _open_interviews()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("interview.quick"),
            icon=":material/bolt:",
            type="primary",
            key="interview.quick",
            on_click=_start,
            args=(_quick(library),),
        )
        st.page_link(
            "app_pages/interview_history.py", label=say("interview.history"), icon=":material/history:"
        )
    st.caption(say("interview.quick.help"))
    _own_setup(library)


def _quick(library: Library) -> Setup:
    """Five questions from the decks that the daily review takes, or from all where it takes none."""
    left_out = context.settings().decks_left_out.split()
    decks = [deck.id for deck in library.decks]
    taken = tuple(deck for deck in decks if deck not in left_out)
    return QUICK if len(taken) == len(decks) else replace(QUICK, decks=taken)


def _own_setup(library: Library) -> None:
    with st.container(border=True, key="interview-setup"):
        st.subheader(say("interview.own"), anchor=False)
        setup = _strictness(_kept())
        setup = _cards(setup, library)
        fitting = len(candidates(library, setup, suspended=_suspended()))
        if fitting == 0:
            st.warning(say("interview.fits_none"), icon=":material/filter_list_off:")
        elif fitting < setup.questions:
            st.caption(say("interview.fits_fewer", n=fitting))
        else:
            st.caption(say("interview.fits", n=fitting))
        st.button(
            say("interview.start"),
            icon=":material/play_arrow:",
            disabled=fitting == 0,
            key="interview.start",
            on_click=_start,
            args=(setup,),
        )


def _strictness(setup: Setup) -> Setup:
    mode = st.segmented_control(
        say("interview.mode"),
        ("practice", "real"),
        default=setup.mode,
        required=True,
        format_func=lambda name: say(f"interview.mode.{name}"),
        help=say("interview.mode.help"),
        key="interview.mode",
    )
    with st.grid(3):
        questions = _number("questions", setup.questions)
        seconds = _number("seconds", setup.seconds, step=10)
        thinking = _number("thinking", setup.thinking, step=5)
    with st.container(horizontal=True):
        follow_ups = st.checkbox(
            say("interview.follow_ups"), value=setup.follow_ups, key="interview.follow_ups"
        )
        live = st.checkbox(
            say("interview.live"), value=setup.live, help=say("interview.live.help"), key="interview.live"
        )
    follow_up_seconds = setup.follow_up_seconds
    if follow_ups:
        with st.grid(3):
            follow_up_seconds = _number("follow_up_seconds", setup.follow_up_seconds, step=5)
    return replace(
        setup,
        mode="real" if mode == "real" else "practice",
        questions=questions,
        seconds=seconds,
        thinking=thinking,
        follow_ups=follow_ups,
        follow_up_seconds=follow_up_seconds,
        live=live,
    )


def _number(name: str, value: int, step: int = 1) -> int:
    low, high = RANGES[name]
    with st.container():
        return int(
            st.number_input(
                say(f"interview.{name}"),
                min_value=low,
                max_value=high,
                value=value,
                step=step,
                key=f"interview.{name}",
            )
        )


def _cards(setup: Setup, library: Library) -> Setup:
    titles = {deck.id: deck.title for deck in library.decks}
    every = library.by_id.values()
    languages: list[str] = sorted({card.language for card in every})
    topics = sorted({topic for card in every for topic in card.topics})
    decks = _several("decks", list(titles), setup.decks, titles)
    named = {code: say(f"language.{code}") for code in languages}
    chosen_languages = _several("languages", languages, setup.languages, named) if len(languages) > 1 else ()
    chosen_topics = _several("topics", topics, setup.topics, {topic: topic for topic in topics})
    weights = st.pills(
        say("interview.weights"),
        WEIGHTS,
        selection_mode="multi",
        default=[name for name in WEIGHTS if getattr(setup, name)],
        format_func=lambda name: say(f"interview.weight.{name}"),
        key="interview.weights",
    )
    return replace(
        setup,
        decks=decks,
        languages=chosen_languages,
        topics=chosen_topics,
        due="due" in weights,
        weak="weak" in weights,
        priority="priority" in weights,
        never_asked="never_asked" in weights,
    )


def _several(
    name: str, choices: list[str], chosen: tuple[str, ...], words: dict[str, str]
) -> tuple[str, ...]:
    return tuple(
        st.multiselect(
            say(f"interview.{name}"),
            choices,
            default=[each for each in chosen if each in choices],
            format_func=lambda each: words.get(each, each),
            placeholder=say("interview.all"),
            key=f"interview.{name}",
        )
    )


def _kept() -> Setup:
    """What was chosen last in this session, else in the last interview that was set up by hand."""
    kept = st.session_state.get(CHOSEN)
    if isinstance(kept, Setup):
        return kept
    by_hand = (each.setup for each in _all() if replace(each.setup, decks=()) != QUICK)
    setup = next(by_hand, Setup())
    st.session_state[CHOSEN] = setup
    return setup


def _all() -> tuple[Interview, ...]:
    return context.interviews().all(to_ms(context.now()))


def _start(setup: Setup) -> None:
    """Begins an interview under the id that waits for it: a second click begins no second one."""
    interview_id = st.session_state.setdefault(NEXT_ID, uuid4().hex)
    try:
        context.interviews().start(
            interview_id, setup, context.library(), standing(), now_ms=to_ms(context.now())
        )
    except InterviewError:  # decks went while the page was open
        st.toast(say("interview.fits_none"), icon=":material/error:")
        return
    st.session_state.pop(NEXT_ID)
    st.session_state.pop(CHOSEN, None)
    st.query_params["session"] = interview_id


def standing() -> Standing:
    """What the draw knows of the cards."""
    desk, interviews = context.desk(), _all()
    last: dict[str, str | None] = {}
    for interview in reversed(interviews):  # the oldest first: the last answer to a card counts
        for question in interview.questions:
            if question.clock.outcome in ("answered", "skipped"):
                last[question.asked.card_id] = question.marks.band
    return Standing(
        states=desk.states(),
        today=desk.today(context.now(), context.zone()).study_day,
        asked=frozenset(last),
        went_badly=frozenset(card for card, band in last.items() if band in ("patchy", "weak")),
        suspended=_suspended(),
    )


def _suspended() -> frozenset[str]:
    return frozenset(card for card, flags in card_changes.flags(context.store()).items() if flags.suspended)


def _open_interviews() -> None:
    """Interviews that were broken off: to go on with, or to close with what is there."""
    for interview in _all():
        if interview.is_over:
            continue
        began = datetime.fromtimestamp(interview.started_at_ms / 1000, UTC)
        done = sum(question.clock.phase == "done" for question in interview.questions)
        with st.container(border=True, key=f"interview-open-{interview.id}"):
            line = say(
                "interview.open_line",
                when=moment(began, context.zone(), context.language()),
                mode=say(f"interview.mode.{interview.setup.mode}"),
                done=done,
                all=len(interview.questions),
            )
            st.markdown(f"**{say('interview.open')}** · {line}")
            with st.container(horizontal=True):
                st.button(
                    say("interview.resume"),
                    icon=":material/play_arrow:",
                    key=f"interview.resume.{interview.id}",
                    on_click=_resume,
                    args=(interview.id,),
                )
                st.button(
                    say("interview.close"),
                    icon=":material/task_alt:",
                    key=f"interview.close.{interview.id}",
                    on_click=_close,
                    args=(interview.id,),
                )


def _resume(interview_id: str) -> None:
    st.query_params["session"] = interview_id


def _close(interview_id: str) -> None:
    context.interviews().close(interview_id, to_ms(context.now()))
    st.query_params["session"] = interview_id
