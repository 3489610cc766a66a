"""Notes what numbers a page showed: they can't be predicted any more on that day."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from app_pages import context
from engine.claims import sightings
from engine.claims.evidence import EvidenceRow
from engine.measure.events import Series
from engine.store import StoreError


def note(subjects: Iterable[str]) -> None:
    """Remembers these subjects of `engine.claims.sightings` as seen now; tells the reader where it can't."""
    try:
        sightings.note(context.store(), subjects, now=context.now(), zone=context.zone())
    except StoreError as error:
        st.toast(str(error), icon=":material/error:")


def rows(shown: Iterable[EvidenceRow]) -> None:
    """Claims shown with their measurements."""
    note([subject for row in shown for subject in sightings.of_row(row.card, row.claim)])


def charts(lab: str, metrics: Iterable[str], series: Iterable[Series]) -> None:
    """Charts of a result: variants of metrics, and series, whose columns are named as metrics are."""
    names = dict.fromkeys((*metrics, *(column for each in series for column in each.columns)))
    note(sightings.of_chart(lab, name) for name in names)
