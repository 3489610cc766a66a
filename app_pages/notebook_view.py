"""Lines of the mistake notebook with what can be done to them: on a card's page, and in the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import streamlit as st

from app_pages import context, notebook_lines
from app_pages.escaped import escape_markdown
from app_pages.notebook_lines import Line
from app_pages.sheet import sheet
from app_pages.words import knows, say
from engine.faults import BenchcardsError
from engine.study import notebook
from engine.study.card import Card
from engine.study.notebook import LONGEST, Kind, NotebookRefused
from engine.study.search import plain_markdown

NONCES = "notebook.nonces"
"""The name that the next row of each field gets: a click that comes twice is written once."""


def card_notebook(card: Card) -> None:
    """The card's own lines, and a field for another one."""
    st.subheader(say("notebook.title"), anchor=False)
    kept = notebook.entries(context.store(), [card.id]).get(card.id, ())
    for line in notebook_lines.of_card(card, kept):
        line_box(line, with_card=False)
    new_line(card.id, key=f"card.{card.id}")


def new_line(card_id: str, *, key: str, begin: str = "") -> None:
    """A field for a line on a card: Enter keeps it."""
    field = f"notebook.new.{key}"
    st.text_input(
        say("notebook.new"),
        value=begin,
        max_chars=LONGEST,
        placeholder=say("notebook.new_hint"),
        key=field,
        on_change=_keep_new,
        args=(card_id, field),
    )


def _keep_new(card_id: str, field: str) -> None:
    text = str(st.session_state[field])
    if text.strip():
        do(card_id, "note", field, text=text)
        st.session_state[field] = ""


def line_box(line: Line, *, with_card: bool = True) -> None:
    """One line: what it says, how often it was made, and its buttons."""
    mistake = line.mistake
    key = f"notebook.{mistake.card_id}.{mistake.nonce}"
    with st.container(border=True, gap="small"):
        if with_card:
            _card_link(line)
        if line.tip and line.card is not None:
            from app_pages.markup import block, deck_folder  # a card's page does without

            html = block(line.text, deck_folder(line.card.file))
            sheet(f'<div class="prose" lang="{line.card.language}">{html}</div>', key=f"{key}.pitfall")
        else:
            st.markdown(escape_markdown(line.text))
        st.caption(" · ".join(facts(line)))
        about = {"card_id": mistake.card_id, "about": mistake.nonce}
        with st.container(horizontal=True, gap="small"):
            st.button(
                say("notebook.again"),
                icon=":material/replay:",
                on_click=_act,
                args=("again", key),
                kwargs=about,
                key=f"{key}.again",
                help=say("notebook.again_help"),
            )
            if mistake.settled or mistake.times:
                kind: Kind = "reopen" if mistake.settled else "settle"
                st.button(
                    say(f"notebook.{kind}"),
                    icon=":material/check:" if kind == "settle" else ":material/undo:",
                    on_click=_act,
                    args=(kind, key),
                    kwargs=about,
                    key=f"{key}.{kind}",
                    type="tertiary",
                )
            if not line.tip:
                with st.popover(say("notebook.reword"), type="tertiary", key=f"{key}.popover"):
                    field = f"{key}.text"
                    st.text_input(
                        say("notebook.line"),
                        value=mistake.text,
                        max_chars=LONGEST,
                        key=field,
                        on_change=_reword,
                        args=(mistake.card_id, mistake.nonce, field),
                    )


def _card_link(line: Line) -> None:
    if line.card is None:
        st.markdown(f"`{line.mistake.card_id}`")
        return
    st.page_link(
        "app_pages/cards.py",
        label=escape_markdown(plain_markdown(line.card.title)),
        icon=":material/style:",
        query_params={"card": line.card.id},
    )


def facts(line: Line) -> Sequence[str]:
    """How often it was made, and when; and where it comes from."""
    mistake = line.mistake
    said = [say("notebook.from_deck")] if line.tip else []
    if mistake.times:
        said.append(say("notebook.times", n=mistake.times))
        same = mistake.first_day == mistake.last_day
        said.append(
            mistake.first_day
            if same
            else say("notebook.days", first=mistake.first_day, last=mistake.last_day)
        )
    if mistake.forgotten:
        said.append(say("notebook.forgotten", n=mistake.forgotten))
    if mistake.settled:
        said.append(say("notebook.settled"))
    return said


def _act(kind: Kind, field: str, *, card_id: str, about: str) -> None:
    do(card_id, kind, f"{field}.{kind}", about=about)


def _reword(card_id: str, about: str, field: str) -> None:
    do(card_id, "reword", field, text=str(st.session_state[field]), about=about)


def do(card_id: str, kind: Kind, field: str, *, text: str = "", about: str = "") -> None:
    """Adds a row, once for each nonce of the field; what is refused is said."""
    nonces: dict[str, str] = st.session_state.setdefault(NONCES, {})
    nonce = nonces.setdefault(field, uuid4().hex)
    try:
        notebook.write(
            context.store(),
            card_id,
            kind,
            nonce=nonce,
            now=context.now(),
            zone=context.zone(),
            text=text,
            about=about,
        )
    except NotebookRefused as refused:
        key = f"notebook.refused.{refused.code}"
        st.toast(say(key, **refused.args_of_code) if knows(key) else str(refused), icon=":material/error:")
    except BenchcardsError as error:
        st.toast(str(error), icon=":material/error:")
    else:
        nonces.pop(field, None)
        st.toast(say("notebook.kept"), icon=":material/check:")


def missed_points(points: Sequence[tuple[str, str, str]]) -> None:
    """After an interview: a field for each missed point (card id, its title, the point): what was wrong?"""
    if not points:
        return
    with st.expander(say("notebook.missed"), icon=":material/edit_note:"):
        st.caption(say("notebook.missed_help"))
        for place, (card_id, title, heading) in enumerate(points):
            st.markdown(f"**{escape_markdown(title)}**: {escape_markdown(heading)}")
            new_line(card_id, key=f"missed.{place}.{card_id}")
