"""The daily review: the card in view, graded from the keyboard, a mouse or a thumb."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path
from zoneinfo import ZoneInfo

import streamlit as st

from app_pages import context, due_title, review_line
from app_pages.review_card import review_card
from app_pages.review_card.payload import Reader
from app_pages.review_card.session import ReviewSession, heard
from app_pages.review_card.talk import Edit, View
from app_pages.study_address import notice, scope_of, sitting_of
from app_pages.words import say
from engine.claims import as_if
from engine.measure.specs import spec
from engine.study.card import Library
from engine.study.desk import Queue
from engine.study.review_keys import parse_keys

KEY = "review"
REFRESH = 600.0
"""Seconds; as text ("10m") it would have Streamlit import pandas."""
SESSION = "review.session"
EDITED = "review.edited"
"""The wish to edit a card that was done with last (`payload.Reader.edited`)."""


def _session() -> ReviewSession:
    """The review of this browser session. Held here alone, so that it ends with it."""
    if SESSION not in st.session_state:
        st.session_state[SESSION] = ReviewSession(due_title.shown())
    session: ReviewSession = st.session_state[SESSION]
    return session


def _carry_out() -> None:
    """Operations as they come, also where the page is left in the same moment."""
    _session().carry_out(heard(st.session_state.get(KEY)))


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
    library, session = context.library(), _session()
    reader = Reader(
        session=session.id,
        language=context.language(),
        zone=context.zone(),
        now=context.now(),
        predicts_for=_predicts_for(),
        keys=parse_keys(context.settings().review_keys),
        sitting=sitting_of(library),
        line=review_line.address(),
        edited=st.session_state.get(EDITED),
    )
    session.look(reader, scope_of(library))
    data, queue = session.respond(heard(st.session_state.get(KEY)))
    review_card(key=KEY, data=data, on_talk=_carry_out)
    due_title.show_due(queue.counts)
    with notices:
        _clock_notice(queue, reader)
        if session.unwritten is not None:
            st.error(session.unwritten, icon=":material/error:")
    if session.view is not None and session.view.revealed:
        _evidence(session.view, library)
    if session.edit is not None and session.edit.nonce != (reader.edited or {}).get("nonce"):
        _edit(session.edit, library)


def _edit(wish: Edit, library: Library) -> None:
    """The card's text over the review, until it is saved or closed."""
    card = library.by_id.get(wish.card_id)
    if card is None:
        return  # gone since; the review shows another by now
    from app_pages.edit_over import edit_over  # the parser, checks and editor: not before somebody edits

    edit_over(card, wish.nonce, lambda path: _edited(wish, path))


def _edited(wish: Edit, path: Path | None) -> None:
    message = "" if path is None else say("write.saved", path=path)
    st.session_state[EDITED] = {"nonce": wish.nonce, "message": message}


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
        # the component shows none of it before all of it is that of the card in view
        st.html(f'<span data-evidence-of="{escape(card.id)}"></span>')


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
