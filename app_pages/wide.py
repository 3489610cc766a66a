"""Room for broad tables. Not by the page's configuration: that is set anew in every run, and the page would
jump."""

from __future__ import annotations

import streamlit as st


def wide() -> None:
    """Lets this page's content be as broad as its tables need."""
    st.html("<style>.stMainBlockContainer { max-width: 78rem; }</style>")
