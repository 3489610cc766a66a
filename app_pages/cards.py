"""All cards: browse, search, filter; one card with its answer, its state and its history."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.card_list import card_list
from app_pages.card_view import card_view
from app_pages.wide import wide
from app_pages.words import say
from engine.study.card import Fault, Library


def _faults(library: Library) -> None:
    """Each broken deck with what is wrong in it; all other decks work."""
    by_file: dict[str, list[Fault]] = {}
    for fault in library.faults:
        by_file.setdefault(fault.file, []).append(fault)
    if not by_file:
        return
    title = say("cards.faulty", names=", ".join(Path(file).name for file in by_file))
    with st.expander(title, icon=":material/report:", expanded=True):
        st.caption(say("cards.faulty_hint"))
        for file, faults in by_file.items():
            lines = "\n".join(f"{fault.line}: {fault.field}: {fault.message}" for fault in faults)
            st.markdown(f"`{file}`")
            if Path(file).parent == context.deck_folders()[1]:
                st.page_link(
                    "app_pages/write.py",
                    label=say("write.mend"),
                    icon=":material/edit:",
                    query_params={"file": Path(file).name},
                )
            st.code(lines, language=None, wrap_lines=True)


def _own_decks() -> None:
    with st.expander(say("cards.own"), icon=":material/create_new_folder:"):
        own = context.deck_folders()[1]
        st.markdown(say("cards.own_hint"))
        st.code(str(own), language=None)
        st.code(EXAMPLE, language="yaml")


EXAMPLE = """\
deck:
  id: my-deck
  title: My deck
  language: en
  document: My notes
cards:
  - id: my-deck-first
    kind: question
    title: What bounds decode at batch 1?
    prompt: Say what to measure first.
    answer:
      - heading: Memory bandwidth
        text: Every step reads all weights once.
    source: {section: Decode}
"""

library = context.library()
chosen = library.by_id.get(st.query_params.get("card", ""))
if chosen is not None:
    card_view(chosen, library)
else:
    wide()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.title(say("cards.title"), anchor=False)
        st.page_link("app_pages/write.py", label=say("write.open"), icon=":material/edit_square:")
    if "card" in st.query_params:
        st.info(say("cards.unknown", id=st.query_params["card"]), icon=":material/search_off:")
    _faults(library)
    card_list(library)
    _own_decks()
