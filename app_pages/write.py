"""Writing cards: one of a deck, a new one, or a whole deck; faults and a preview while typing.

The address says what: `?card=ID`, `?file=NAME` (a deck in the learner's folder), or neither: a new card.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import streamlit as st

from app_pages import context, write_work
from app_pages.deck_editor import Draft, deck_editor
from app_pages.numbers import moment
from app_pages.review_card.faces import render
from app_pages.review_card.payload import words
from app_pages.sheet import card_sheet
from app_pages.wide import wide
from app_pages.words import phrase, say
from app_pages.write_new import DECK, new_card
from app_pages.write_notes import notes_section
from app_pages.write_work import Judged, Work
from engine.lab_names import lab_names
from engine.study import deck_edit, deck_versions
from engine.study.card import Library
from engine.study.deck_edit import DeckMoved, DeckRefused

EDITOR = "write.editor"
WORK = "write.work"
SAID = "write.said"
"""What came of saving, to say once: ("saved", path), or ("refused", message)."""
SAVES = "write.saves"
"""Wishes to save that were met (Ctrl+S comes with a name of its own)."""


@lru_cache(maxsize=1)
def _labs() -> frozenset[str]:
    return lab_names()


def _name() -> str:
    """The document that the address names; drafts are kept under it."""
    if "card" in st.query_params:
        return f"card:{st.query_params['card']}"
    if "file" in st.query_params:
        return f"file:{st.query_params['file']}"
    return "new"


def _open(name: str) -> Work | None:
    """The document as it is on disk now. Raises DeckMoved; None where there is none."""
    own = context.deck_folders()[1]
    sort, _, rest = name.partition(":")
    if sort == "card":
        card = context.library().by_id.get(rest)
        return None if card is None else write_work.of_card(card, own)
    path = own / Path(rest).name
    return write_work.of_file(path, own) if path.is_file() else None


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
        found = write_work.judge(work, draft.text, draft.line, context.library(), _labs())
        known = st.session_state["write.judged"] = (key, found)
        if found.card is not None:
            st.session_state["write.shown"] = (name, found)
    judged: Judged = known[1]
    return judged


def _save(name: str) -> None:
    known = st.session_state.get(WORK)
    if known is None:
        return  # the second half of a double click: it is saved
    work: Work = known[1]
    draft = _draft(name, work)
    try:
        path = write_work.saved(work, draft.text, context.library(), _labs())
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
    if work.makes is not None:
        st.session_state[DECK] = work.makes.id  # the next card goes to the deck that was made
    if name.startswith("new") and judged.card is not None:
        st.session_state["write.added"] = judged.card.id


def _told(name: str) -> None:
    """The field said something: a wish to save is met once."""
    known = st.session_state.get(WORK)
    draft = None if known is None else _draft(name, known[1])
    if draft is not None and draft.save and draft.save not in st.session_state.setdefault(SAVES, set()):
        st.session_state[SAVES].add(draft.save)
        _save(name)


@st.fragment
def bench(name: str) -> None:
    """The field beside its preview, with what is wrong and the button that saves."""
    known = st.session_state.get(WORK)
    if known is None or known[0] != name:
        st.rerun()  # it was saved: the page opens it anew
    work: Work = known[1]
    draft = _draft(name, work)
    judged = _judged(name, work, draft)
    said = st.session_state.pop(SAID, None)
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
            on_draft=lambda: _told(name),
        )
    with right:
        # beside the field, not below: nothing that is typed in moves while faults come and go
        st.button(
            say("write.save_copy") if work.copies else say("write.save"),
            icon=":material/save:",
            type="primary",
            disabled=bool(judged.faults),
            on_click=_save,
            args=(name,),
            key="write.save",
            help=say("write.save_help"),
        )
        _said(said)
        _verdict(work, judged)
        _preview(name, judged)


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


def _versions(name: str, work: Work) -> None:
    """Earlier versions of a deck of one's own, to bring back; and the way back to the project's deck."""
    found = deck_versions.versions(work.path)
    replaced = {mine: file for file, mine in context.library().replaced}
    original = replaced.get(str(work.path))
    if not found and original is None:
        return
    with st.expander(say("write.earlier"), icon=":material/history:"):
        if found:
            st.caption(say("write.earlier_help", n=deck_versions.KEPT))
            chosen = st.selectbox(
                say("write.earlier_choose"),
                found,
                format_func=_version_name,
                key="write.version",
            )
            st.button(say("write.earlier_do"), on_click=_bring_back, args=(work, chosen), key="write.back_to")
        if original is not None:
            _newer(work, Path(original))
            st.caption(say("write.original_help", file=Path(original).name))
            st.button(say("write.original_do"), on_click=_original, args=(work,), key="write.original")


def _version_name(file: Path) -> str:
    """When it was replaced, to the second: two changes may fall into one minute."""
    at = deck_versions.kept_at(file)
    return f"{moment(at, context.zone(), context.language())}:{at:%S}"


def _newer(work: Work, original: Path) -> None:
    """What came to the project's deck since it was copied: cards to take over."""
    if work.opened is None:
        return
    theirs = deck_edit.open_deck(original, work.path.parent, copies=False).text
    if any(
        deck_edit.faults_of(text, work.path, Library(), lab_names=None)[1]
        for text in (work.opened.text, theirs)
    ):
        return  # a broken deck is mended first
    missing = deck_edit.lacking(work.opened.text, theirs)
    if missing:
        st.caption(say("write.lacking", n=len(missing)))
        st.code("\n".join(missing), language=None)
        st.button(say("write.lacking_do"), on_click=_take_over, args=(work, theirs), key="write.take_over")


