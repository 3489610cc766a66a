"""Colours and axes of the pictures of memory: those of the theme, numbers as the language writes them."""

from __future__ import annotations

from typing import Any

import altair as alt
import streamlit as st

from app_pages.numbers import number


def number_axis(language: str, **options: Any) -> alt.Axis:
    """An axis whose numbers have the separators of the language."""
    if number(1.5, language) == "1.50":
        return alt.Axis(**options)
    swapped = "replace(replace(replace(datum.label, regexp(',', 'g'), '_'), '.', ','), regexp('_', 'g'), '.')"
    return alt.Axis(labelExpr=swapped, **options)


def colour(name: str) -> str:
    """A colour of the theme by its option's name, such as `borderColor`."""
    return str(st.get_option(f"theme.{_theme()}.{name}") or "gray")


def series_colours() -> list[str]:
    """The colours of things that are told apart."""
    palette = st.get_option(f"theme.{_theme()}.chartCategoricalColors")
    return [str(each) for each in palette] if isinstance(palette, list) and palette else ["#0b6e66"]


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"
