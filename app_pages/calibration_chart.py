"""Predictions over time: how many times too high or too low each was. Imports altair and pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from app_pages.markup import plain
from app_pages.numbers import number
from app_pages.words import phrase
from engine.claims.calibration import Compared

FARTHEST = 100.0
"""A prediction that is farther off is drawn at this factor."""


def over_time(found: Sequence[Compared], language: str) -> None:
    """A dot for each prediction, on a scale where twice and half are equally far from right."""
    rows: list[dict[str, Any]] = [
        {
            "number": place,
            "day": each.prediction.study_day,
            "ratio": min(max(each.ratio, 1 / FARTHEST), FARTHEST),
            "times": f"{number(each.ratio, language, 2)}×",
            "claim": each.evidence.claim.label or each.evidence.claim.id,
            "card": plain(each.evidence.card.title),
        }
        for place, each in enumerate(found, start=1)
        if each.ratio is not None
    ]
    frame = pd.DataFrame(rows)
    title = phrase(language, "calibration.axis")
    base = alt.Chart(frame).encode(
        x=alt.X("number:Q", title=phrase(language, "calibration.axis_x"), axis=alt.Axis(tickMinStep=1)),
        y=alt.Y(
            "ratio:Q",
            title=title,
            scale=alt.Scale(type="log", domain=_domain([row["ratio"] for row in rows])),
            axis=alt.Axis(values=[0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100], format="~g"),
        ),
        tooltip=[
            alt.Tooltip("day:N", title=phrase(language, "calibration.when")),
            alt.Tooltip("claim:N", title=phrase(language, "calibration.claim")),
            alt.Tooltip("card:N", title=phrase(language, "nav.cards")),
            alt.Tooltip("times:N", title=title),
        ],
    )
    right = alt.Chart(pd.DataFrame([{"ratio": 1.0}])).mark_rule(strokeDash=[5, 3]).encode(y="ratio:Q")
    chart = alt.layer(
        right, base.mark_line(strokeWidth=1, opacity=0.4), base.mark_point(filled=True, size=70)
    )
    said = "; ".join(f"{row['day']}: {row['times']}" for row in rows)
    st.altair_chart(chart.properties(height=260), alt=f"{title}. {said}", key="calibration.over_time")


def _domain(ratios: Sequence[float]) -> list[float]:
    """From half to twice at least, as wide as the dots need, 1 in the middle."""
    far = max([2.0, *ratios, *(1 / ratio for ratio in ratios)]) * 1.15
    return [1 / far, far]
