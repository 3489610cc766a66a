"""The scores of interviews over time, drawn. Altair and pandas are imported here only."""

from __future__ import annotations

import altair as alt
import pandas as pd
import streamlit as st

from app_pages import context
from app_pages.numbers import percent
from app_pages.words import say

HEIGHT = 220


def score_chart(scores: list[tuple[str, float]]) -> None:
    """One point an interview, the oldest first. scores: when, and 0 to 1."""
    language = context.language()
    rows = [
        {"place": place, "when": when, "score": score * 100, "text": percent(score, language)}
        for place, (when, score) in enumerate(scores, 1)
    ]
    base = alt.Chart(pd.DataFrame(rows)).encode(
        x=alt.X(
            "place:O",
            title=say("interview.chart_x"),
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        ),
        y=alt.Y("score:Q", title=say("interview.chart_y"), scale=alt.Scale(domain=[0, 100])),
        tooltip=[
            alt.Tooltip("when:N", title=say("interview.column.when")),
            alt.Tooltip("text:N", title=say("interview.fact.score")),
        ],
    )
    line = base.mark_line(strokeWidth=2)
    points = base.mark_point(filled=True, size=50, opacity=1)
    ends = f"{scores[0][0]}: {rows[0]['text']}; {scores[-1][0]}: {rows[-1]['text']}"
    st.markdown(f"**{say('interview.chart_title')}**")
    st.altair_chart(
        (line + points).properties(height=HEIGHT),
        alt=f"{say('interview.chart_title')}: {ends}",
        key="interview.history.chart",
    )
