"""The Streamlit entry: page config and navigation."""

from __future__ import annotations

import streamlit as st

from app_pages import damaged
from app_pages.due_title import last_title, show_due
from app_pages.words import say
from engine.folders import DataFolderUnusable
from engine.store import StoreError

# An emoji, because a picture would import numpy and Pillow before the first card, and a symbol asks a font
# service on the network.
st.set_page_config(page_title=last_title(), page_icon="📇", layout="centered")
# Streamlit leaves a hand's breadth above a page, which on a laptop is a third of a card.
st.html("<style>.stMainBlockContainer { padding-top: 4rem; }</style>")
# What is chosen stands in Streamlit's primary colour, which is too dark for text on the dark theme.
st.html("<style>button[data-variant][data-selected=true] { color: inherit !important; }</style>")

page = st.navigation(
    [
        st.Page("app_pages/review.py", title=say("nav.review"), icon=":material/school:", default=True),
        st.Page(
            "app_pages/interview.py",
            title=say("nav.interview"),
            icon=":material/record_voice_over:",
            url_path="interview",
        ),
        st.Page("app_pages/cards.py", title=say("nav.cards"), icon=":material/style:", url_path="cards"),
        st.Page(
            "app_pages/notebook.py",
            title=say("nav.notebook"),
            icon=":material/menu_book:",
            url_path="notebook",
        ),
        st.Page(
            "app_pages/statistics.py",
            title=say("nav.statistics"),
            icon=":material/bar_chart:",
            url_path="statistics",
        ),
        st.Page("app_pages/labs.py", title=say("nav.labs"), icon=":material/speed:", url_path="labs"),
        st.Page(
            "app_pages/your_files.py",
            title=say("nav.files"),
            icon=":material/query_stats:",
            url_path="analyse",
        ),
        st.Page(
            "app_pages/claims.py", title=say("nav.claims"), icon=":material/fact_check:", url_path="claims"
        ),
        st.Page(
            "app_pages/record.py", title=say("nav.record"), icon=":material/table_chart:", url_path="record"
        ),
        st.Page(
            "app_pages/calibration.py",
            title=say("nav.calibration"),
            icon=":material/target:",
            url_path="calibration",
        ),
        st.Page(
            "app_pages/settings.py", title=say("nav.settings"), icon=":material/tune:", url_path="settings"
        ),
        st.Page("app_pages/write.py", title=say("nav.write"), url_path="write", visibility="hidden"),
        st.Page(
            "app_pages/schedule.py",
            title=say("nav.schedule"),
            url_path="schedule",
            visibility="hidden",
        ),
        st.Page(
            "app_pages/interview_history.py",
            title=say("interview.history"),
            url_path="interview_history",
            visibility="hidden",
        ),
        st.Page("app_pages/study.py", title=say("study.title"), url_path="study", visibility="hidden"),
    ],
    position="top",
)
try:
    page.run()
    if page.url_path:  # the review page knows the count itself
        show_due()
except (StoreError, DataFolderUnusable) as fault:
    damaged.show(fault)
