"""The learner's own traces, snapshots and reports: dropped in, read, compared, made into cards.

`?file=ID` opens one, `&against=ID` sets another beside it.
"""

from __future__ import annotations

import streamlit as st

from app_pages.own_files.intake import intake
from app_pages.own_files.listing import listing
from app_pages.own_files.opened import opened
from app_pages.wide import wide
from app_pages.words import say

wide()
chosen = st.query_params.get("file")
if chosen is not None:
    opened(chosen)
else:
    st.title(say("your_files.title"), anchor=False)
    st.caption(say("your_files.hint"))
    intake()
    listing()
