"""Numbers predicted in an interview count in the calibration, each once, from when its clock was over."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.review_card.predicting import Predicting
from app_pages.words import knows, say
from engine.interview.question import Interview, Question
from engine.store import StoreError

KEPT = "interview.predictions"


def keep_predictions(interview: Interview) -> None:
    """Hands every prediction over whose time is over; what was handed over already is kept once."""
    for question in interview.questions:
        if question.clock.predict_used_ms is not None and question.draft("predict").text.strip():
            _keep(question)


def why_not_counted(question: Question) -> str | None:
    """Why the prediction of a question doesn't count in the calibration; None where it does."""
    return _outcomes().get(_name(question))


def _keep(question: Question) -> None:
    live, name = question.asked.live, _name(question)
    if live is None or name in _outcomes():
        return
    predicting = Predicting(
        store=context.store(),
        library=context.library,
        language=context.language(),
        zone=context.zone(),
        picked=context.as_if_gpu(),
    )
    op = {
        "nonce": name,
        "card_id": question.asked.card_id,
        "claim_id": live.claim_id,
        "text": question.draft("predict").text,
    }
    try:
        refused = predicting.carry_out(op, context.now())
    except StoreError:
        return  # a full disk, say: the number lies with the answer and is handed over at the next run
    if refused is None:
        _outcomes()[name] = None
        return
    key = f"review.refused.{refused.code}"
    _outcomes()[name] = say(key, **refused.args) if knows(key) else refused.code


def _name(question: Question) -> str:
    return f"i-{question.interview_id[:48]}-{question.place}-p"


def _outcomes() -> dict[str, str | None]:
    found: dict[str, str | None] = st.session_state.setdefault(KEPT, {})
    return found
