"""The schedule: what a retention costs, parameters of one's own, easy days, a backlog, what would move."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.schedule_fit import fit_section
from app_pages.schedule_moves import preview_section
from app_pages.schedule_parts import backlog_section, easy_days_section
from app_pages.schedule_retention import retention_section
from app_pages.words import say

context.library()
st.title(say("schedule.title"), anchor=False)
st.caption(say("schedule.hint"))
retention_section()
fit_section()
easy_days_section()
backlog_section()
preview_section()
