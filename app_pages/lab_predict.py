"""Predict, then run: a prediction of one of the numbers that a lab measures, before it is run."""

from __future__ import annotations

from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.claims_table import hardware_name
from app_pages.in_words import in_words
from app_pages.markup import plain
from app_pages.numbers import unit_sign
from app_pages.review_card.predicting import Predicting
from app_pages.words import say
from engine.claims import as_if
from engine.study.card import Card, ClaimText

Choice = tuple[Card, ClaimText]


def predict_first(lab: str) -> None:
    """A popover with the lab's claims and a field; nothing where no card has a claim that it measures."""
    choices = [
        (card, claim)
        for card in context.library().by_id.values()
        for claim in card.claims
        if claim.measured is not None and claim.measured.lab == lab
    ]
    if not choices:
        return
    key = f"predict.{lab}"
    with st.popover(say("predict.first"), icon=":material/edit_note:", key=f"{key}.box"):
        place = st.selectbox(
            say("review.card.predict.which"),
            range(len(choices)),
            format_func=lambda place: _label(choices[place]),
            key=f"{key}.which",
        )
        card, claim = choices[place]
        sign = unit_sign(claim.says.unit)
        gpu = as_if.target(context.as_if_gpu(), claim)
        st.text_input(
            f"{say('review.card.predict.title')}{f' ({sign})' if sign else ''}",
            placeholder=say("review.card.predict.hint"),
            max_chars=200,
            key=f"{key}.text",
        )
        st.caption(say("review.card.predict.on", gpu=hardware_name(gpu) or gpu))
        st.button(
            say("review.card.predict.keep"),
            key=f"{key}.keep",
            on_click=_keep,
            args=(key, card, claim),
        )
        said = st.session_state.pop(f"{key}.said", None)
        if said is not None:
            (st.success if said[0] else st.error)(said[1])


def _label(choice: Choice) -> str:
    card, claim = choice
    return f"{claim.label or claim.id} · {plain(card.title)}"


@in_words
def _keep(key: str, card: Card, claim: ClaimText) -> None:
    text = str(st.session_state[f"{key}.text"])
    predicting = Predicting(
        store=context.store(),
        library=context.library,
        language=context.language(),
        zone=context.zone(),
        picked=context.as_if_gpu(),
    )
    op = {"nonce": uuid4().hex, "card_id": card.id, "claim_id": claim.id, "text": text}
    refused = predicting.carry_out(op, context.now())
    if refused is None:
        st.session_state[f"{key}.text"] = ""
        st.session_state[f"{key}.said"] = (True, say("predict.kept", text=text))
    else:
        st.session_state[f"{key}.said"] = (False, say(f"review.refused.{refused.code}", **refused.args))
