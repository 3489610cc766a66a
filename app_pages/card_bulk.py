"""Doing something to many cards at once: suspend, bury, mark, tag, reset; each with a way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import streamlit as st

from app_pages import context
from app_pages.words import knows, say
from engine.store import StoreError
from engine.study.card import Card
from engine.study.card_changes import Changed, change, undo_change
from engine.study.change_log import Kind
from engine.study.refused import Refused

DONE = "cards.done"
"""What was done in this tab, the last at the end."""
FAULT = "cards.fault"
ROUND = "cards.opened"
"""Counts what empties the choice of rows: the table begins anew."""
TAG = "cards.tag"
PLAIN: tuple[tuple[Kind, str], ...] = (
    ("suspend", ":material/pause:"),
    ("unsuspend", ":material/play_arrow:"),
    ("bury", ":material/bedtime:"),
    ("unbury", ":material/wb_sunny:"),
    ("mark", ":material/star:"),
    ("unmark", ":material/star_border:"),
)


@dataclass(frozen=True, slots=True)
class Done:
    """A change that can be taken back."""

    nonce: str
    kind: Kind
    cards: int
    value: str | None


def bulk_actions(chosen: Sequence[Card], found: Sequence[Card]) -> None:
    """The buttons: for the chosen rows, or for every card found where none is chosen."""
    cards = chosen or found
    key = "browse.for_chosen" if chosen else "browse.for_found"
    with st.popover(
        say(key, n=len(cards)), icon=":material/checklist:", key="cards.change", help=say("browse.choose")
    ):
        with st.grid(2):
            for kind, icon in PLAIN:
                st.button(
                    say(f"browse.do.{kind}"),
                    icon=icon,
                    on_click=_do,
                    args=(cards, kind),
                    key=f"cards.do.{kind}",
                    width="stretch",
                )
        st.text_input(say("browse.tag"), placeholder=say("browse.tag.hint"), max_chars=64, key=TAG)
        with st.grid(2):
            for kind in ("tag", "untag"):
                st.button(
                    say(f"browse.do.{kind}"),
                    on_click=_do_tag,
                    args=(cards, kind),
                    key=f"cards.do.{kind}",
                    width="stretch",
                )
        st.caption(say("browse.reset.help"))
        st.button(
            say("browse.do.reset", n=len(cards)),
            icon=":material/restart_alt:",
            on_click=_do,
            args=(cards, "reset"),
            key="cards.do.reset",
            width="stretch",
        )


def done_line() -> None:
    """What was done last, with the button that takes it back; or why it could not be done."""
    fault = st.session_state.get(FAULT)
    if fault:
        st.error(fault, icon=":material/error:")
    done: list[Done] = st.session_state.get(DONE, [])
    if not done:
        return
    last = done[-1]
    with st.container(horizontal=True, vertical_alignment="center", key="cards.done_line"):
        text = say(f"browse.done.{last.kind}", n=last.cards, tag=last.value or "")
        st.markdown(f":material/check: {text}", width="content")
        st.button(
            say("browse.undo"), icon=":material/undo:", on_click=_undo, key="cards.undo", type="tertiary"
        )


def _do_tag(cards: Sequence[Card], kind: Kind) -> None:
    _do(cards, kind, str(st.session_state.get(TAG) or "").strip())


def _do(cards: Sequence[Card], kind: Kind, value: str | None = None) -> None:
    nonce = uuid4().hex
    st.session_state.pop(FAULT, None)
    context.desk()  # the store knows every card that is shown
    try:
        outcome = change(
            context.store(),
            [card.id for card in cards],
            kind,
            value=value,
            now=context.now(),
            zone=context.zone(),
            nonce=nonce,
        )
    except StoreError as error:
        st.session_state[FAULT] = str(error)
        return
    if isinstance(outcome, Changed):
        st.session_state.setdefault(DONE, []).append(Done(nonce, kind, len(outcome.card_ids), value))
        st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    else:
        st.session_state[FAULT] = _refused(outcome)


def _undo() -> None:
    done: list[Done] = st.session_state.get(DONE, [])
    if not done:
        return  # a double click
    st.session_state.pop(FAULT, None)
    last = done.pop()
    try:
        outcome = undo_change(context.store(), last.nonce, nonce=uuid4().hex, now=context.now())
    except StoreError as error:
        done.append(last)
        st.session_state[FAULT] = str(error)
        return
    if isinstance(outcome, Refused):
        st.session_state[FAULT] = _refused(outcome)


def _refused(outcome: Refused) -> str:
    key = f"browse.refused.{outcome.code}"
    return say(key) if knows(key) else say("browse.refused", code=outcome.code)
