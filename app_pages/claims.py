"""All claims of all decks: said, computed, predicted for a GPU, measured, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from app_pages import context, seen
from app_pages.claims_table import Reader, all_claims_table
from app_pages.gpu_choice import gpu_choice, source_line
from app_pages.lab_words import of
from app_pages.made import made_by_claim
from app_pages.markup import plain
from app_pages.sheet import sheet
from app_pages.wide import wide
from app_pages.words import say
from engine.claims.evidence import EvidenceRow, evidence, tally
from engine.measure.fault import MeasureError
from engine.study.card import Library

OUTCOMES = ("holds", "differs", "not_measured", "card_off", "fault")
NO_LAB = ""
Filter = tuple[str, Sequence[str], Callable[[EvidenceRow], set[str]], Callable[[str], str]]
"""Name, choices, what of a row they choose by, and the word for a choice."""


def _rows(library: Library) -> list[EvidenceRow]:
    hardware, results = context.claim_hardware(), context.claim_results()
    return [row for card in library.by_id.values() for row in evidence(card, hardware, results)]


def _outcomes(row: EvidenceRow) -> set[str]:
    """The verdict, and beside it whether the card's own figure is off or the claim can't be worked out."""
    if row.fault is not None:
        return {"fault"}
    return {row.verdict.outcome, *(["card_off"] if row.follows is False else [])}


def _lab(row: EvidenceRow) -> set[str]:
    return {NO_LAB if row.claim.measured is None else row.claim.measured.lab}


def _filtered(rows: list[EvidenceRow], library: Library, labs: dict[str, str]) -> list[EvidenceRow]:
    titles = {deck.id: deck.title for deck in library.decks}
    found = sorted({name for row in rows for name in _lab(row)})
    kept = rows
    filters: tuple[Filter, ...] = (
        ("deck", list(titles), lambda row: {row.card.deck}, lambda deck: titles.get(deck, deck)),
        ("verdict", OUTCOMES, _outcomes, lambda name: say(f"claims.verdict.{name}")),
        ("lab", found, _lab, lambda name: labs.get(name, name) if name else say("claims.no_lab")),
    )
    with st.grid(3):
        for name, choices, of_row, word in filters:
            chosen = set(
                st.multiselect(
                    say(f"claims.filter.{name}"),
                    choices,
                    format_func=word,
                    placeholder=say("cards.filter_all"),
                    key=f"claims.filter.{name}",
                )
            )
            kept = [row for row in kept if not chosen or of_row(row) & chosen]
    return kept


def _counts(rows: Sequence[EvidenceRow]) -> str:
    counts = tally(row for row in rows if row.fault is None)
    parts = [say(f"claims.count.{name}", n=counts.get(name, 0)) for name in OUTCOMES[:3]]
    off = sum(row.follows is False for row in rows)
    faults = sum(row.fault is not None for row in rows)
    if off:
        parts.append(say("claims.count.card_off", n=off))
    if faults:
        parts.append(say("claims.count.fault", n=faults))
    return " · ".join(parts)


@st.fragment
def all_claims() -> None:
    """Filters, the GPU, and the table; what it shows counts as seen."""
    library = context.library()
    labs = {name: of(info, name).title for name, info in context.labs().items()}
    gpu_choice(key="claims.gpu")
    rows = _rows(library)
    shown = _filtered(rows, library, labs)
    st.markdown(f"**{say('claims.shown', shown=len(shown), all=len(rows))}** · {_counts(shown)}")
    if not shown:
        st.info(say("claims.none"), icon=":material/search_off:")
        return
    hardware = shown[0].hardware
    if hardware.key:
        st.caption(source_line(hardware.key))
    made = made_by_claim()
    reader = Reader(context.language(), context.zone(), labs, made)
    titles = {row.card.id: plain(row.card.title) for row in shown}
    sheet(all_claims_table(shown, reader, titles), key="claims.table")
    seen.rows(shown)


wide()
st.title(say("claims.title"), anchor=False)
st.caption(say("claims.hint"))
try:
    all_claims()
except MeasureError as error:
    st.error(str(error), icon=":material/error:")
