"""All labs: run them, see what ran, what this device can do, and what was recorded on other GPUs.

`?lab=NAME` brings a lab into view, `?run=ID` opens a run.
"""

from __future__ import annotations

import streamlit as st

from app_pages import context, device_view
from app_pages.elsewhere import elsewhere
from app_pages.lab_words import of
from app_pages.labs_list import labs_list, recorded_results, runs_table, under_way
from app_pages.run_detail import run_detail
from app_pages.words import say
from engine.measure.fault import MeasureError

TABS = ("labs", "runs", "device", "elsewhere", "recorded")
KEY = "labs.tab"

opened = st.query_params.get("run")
if opened is not None:
    run_detail(opened)
else:
    st.title(say("labs.title"), anchor=False)
    under_way()
    tab = st.segmented_control(
        say("labs.title"),
        TABS,
        default=TABS[0],
        required=True,
        format_func=lambda name: say(f"labs.tab.{name}"),
        label_visibility="collapsed",
        key=KEY,
    )
    try:
        if tab == "runs":
            runs_table()
        elif tab == "device":
            device_view.device_view()
        elif tab == "elsewhere":
            elsewhere()
        elif tab == "recorded":
            recorded_results({name: of(info, name) for name, info in context.labs().items()})
        else:
            labs_list(st.query_params.get("lab"))
    except MeasureError as error:
        st.error(str(error), icon=":material/error:")
