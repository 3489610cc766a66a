"""Callbacks whose fault the reader is told in words; the page that they belong to is drawn as always."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from engine.faults import BenchcardsError

P = ParamSpec("P")


def in_words(callback: Callable[P, None]) -> Callable[P, None]:
    """The callback, with a fault of ours (a full or read-only disk, say) in a message that stays.

    Streamlit runs callbacks before the page and shows what they raise as a fault of the program.
    """

    @wraps(callback)
    def telling(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except BenchcardsError as fault:
            st.toast(str(fault), icon=":material/error:", duration="infinite")

    return telling
