"""The mock interview: set-up, question, review and report, as the address and the stored clock say."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app_pages import context, interview_report, interview_setup
from app_pages.interview_recordings import recorder, recordings
from app_pages.interview_room import interview_room
from app_pages.interview_room.payload import envelope, question_payload, review_payload
from app_pages.interview_room.talk import Doing, Ledger, Talk
from app_pages.words import say
from engine.interview.agree import given_rating
from engine.interview.question import Interview, Question
from engine.study.card import Library
from engine.study.queue import Outcome
from engine.study.study_day import to_ms

KEY, LEDGER = "interview", "interview.ledger"


def _ledger() -> Ledger:
    if LEDGER not in st.session_state:
        st.session_state[LEDGER] = Ledger()
    ledger: Ledger = st.session_state[LEDGER]
    return ledger


def _talk() -> Talk:
    """What the component said last."""
    state = st.session_state.get(KEY)
    return Talk.read(state.get("talk") if isinstance(state, Mapping) else None)


def _carry_out() -> None:
    """Texts and deeds as they come, also where the page is left in the same moment."""
    here = context.house()
    if any(op.get("back") is True and op["nonce"] not in _ledger().done for op in _talk().ops):
        st.query_params.pop("review", None)  # the review was looked at again: back to the report
    doing = Doing(context.interviews(), here.store, context.desk(), context.zone(), context.now())
    _ledger().carry_out(_talk(), doing)


def _show(data: dict[str, object]) -> None:
    talk = _talk()
    now_ms = to_ms(context.now())
    interview_room(
        key=KEY,
        data=envelope(context.language(), now_ms, talk, _ledger()) | data,
        on_talk=_carry_out,
    )


def _page() -> None:
    _carry_out()
    wanted = st.query_params.get("session")
    if not wanted:
        _show({})
        interview_setup.setup_page()
        return
    interview = context.interviews().get(wanted, to_ms(context.now()))
    if interview is None:
        _show({})
        st.warning(say("interview.gone", id=wanted[:64]), icon=":material/search_off:")
        _leave_button()
        return
    if any(question.clock.predict_used_ms is not None for question in interview.questions):
        from app_pages.interview_predictions import keep_predictions  # the numbers of claims

        keep_predictions(interview)
    again = _reviewed_again(interview)
    question = interview.current
    if again is not None:
        _review(interview, again, revisited=True)
    elif question is not None:
        _show(question_payload(interview, question, to_ms(context.now())))
        recorder(interview, question)
        _leave_button()
    elif interview.to_review is not None:
        _review(interview, interview.to_review, revisited=False)
    else:
        _show({})
        recorder(interview, None)
        interview_report.report_page(interview)


def _reviewed_again(interview: Interview) -> Question | None:
    """The answer that the address asks to see again (`&review=3`), once everything was asked."""
    wanted = st.query_params.get("review", "")
    if not wanted.isdecimal() or not interview.is_over:
        return None
    place = int(wanted) - 1
    if not 0 <= place < len(interview.questions) or not interview.questions[place].reviewed:
        return None
    return interview.questions[place]


def _review(interview: Interview, question: Question, *, revisited: bool) -> None:
    library, store = context.library(), context.house().store
    given = question.rating if question.rating is not None else given_rating(store, question)
    _show(
        review_payload(
            interview,
            question,
            language=context.language(),
            outcomes=_outcomes(question, library),
            given=given,
            revisited=revisited,
        )
    )
    recorder(interview, None if revisited else question)
    recordings(interview, question)
    if question.clock.predict_used_ms is not None:
        from app_pages.interview_predictions import why_not_counted

        why = why_not_counted(question)
        if why is not None:
            st.caption(say("interview.prediction_not_counted", reason=why))
    card = library.by_id.get(question.asked.card_id)
    if card is not None and (card.labs or card.claims):
        from app_pages.evidence import evidence_panel  # charts and tables

        with st.container(key="evidence"):
            evidence_panel(card)
    _leave_button()


def _outcomes(question: Question, library: Library) -> tuple[Outcome, ...] | None:
    """What each rating would lead to; None where no deck holds the card."""
    if question.asked.card_id not in library.by_id:
        return None
    return context.desk().item(question.asked.card_id, context.now(), context.zone()).outcomes


def _leave_button() -> None:
    st.button(
        say("interview.leave"),
        icon=":material/arrow_back:",
        on_click=_leave,
        type="tertiary",
        key="interview.leave",
    )


def _leave() -> None:
    for name in ("session", "review"):
        st.query_params.pop(name, None)


_page()