def _take_over(work: Work, original: str) -> None:
    if work.opened is None:
        return
    try:
        whole = write_work.of_file(work.path, work.path.parent)
        text = deck_edit.with_lacking(whole.text, original)
        write_work.saved(whole, text, context.library(), _labs())
    except (DeckRefused, DeckMoved) as fault:
        st.session_state[SAID] = ("refused", str(fault))
    else:
        st.session_state[SAID] = ("saved", str(work.path))
    st.session_state.pop(WORK, None)


def _bring_back(work: Work, version: Path) -> None:
    opened = work.opened
    if opened is None:
        return
    try:
        whole = write_work.of_file(opened.path, opened.path.parent)
        text = version.read_text(encoding="utf-8").replace("\r\n", "\n")
        write_work.saved(whole, text, context.library(), _labs())
    except (DeckRefused, DeckMoved, OSError) as fault:
        st.session_state[SAID] = ("refused", str(fault))
    else:
        st.session_state[SAID] = ("saved", str(opened.path))
    st.session_state.pop(WORK, None)


def _original(work: Work) -> None:
    try:
        deck_versions.keep(work.path, work.path.read_bytes())
        work.path.unlink()
    except OSError as error:
        st.session_state[SAID] = ("refused", f"{work.path}: {error.strerror}")
    st.session_state.pop(WORK, None)


def _existing(name: str) -> None:
    sort, _, rest = name.partition(":")
    st.title(say(f"write.title_{sort}"), anchor=False)
    known = st.session_state.get(WORK)
    try:
        # what was opened stays, so that saving notices a file that changed since
        work = known[1] if known is not None and known[0] == name else _open(name)
    except DeckMoved as moved:
        st.error(say("write.cannot_open"), icon=":material/error:")
        st.code(str(moved), language=None, wrap_lines=True)
        return
    if work is None:
        st.info(say("write.gone", name=rest), icon=":material/search_off:")
        return
    st.session_state[WORK] = (name, work)
    if sort == "card" and not work.copies:
        st.page_link(
            "app_pages/write.py",
            label=say("write.whole_deck"),
            icon=":material/article:",
            query_params={"file": work.path.name},
        )
    if work.copies:
        st.info(say("write.copies", path=work.path), icon=":material/content_copy:")
    bench(name)
    _versions(name, work)


def _back() -> None:
    with st.container(horizontal=True):
        if "card" in st.query_params:
            params = {"card": st.query_params["card"]}
            st.page_link(
                "app_pages/cards.py", label=say("write.to_card"), icon=":material/style:", query_params=params
            )
            st.page_link(
                "app_pages/review.py",
                label=say("write.to_review"),
                icon=":material/school:",
                query_params=params,
            )
        else:
            st.page_link("app_pages/cards.py", label=say("cards.back"), icon=":material/arrow_back:")


def _added() -> None:
    """A new card was saved: from here on it is a card of its deck."""
    added = st.session_state.pop("write.added", None)
    if added is not None:
        title = context.library().by_id[added].title if added in context.library().by_id else added
        st.success(phrase(context.language(), "write.added", title=title), icon=":material/check:")
        st.page_link(
            "app_pages/write.py",
            label=say("write.edit_added"),
            icon=":material/edit:",
            query_params={"card": added},
        )


wide()
_back()
document = _name()
if document == "new":
    st.title(say("write.title_new"), anchor=False)
    with st.container():  # always there: what is below keeps its place, an open field of notes too
        _added()
    chosen = new_card(context.library(), context.deck_folders()[1])
    if chosen is not None:
        name, work = chosen
        known = st.session_state.get(WORK)
        if known is None or known[0] != name or known[1].state != work.state:
            st.session_state[WORK] = (name, work)
        bench(name)
    notes_section(_labs())
else:
    _existing(document)
