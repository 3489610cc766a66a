"""Graphs as HTML and SVG in the app's colours: no library to wait for, text that stays readable on a phone.

Each is a figure with its picture in words, and its numbers as a table that opens below it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages.graphs.bars import bars
from app_pages.graphs.curve import curve
from app_pages.graphs.figure import Series, Table
from app_pages.graphs.heat import heat

__all__ = ["Series", "Table", "bars", "curve", "graphs", "heat"]

_HERE = Path(__file__).parent
_SHEET = _HERE.parent / "sheet"

_graphs = st.components.v2.component(
    "benchcards.graphs",
    html='<div class="sheet" data-part="sheet"></div>',
    css="".join(file.read_text(encoding="utf-8") for file in (_SHEET / "sheet.css", _HERE / "graphs.css")),
    js=(_SHEET / "sheet.js").read_text(encoding="utf-8"),
)


def graphs(html: str, *, key: str) -> None:
    """Shows figures and tables. Every text in them must have been escaped by whoever made it."""
    _graphs(key=key, data={"html": html})
