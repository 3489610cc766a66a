"""Axes, scales and colours that every chart shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt
import streamlit as st

from app_pages.numbers import number, scaled
from engine.measure.events import Scalar

TIME_UNITS = frozenset({"ms", "us", "s"})
LOG_FROM = 60
"""A scale is logarithmic from this ratio between its largest and smallest value."""


def unit_scale(values: Iterable[Scalar], unit: str) -> tuple[str, float, str]:
    """The unit, what to multiply values with to draw them, and the sign of the drawn unit."""
    largest = max((abs(float(value)) for value in values if isinstance(value, int | float)), default=0.0)
    shown, sign = scaled(largest, unit)
    return unit, (shown / largest if largest else 1.0), sign


def value_scale(values: Sequence[float], *, zero: bool) -> alt.Scale:
    low, high = min(values), max(values)
    if low > 0 and high / low >= LOG_FROM:
        return alt.Scale(type="log", nice=False)
    return alt.Scale(zero=zero)


def number_axis(language: str, **options: Any) -> alt.Axis:
    """An axis whose numbers have the separators of the language."""
    if number(1.5, language) == "1.50":
        return alt.Axis(**options)
    swapped = "replace(replace(replace(datum.label, regexp(',', 'g'), '_'), '.', ','), regexp('_', 'g'), '.')"
    return alt.Axis(labelExpr=swapped, **options)


def axis_title(name: str, sign: str) -> str:
    return f"{name} ({sign})" if sign else name


def theme_colour(name: str) -> str:
    """A colour of the theme in use by its option's name, such as `borderColor`."""
    return str(st.get_option(f"theme.{theme()}.{name}") or "gray")


def series_colours() -> list[str]:
    """The colours of things that are told apart."""
    palette = st.get_option(f"theme.{theme()}.chartCategoricalColors")
    return [str(each) for each in palette] if isinstance(palette, list) and palette else ["#0b6e66"]


def ink_colour() -> str:
    return theme_colour("textColor")


def accent_colour() -> str:
    return theme_colour("orangeColor")


def first_colour() -> str:
    return series_colours()[0]


def theme() -> str:
    """`light` or `dark`, as the browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"
