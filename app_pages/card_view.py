"""One card: its text with the answer open, where it stands, and everything that was answered."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

import streamlit as st

from app_pages import context, seen
from app_pages.card_list import due_text
from app_pages.notebook_view import card_notebook
from app_pages.numbers import clock, moment, number
from app_pages.review_card.payload import words
from app_pages.sheet import card_sheet, sheet
from app_pages.words import interval, say
from engine.claims import sightings
from engine.study.card import Card, Library
from engine.study.card_state import CardState
from engine.study.review_log import Review


def card_view(card: Card, library: Library) -> None:
    """The card with its state, history, and the evidence for its numbers."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(say("cards.back"), icon=":material/arrow_back:", on_click=_back, type="tertiary")
        st.page_link(
            "app_pages/write.py",
            label=say("write.edit"),
            icon=":material/edit:",
            query_params={"card": card.id},
        )
    titles = {deck.id: deck.title for deck in library.decks}
    title = titles.get(card.deck, card.deck)
    face = context.faces().of(card, title)
    card_sheet(face, words(context.language()), key=f"card.{card.id}")
    seen.note([sightings.of_card(card.id)])
    _standing(card)
    card_notebook(card)
    if card.labs or card.claims:
        from app_pages.evidence import evidence_panel  # charts and tables

        evidence_panel(card)


def _back() -> None:
    st.query_params.pop("card", None)


def _standing(card: Card) -> None:
    desk = context.desk()
    state, history = desk.state(card.id), desk.history(card.id)
    st.subheader(say("cards.standing"), anchor=False)
    sheet(_state_list(card, state), key=f"card.{card.id}.state")
    if history:
        st.markdown(f"**{say('cards.history')}**")
        sheet(_history_table(history), key=f"card.{card.id}.history")


def _state_list(card: Card, state: CardState) -> str:
    language = context.language()
    entries = [("state", say(f"cards.state.{state.phase}"))]
    if state.phase != "new":
        entries.append(("due", due_text(state)))
    if state.stability is not None:
        entries.append(("stability", say("cards.days", n=number(state.stability, language))))
    if state.difficulty is not None:
        entries.append(("difficulty", f"{number(state.difficulty, language, 2)} / 10"))
    if state.reps:
        entries += [("reps", str(state.reps)), ("lapses", str(state.lapses))]
    if card.topics:
        entries.append(("topics", ", ".join(card.topics)))
    entries.append(("file", f"{card.file}:{card.line}"))
    items = "".join(
        f"<dt>{escape(say(f'cards.entry.{name}'))}</dt><dd>{escape(value)}</dd>" for name, value in entries
    )
    return f"<dl>{items}</dl>"


def _history_table(history: tuple[Review, ...]) -> str:
    """The answers, the newest first; those taken back are struck through and marked."""
    names = ("when", "rating", "given", "stability_change", "took")
    head = "".join(f'<th scope="col">{escape(say(f"cards.history.{name}"))}</th>' for name in names)
    body = "".join(map(_history_row, reversed(history)))
    label = escape(say("cards.history"))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _history_row(review: Review) -> str:
    language = context.language()
    when = moment(datetime.fromtimestamp(review.reviewed_at_ms / 1000, UTC), context.zone(), language)
    mark = f' <span class="tag">{escape(say("cards.undone"))}</span>' if review.undone else ""
    cells = (
        say(f"grade.{review.rating}"),
        interval(language, review.shown[review.rating - 1]),
        f"{_standing_text(review.state_before)} → {_standing_text(review.state_after)}",
        clock(review.answer_ms / 1000),
    )
    row = "".join(f"<td>{escape(text)}</td>" for text in cells)
    return (
        f'<tr{" class=undone" if review.undone else ""}><td class="plain">{escape(when)}{mark}</td>{row}</tr>'
    )


def _standing_text(state: CardState) -> str:
    """A state in short: its phase, and its stability where it has one."""
    phase = say(f"cards.state.{state.phase}")
    if state.stability is None:
        return phase
    return f"{phase} ({say('cards.days', n=number(state.stability, context.language(), 2))})"
