"""All interviews: how they went over time, topic by topic, and deleting one."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

import streamlit as st

from app_pages import context
from app_pages.interview_recordings import recording_trouble
from app_pages.interview_words import band_of_score, column_heads
from app_pages.numbers import clock, moment, percent
from app_pages.sheet import sheet
from app_pages.words import say
from engine.interview.fault import RecordingError
from engine.interview.question import Interview
from engine.interview.report import (
    asked_questions,
    mean_score,
    repeated_misses,
    time_used_ms,
    topic_scores,
)
from engine.store import StoreError
from engine.study.study_day import to_ms

DRAWN_FROM = 2
"""Interviews that make a trend."""

MOST_TOPICS = 6


def history_page() -> None:
    st.title(say("interview.history"), anchor=False)
    st.page_link("app_pages/interview.py", label=say("interview.title"), icon=":material/arrow_back:")
    every = context.interviews().all(to_ms(context.now()))
    if not every:
        st.info(say("interview.history_none"), icon=":material/history:")
        return
    scored = [each for each in reversed(every) if mean_score(asked_questions(each)) is not None]
    if len(scored) >= DRAWN_FROM:
        _trends(scored)
    _repeated(every)
    st.subheader(say("interview.all_interviews"), anchor=False)
    for interview in every:
        _one(interview)


def _when(interview: Interview) -> str:
    began = datetime.fromtimestamp(interview.started_at_ms / 1000, UTC)
    return moment(began, context.zone(), context.language())


def _one(interview: Interview) -> None:
    questions = asked_questions(interview)
    score = mean_score(questions)
    said = [say(f"interview.mode.{interview.setup.mode}")]
    said.append(say("interview.answered_of", n=len(questions), all=len(interview.questions)))
    said.append(clock(sum(map(time_used_ms, questions)) / 1000 + 0.5))
    if score is not None:
        said.append(f"**{band_of_score(score)}** ({percent(score, context.language())})")
    if not interview.is_over:
        said.append(say("interview.open"))
    with st.container(border=True, key=f"interview-history-{interview.id}"):
        st.markdown(f"**{_when(interview)}** · {' · '.join(said)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                "app_pages/interview.py",
                label=say("interview.to_report") if interview.is_over else say("interview.resume"),
                icon=":material/assignment:",
                query_params={"session": interview.id},
            )
            st.button(
                say("interview.delete"),
                icon=":material/delete:",
                type="tertiary",
                key=f"interview.delete.{interview.id}",
                on_click=_ask,
                args=(interview.id,),
            )


def _ask(interview_id: str) -> None:
    st.session_state["interview.deleting"] = interview_id


def _deleting() -> None:
    """Asks before an interview is deleted."""
    interview_id = st.session_state.pop("interview.deleting", None)
    if interview_id is None:
        return
    interview = context.interviews().get(interview_id, to_ms(context.now()))
    if interview is not None:
        st.dialog(say("interview.delete_title"))(_confirm)(interview)


def _confirm(interview: Interview) -> None:
    sounds = sum(len(question.recordings) for question in interview.questions)
    st.markdown(
        say("interview.delete_text", when=_when(interview), n=len(interview.questions), sounds=sounds)
    )
    with st.container(horizontal=True):
        if st.button(say("interview.delete_keep"), key="interview.delete_keep"):
            st.rerun()
        if st.button(say("interview.delete_for_good"), type="primary", key="interview.delete_do"):
            try:
                context.interviews().delete(interview.id)
            except RecordingError as error:
                st.error(recording_trouble(error), icon=":material/error:")
            except StoreError as error:
                st.error(str(error), icon=":material/error:")
            else:
                st.rerun()


def _trends(scored: list[Interview]) -> None:
    """The score of each interview as a line, and the topics asked most as a table."""
    from app_pages.interview_chart import score_chart  # charts

    score_chart([(_when(each), mean_score(asked_questions(each)) or 0.0) for each in scored])
    questions = [question for each in scored for question in asked_questions(each)]
    topics = sorted(topic_scores(questions).items(), key=lambda pair: (-len(pair[1]), pair[0]))[:MOST_TOPICS]
    language = context.language()
    head = column_heads(("topic", "asked", "first", "latest"))
    rows = "".join(
        f'<tr><th scope="row">{escape(topic)}</th><td class="number">{len(scores)}</td>'
        f'<td class="number">{percent(scores[0], language)}</td>'
        f'<td class="number">{percent(scores[-1], language)}</td></tr>'
        for topic, scores in topics
    )
    st.subheader(say("interview.topic_trend"), anchor=False)
    sheet(
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>", key="interview.history.topics"
    )


def _repeated(every: tuple[Interview, ...]) -> None:
    repeated = repeated_misses(every)[:MOST_TOPICS]
    if not repeated:
        return
    st.subheader(say("interview.repeated"), anchor=False)
    items = "".join(
        f"<li><b>{escape(each.heading)}</b> <small>{escape(say('interview.missed_in', n=each.times))}</small>"
        f' · <a href="cards?card={escape(each.card_id)}">{escape(each.card_title)}</a></li>'
        for each in repeated
    )
    sheet(f"<ul>{items}</ul>", key="interview.history.repeated")


history_page()
_deleting()
