"""The field beside its preview, with what is wrong and the button that saves: on a page or over the review.

One document is written at a time in a browser tab; what was opened stays, so that saving notices a file that
changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import streamlit as st

from app_pages import context, write_work
from app_pages.deck_editor import Draft, deck_editor
from app_pages.review_card.faces import render
from app_pages.review_card.payload import words
from app_pages.sheet import card_sheet
from app_pages.words import say
from app_pages.write_work import Judged, Work
from engine.lab_names import lab_names
from engine.study.deck_edit import DeckMoved, DeckRefused

EDITOR = "write.editor"
WORK = "write.work"
SAID = "write.said"
"""What came of saving, to say once: ("saved", path), or ("refused", message)."""
SAVES = "write.saves"
"""Wishes to save that were met (Ctrl+S comes with a name of its own)."""

STICKS = """<style>
div:has(> .st-key-write-bar) { position: sticky; top: 4rem; z-index: 3; pointer-events: none; }
.st-key-write-bar button { pointer-events: auto; }
.st-key-write-bar button:disabled { backdrop-filter: blur(8px); }
[role="dialog"] div:has(> .st-key-write-bar) { top: 0.75rem; }
[data-testid="stDialog"] > div:has(.st-key-write-bar) { overflow: clip; }
</style>"""
"""The page's header, 3.75rem, stays in view as well. A box with hidden overflow would hold the bar back."""

Saved = Callable[[Work, Judged, Path], None]
"""Told of a text that is on disk: what was written, what it was, and the deck's file."""


@lru_cache(maxsize=1)
def labs() -> frozenset[str]:
    """The names that a card's labs may have."""
    return lab_names()


def open_document(name: str) -> Work | None:
    """The document (`card:ID` or `file:NAME`) as it is on disk; None: there is none. Raises DeckMoved."""
    own = context.deck_folders()[1]
    sort, _, rest = name.partition(":")
    if sort == "card":
        card = context.library().by_id.get(rest)
        return None if card is None else write_work.of_card(card, own)
    path = own / Path(rest).name
    return write_work.of_file(path, own) if path.is_file() else None


def opened(name: str) -> Work | None:
    """The document that is being written under this name; None: it is yet to be opened."""
    known = st.session_state.get(WORK)
    return known[1] if known is not None and known[0] == name else None


def shown_document(name: str) -> Work | None:
    """The document that is written under this name, opened where it isn't yet; None where it can't be or
    is gone, which is said on the page."""
    try:
        work = opened(name) or open_document(name)
    except DeckMoved as moved:
        st.error(say("write.cannot_open"), icon=":material/error:")
        st.code(str(moved), language=None, wrap_lines=True)
        return None
    if work is None:
        st.info(say("write.gone", name=name.partition(":")[2]), icon=":material/search_off:")
        return None
    st.session_state[WORK] = (name, work)
    return work


def bench(
    name: str, work: Work, *, saved: Saved | None = None, settled: Callable[[], None] | None = None
) -> None:
    """Draws the field and its preview. settled: told once the browser let go of the draft that was saved."""
    draft = _draft(name, work)
    judged = _judged(name, work, draft)
    said = st.session_state.pop(SAID, None)
    # above the field, and in view however long it is: nothing that is typed in moves while faults come and go
    st.html(STICKS)
    with st.container(key="write.bar", horizontal=True, horizontal_alignment="right"):
        st.button(
            say("write.save_copy") if work.copies else say("write.save"),
            icon=":material/save:",
            type="primary",
            disabled=bool(judged.faults),
            on_click=_save,
            args=(name, saved),
            key="write.save",
            help=say("write.save_help"),
        )
    left, right = st.columns([0.52, 0.48], gap="medium")
    with left:
        deck_editor(
            key=EDITOR,
            name=name,
            state=work.state,
            text=work.text,
            first_line=work.first_line,
            saved=said is not None and said[0] == "saved",
            faults=[(fault.line, fault.message) for fault in (*judged.faults, *judged.doubts)],
            words={part: say(f"write.{part}") for part in ("field", "restored", "discard")},
            on_draft=lambda: _told(name, saved, settled),
        )
    with right:
        _said(said)
        _verdict(work, judged)
        _preview(name, judged)


def _draft(name: str, work: Work) -> Draft:
    """What stands in the field: what the component said of this document, else what it began with."""
    said = Draft.read((st.session_state.get(EDITOR) or {}).get("draft"))
    if said is None or said.doc != f"{name}@{work.state}":
        return Draft(f"{name}@{work.state}", work.text)
    return said


def _judged(name: str, work: Work, draft: Draft) -> Judged:
    """Judged once for each text: every run of the page asks."""
    key = (name, work.state, draft.text, draft.line if work.is_file else 0)
    known = st.session_state.get("write.judged")
    if known is None or known[0] != key:
        found = write_work.judge(work, draft.text, draft.line, context.library(), labs())
        known = st.session_state["write.judged"] = (key, found)
        if found.card is not None:
            st.session_state["write.shown"] = (name, found)
    judged: Judged = known[1]
    return judged


def _save(name: str, saved: Saved | None) -> None:
    work = opened(name)
    if work is None:
        return  # the second half of a double click: it is saved
    draft = _draft(name, work)
    try:
        path = write_work.saved(work, draft.text, context.library(), labs())
    except DeckRefused as refused:
        st.session_state[SAID] = ("refused", str(refused))
        return
    except DeckMoved as moved:
        st.session_state[SAID] = ("refused", str(moved))
        st.session_state.pop(WORK)  # opened anew as the file is now; the browser keeps the draft
        return
    st.session_state[SAID] = ("saved", str(path))
    judged = _judged(name, work, draft)
    st.session_state.pop(WORK)
    if saved is not None:
        saved(work, judged, path)


def _told(name: str, saved: Saved | None, settled: Callable[[], None] | None) -> None:
    """The field said something: a wish to save is met once."""
    work = opened(name)
    draft = None if work is None else _draft(name, work)
    if draft is None:
        return
    if draft.settled and settled is not None:
        settled()
    if draft.save and draft.save not in st.session_state.setdefault(SAVES, set()):
        st.session_state[SAVES].add(draft.save)
        _save(name, saved)


def _verdict(work: Work, judged: Judged) -> None:
    for name, found in (("faults", judged.faults), ("doubts", judged.doubts)):
        if found:
            lines = "\n".join(f"{fault.line}: {fault.field}: {fault.message}" for fault in found[:20])
            st.markdown(f"**{say(f'write.{name}', n=len(found))}**")
            st.code(lines, language=None, wrap_lines=True)
    if not judged.faults and not judged.doubts:
        st.caption(f"{say('write.sound', n=judged.cards)} · `{work.path}`")


def _said(said: tuple[str, str] | None) -> None:
    if said is None:
        return
    if said[0] == "saved":
        st.success(say("write.saved", path=said[1]), icon=":material/check:")
    else:
        st.error(say("write.refused"), icon=":material/error:")
        st.code(said[1], language=None, wrap_lines=True)


def _preview(name: str, judged: Judged) -> None:
    """The card as it will look; while the text has faults, as it looked last."""
    shown: Judged | None = judged
    if judged.card is None:
        known = st.session_state.get("write.shown")
        shown = known[1] if known is not None and known[0] == name else None
        if shown is not None:
            st.caption(say("write.preview_old"))
    if shown is None or shown.card is None:
        st.info(say("write.preview_none"), icon=":material/visibility_off:")
        return
    with st.container(border=True):
        face = render(shown.card, shown.deck_title)
        card_sheet(face, words(context.language()), key="write.preview")
