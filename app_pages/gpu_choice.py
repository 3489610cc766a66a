"""The choice of the GPU that predictions are for: this machine, or "as if on" one of the spec table."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.in_words import in_words
from app_pages.numbers import quantity
from app_pages.words import say
from engine.claims import as_if
from engine.measure.hardware import this_device
from engine.measure.specs import spec


def gpu_choice(*, key: str) -> None:
    """A select box; the choice is kept at once and counts wherever predictions are shown."""
    options = (None, *as_if.choices())
    kept = context.as_if_gpu()
    st.selectbox(
        say("as_if.label"),
        options,
        index=options.index(kept),
        format_func=_name,
        help=say("as_if.help"),
        key=f"{key}.{kept}",  # another generation of the box where it was set elsewhere
        on_change=_save,
        args=(f"{key}.{kept}",),
    )


def source_line(key: str) -> str:
    """Where a GPU's figures come from, in a line."""
    row = spec(key)
    if row is None:
        return ""
    language = context.language()
    bandwidth = quantity(row.bandwidth / 1e9, "GB/s", language, 4)
    rates = " · ".join(
        f"{dtype} {quantity(rate / 1e12, 'TFLOP/s', language)}"
        for dtype in ("bf16", "fp16")
        if (rate := row.peak(dtype)) is not None
    )
    return say("as_if.source", name=row.name, bandwidth=bandwidth, rates=rates, source=row.source)


def _name(key: str | None) -> str:
    if key is None:
        return say("as_if.here", device=this_device().name)
    row = spec(key)
    return key if row is None else row.name


@in_words
def _save(key: str) -> None:
    context.save_as_if(st.session_state[key])
