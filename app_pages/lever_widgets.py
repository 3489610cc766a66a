"""The levers of a lab as widgets, each with its range."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app_pages.lab_words import LabWords
from engine.measure.catalogue import LabInfo, LeverInfo
from engine.measure.events import Scalar


def start_values(info: LabInfo, wanted: Mapping[str, str], *, gpu: bool) -> dict[str, Scalar]:
    """The levers' defaults, changed by what a card asks for; what a lever doesn't take is left out.

    Without a GPU a card's wish gives way to the default where it would take a CPU too long.
    """
    values: dict[str, Scalar] = {}
    for lever in info.levers:
        text = wanted.get(lever.name)
        read = None if text is None else _read(lever, text)
        too_long = not gpu and lever.on_cpu and read not in lever.on_cpu
        values[lever.name] = lever.default if read is None or too_long else read
    return values


def lever_widgets(
    info: LabInfo, words: LabWords, start: Mapping[str, Scalar], *, key: str
) -> dict[str, Scalar]:
    """Draws a widget for each lever and returns what they are set to."""
    return {
        lever.name: _widget(lever, words, start[lever.name], key=f"{key}.{lever.name}")
        for lever in info.levers
    }


def settings_text(params: Mapping[str, Scalar], words: LabWords) -> str:
    """Settings on one line: "Model: llama-3-8b · Batch: 1". What is empty isn't named."""
    return " · ".join(
        f"{words.lever(name)}: {words.value(value)}"
        for name, value in params.items()
        if value not in ("", None)
    )


def _widget(lever: LeverInfo, words: LabWords, start: Scalar, *, key: str) -> Scalar:
    label = words.lever(lever.name)
    hint = words.find(f"lever.{lever.name}.help")
    if lever.choices:
        choices = list(lever.choices)
        place = choices.index(start) if start in choices else 0
        chosen: Scalar = st.selectbox(
            label, choices, index=place, format_func=words.value, help=hint, key=key
        )
        return chosen
    if isinstance(lever.default, bool):
        return st.toggle(label, value=bool(start), help=hint, key=key)
    if isinstance(lever.default, int) and isinstance(start, int | float):
        return st.number_input(
            label,
            value=int(start),
            min_value=None if lever.low is None else int(lever.low),
            max_value=None if lever.high is None else int(lever.high),
            step=1,
            help=hint,
            key=key,
        )
    if isinstance(lever.default, float) and isinstance(start, int | float):
        return st.number_input(
            label, value=float(start), min_value=lever.low, max_value=lever.high, help=hint, key=key
        )
    return st.text_input(label, value=str(start), help=hint, key=key)


def _read(lever: LeverInfo, text: str) -> Scalar:
    """The lever's value that a deck's text means; None where the lever doesn't take it."""
    if lever.choices:
        return next((choice for choice in lever.choices if str(choice) == text), None)
    try:
        match lever.default:
            case bool():
                return {"true": True, "false": False}.get(text.lower())
            case int() | float():
                value = type(lever.default)(text)
                low = -float("inf") if lever.low is None else lever.low
                high = float("inf") if lever.high is None else lever.high
                return value if low <= value <= high else None
    except ValueError:
        return None
    return text
