"""The language of searches in the reader's words: the help beside the field, and what is wrong."""

from __future__ import annotations

import streamlit as st

from app_pages.words import knows, say
from engine.study.search.faults import SearchFault

EXAMPLES = (
    ("text", 'băng thông "memory bandwidth"'),
    ("not", "decode -prefill"),
    ("or", "(gap or 空隙) GPU"),
    ("wild", "cuda*Async"),
    ("word", "w:warp"),
    ("field", "title:MBU answer:bytes pitfall:*"),
    ("deck", "deck:*zh tag:memory tag:none"),
    ("is", "is:due is:new is:suspended is:leech"),
    ("prop", "prop:ivl>=21 prop:lapses>2 prop:r<0.8"),
    ("days", "prop:due<=3 rated:7:1 introduced:1"),
    ("choice", "kind:term lang:zh priority:high"),
)


def search_help() -> None:
    """A button that shows what can be written."""
    with st.popover(say("browse.help"), icon=":material/help:", key="cards.help", type="tertiary"):
        st.markdown(say("browse.help.intro"))
        rows = "\n".join(f"| `{example}` | {say(f'browse.help.{name}')} |" for name, example in EXAMPLES)
        head = f"| {say('browse.help.write')} | {say('browse.help.finds')} |\n|---|---|"
        st.markdown(f"{head}\n{rows}")
        st.caption(say("browse.help.more"))


def fault_text(fault: SearchFault) -> str:
    """What is wrong with a search and the way out."""
    key = f"browse.fault.{fault.code}"
    return say(key, **fault.args_of) if knows(key) else str(fault)
