"""Notes in Markdown or TSV, brought in as cards: what would happen is shown before it is done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st

from app_pages import context
from app_pages.words import say
from engine.faults import BenchcardsError
from engine.study.deck_bytes import MAX_BYTES
from engine.study.notes.bring_in import SUFFIXES, NotesPlan, NotesReport, parse_notes, plan_notes, write_notes
from engine.study.notes.note import Notes

ROUND = "write.notes.round"
"""Counts files brought in: the field is empty again for the next one."""
LOOKED = "write.notes.looked"
NAMED = 8
EXAMPLE = "## What is MBU?\nTopics: mbu\n\n### Floor over measured time\nThe floor is bytes ÷ bandwidth.\n"


@dataclass(frozen=True, slots=True)
class Looked:
    """A file that was looked at: its notes, or why they can't be cards; `done`: they are."""

    file: str
    notes: Notes | None = None
    fault: str = ""
    done: NotesReport | None = None


def notes_section(labs: Collection[str]) -> None:
    """The field that takes a file of notes, and what its import would do."""
    with st.expander(say("write.notes"), icon=":material/note_add:"):
        st.caption(say("write.notes_help"))
        st.code(EXAMPLE, language="markdown")
        st.file_uploader(
            say("write.notes_file"),
            type=[suffix.removeprefix(".") for suffix in SUFFIXES],
            max_upload_size=MAX_BYTES // 1024**2,
            key=_field(),
            on_change=_look,
        )
        looked: Looked | None = st.session_state.get(LOOKED)
        if looked is not None:
            _show(looked, labs)


def _field() -> str:
    return f"write.notes.{st.session_state.get(ROUND, 0)}"


def _look() -> None:
    file = st.session_state[_field()]
    if file is None:
        st.session_state.pop(LOOKED, None)
        return
    try:
        st.session_state[LOOKED] = Looked(file.name, parse_notes(file.getvalue(), file.name))
    except BenchcardsError as error:
        st.session_state[LOOKED] = Looked(file.name, fault=str(error))


def _plan(looked: Looked, labs: Collection[str]) -> NotesPlan | None:
    """What the notes become in the decks as they are now; None where they can't, which is said."""
    if looked.notes is None:
        return None
    own = context.deck_folders()[1]
    try:
        return plan_notes(looked.notes, looked.file, own=own, library=context.library(), lab_names=labs)
    except BenchcardsError as error:
        st.error(say("write.notes_refused"), icon=":material/error:")
        st.code(str(error), language=None, wrap_lines=True)
        return None


def _show(looked: Looked, labs: Collection[str]) -> None:
    if looked.fault:
        st.error(say("write.notes_refused"), icon=":material/error:")
        st.code(looked.fault, language=None, wrap_lines=True)
        return
    if looked.done is not None:
        st.success(say("write.notes_done", path=looked.done.path), icon=":material/check:")
        _lines(looked.done)
        return
    plan = _plan(looked, labs)
    if plan is None:
        return
    with st.container(border=True):
        made = "write.notes_makes" if plan.report.makes_deck else "write.notes_into"
        st.markdown(f"**{say(made, deck=plan.report.deck)}**")
        _lines(plan.report)
        st.button(
            say("write.notes_do"),
            icon=":material/note_add:",
            type="primary",
            disabled=not plan.report.changes,
            on_click=_bring_in,
            args=(looked, plan, labs),
            key="write.notes.do",
        )


def _bring_in(looked: Looked, plan: NotesPlan, labs: Collection[str]) -> None:
    try:
        write_notes(plan, context.library(), lab_names=labs)
    except BenchcardsError as error:
        st.session_state[LOOKED] = Looked(looked.file, fault=str(error))
        return
    st.session_state[LOOKED] = Looked(looked.file, done=plan.report)
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def _lines(report: NotesReport) -> None:
    """How many cards are new, changed, and as they were, each with its first titles."""
    for name, titles in (("new", report.new), ("changed", report.changed), ("same", report.same)):
        st.markdown(f"- {say(f'write.notes_{name}', n=len(titles))}")
        if titles and name != "same":
            rest = f" … (+{len(titles) - NAMED})" if len(titles) > NAMED else ""
            st.code("\n".join(titles[:NAMED]) + rest, language=None, wrap_lines=True)
    for what in report.left_out:
        st.markdown(f"- {say('write.notes_left_out', what=what)}")
    if not report.changes:
        st.info(say("write.notes_nothing"), icon=":material/check:")
