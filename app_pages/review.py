"""The daily review: the card in view, graded from the keyboard, a mouse or a thumb."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

import streamlit as st

from app_pages import context
from app_pages.due_title import show_due
from app_pages.review_card import review_card
from app_pages.review_card.noting import Noting
from app_pages.review_card.payload import Reader, payload
from app_pages.review_card.practising import Practising
from app_pages.review_card.predicting import Predicting
from app_pages.review_card.talk import Ledger, Talk, View
from app_pages.study_address import notice, scope_of, sitting_of
from app_pages.words import say
from engine.claims import as_if, sightings
from engine.measure.specs import spec
from engine.store import StoreError
from engine.study.card import Library
from engine.study.desk import Queue
from engine.study.review_keys import parse_keys

KEY = "review"
REFRESH = 600.0
"""Seconds; as text ("10m") it would have Streamlit import pandas."""
SESSION, LEDGER = "review.session", "review.ledger"
UNWRITTEN = "review.unwritten"
"""Why nothing could be written when an answer was last revealed."""


def _talk() -> Talk:
    """What the component said last."""
    state = st.session_state.get(KEY)
    return Talk.read(state.get("talk") if isinstance(state, Mapping) else None)


def _ledger() -> Ledger:
    if LEDGER not in st.session_state:
        st.session_state[LEDGER] = Ledger()
        st.session_state[SESSION] = uuid4().hex
    ledger: Ledger = st.session_state[LEDGER]
    return ledger


def _carry_out() -> None:
    """Operations as they come, also where the page is left in the same moment."""
    _do(_talk())


def _do(talk: Talk) -> None:
    """Carries out what the component asks for; then a revealed answer counts as seen."""
    predicting = Predicting(
        store=context.store(),
        library=context.library,
        language=context.language(),
        zone=context.zone(),
        picked=context.as_if_gpu(),
    )
    desk, zone, now = context.house().desk, context.zone(), context.now()
    practising = Practising(context.store())
    _ledger().carry_out(
        talk.ops,
        desk=desk,
        zone=zone,
        now=now,
        predicting=predicting,
        practising=practising,
        noting=Noting(context.store(), zone),
    )
    if talk.view is not None and talk.view.revealed:
        _seen(sightings.of_card(talk.view.card_id), now, zone)


def _seen(subject: str, now: datetime, zone: str) -> None:
    """A full or read-only disk is told on the page: an answer to come would be lost there too."""
    try:
        sightings.note(context.store(), [subject], now=now, zone=zone)
    except StoreError as error:
        st.session_state[UNWRITTEN] = str(error)
    else:
        st.session_state.pop(UNWRITTEN, None)


def _predicts_for() -> str | None:
    """The name of the GPU that predictions are for; None: the one that each card speaks of."""
    key = context.as_if_gpu() or as_if.here()
    row = spec(key) if key else None
    return None if row is None else row.name


# The interval also makes the browser ask for a full run when it has found a restarted server again; without
# one it would go on naming a fragment that the new server never heard of.
@st.fragment(run_every=REFRESH)
def daily_review() -> None:
    notices = st.container()
    library, desk = context.library(), context.house().desk
    talk, ledger = _talk(), _ledger()
    _do(talk)
    reader = Reader(
        session=st.session_state[SESSION],
        language=context.language(),
        zone=context.zone(),
        now=context.now(),
        predicts_for=_predicts_for(),
        keys=parse_keys(context.settings().review_keys),
        sitting=sitting_of(library),
    )
    data, queue = payload(
        reader=reader,
        library=library,
        desk=desk,
        faces=context.faces(),
        talk=talk,
        outcomes=ledger.of(talk.ops),
        decks=scope_of(library),
    )
    review_card(key=KEY, data=data, on_talk=_carry_out)
    show_due(queue.counts)
    with notices:
        _clock_notice(queue, reader)
        if UNWRITTEN in st.session_state:
            st.error(st.session_state[UNWRITTEN], icon=":material/error:")
    if talk.view is not None and talk.view.revealed:
        _evidence(talk.view, library)


def _clock_notice(queue: Queue, reader: Reader) -> None:
    if queue.clock_warning == "clock_set_back" and queue.last_answer_ms is not None:
        last = datetime.fromtimestamp(queue.last_answer_ms / 1000, UTC).astimezone(ZoneInfo(reader.zone))
        st.warning(say("review.clock_set_back", last=f"{last:%Y-%m-%d %H:%M}"), icon=":material/schedule:")


def _evidence(view: View, library: Library) -> None:
    card = library.by_id.get(view.card_id)
    if card is None or not (card.labs or card.claims):
        return
    from app_pages.evidence import evidence_panel  # charts and tables: not before an answer needs them

    with st.container(key="evidence"):
        evidence_panel(card, at_leisure=view.stays)


def _deck_notices(library: Library) -> None:
    if library.faults:
        names = ", ".join(sorted({Path(fault.file).name for fault in library.faults}))
        st.warning(say("review.faulty_decks", names=names), icon=":material/report:")
        st.page_link("app_pages/cards.py", label=say("review.faulty_decks_link"))
    if not library.by_id:
        st.info(say("review.no_cards", folder=context.deck_folders()[1]), icon=":material/style:")


_deck_notices(context.library())
notice(context.library())
daily_review()
st.page_link("app_pages/study.py", label=say("study.link"), icon=":material/tune:")
