"""What every page shows where the database can't be used: what is wrong, and the backups there are."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.words import say
from engine.faults import BenchcardsError
from engine.folders import data_folder
from engine.store import StoreDamaged
from engine.store.backup import restore


def show(fault: BenchcardsError) -> None:
    """Says what is wrong; for a damaged database it offers each sound backup."""
    if not isinstance(fault, StoreDamaged):
        st.error(f"**{say('unusable.title')}**\n\n{fault}", icon=":material/database_off:")
        st.button(say("unusable.again"), icon=":material/refresh:")
        return
    key = "damaged.text" if fault.backups else "damaged.none"
    text = say(key, path=fault.path, detail=fault.detail)
    st.error(f"**{say('damaged.title')}**\n\n{text}", icon=":material/database_off:")
    for chosen in fault.backups:
        if st.button(say("damaged.restore", name=chosen.name), icon=":material/history:", key=str(chosen)):
            context.close(data_folder())
            restore(fault.path, chosen)
            st.toast(say("damaged.restored", name=chosen.name))
            st.rerun()
