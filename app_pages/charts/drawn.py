"""What every chart has: its picture with what it says in words, and how it gets onto the page."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import streamlit as st


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with what it shows in words, for those who don't see it."""

    title: str
    chart: alt.LayerChart | alt.FacetChart
    alt: str
    shows: tuple[str, ...] = ()
    """The metrics whose values can be read off it, by name."""


def show(drawn: Drawn, *, key: str) -> None:
    """Puts the chart on the page, under its title."""
    st.markdown(f"**{drawn.title}**")
    st.altair_chart(drawn.chart, alt=drawn.alt, key=key)
