"""A trace: the diagnosis with its evidence, the figures of each device, the timeline, the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from app_pages import context
from app_pages.own_files.compare import against, comparison
from app_pages.own_files.diagnosis import codes, diagnosis
from app_pages.own_files.tables import rows_of
from app_pages.own_files.teach import teach
from app_pages.own_files.trace_figures import figures
from app_pages.own_files.trace_tables import tables
from app_pages.own_files.trace_timeline import timeline
from app_pages.words import say

if TYPE_CHECKING:
    from engine.measure.analyse.jobs import AnalysisState


def trace_view(state: AnalysisState, analysis: Mapping[str, Any]) -> None:
    """Everything that the trace shows. `analysis`: as `python -m engine analyse --json` prints it."""
    language = context.language()
    key = f"files.{state.id}"
    diagnosis(analysis, language, key=key)
    taught = codes(analysis)
    devices = rows_of(analysis.get("devices"))
    if devices:
        other = against(state, key=key)
        if other is not None:
            taught = [*comparison(state, analysis, other, key=key), *taught]
        else:
            _device(state, devices, key=key)
    else:
        timeline(state, {}, key=key)  # the CPU's threads say something, too
    teach([*taught, *(["gap"] if devices else [])], key=key)


def _device(state: AnalysisState, devices: list[Mapping[str, Any]], *, key: str) -> None:
    chosen = devices[0]
    if len(devices) > 1:
        place = st.segmented_control(
            say("your_files.device"),
            range(len(devices)),
            default=0,
            required=True,
            format_func=lambda number: f"GPU {devices[number].get('device')}",
            key=f"{key}.device",
        )
        chosen = devices[place or 0]
    figures(chosen, context.language(), key=key)
    timeline(state, chosen, key=key)
    tables(state, chosen, key=key)
