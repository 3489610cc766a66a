"""Writing cards: one of a deck, a new one, or a whole deck; faults and a preview while typing.

The address says what: `?card=ID`, `?file=NAME` (a deck in the learner's folder), or neither: a new card.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages import context, write_work
from app_pages.numbers import moment
from app_pages.wide import wide
from app_pages.words import phrase, say
from app_pages.write_bench import SAID, WORK, bench, labs, opened, shown_document
from app_pages.write_new import DECK, new_card
from app_pages.write_notes import notes_section
from app_pages.write_work import Judged, Work
from engine.study import deck_edit, deck_versions
from engine.study.card import Library
from engine.study.deck_edit import DeckMoved, DeckRefused


def _name() -> str:
    """The document that the address names; drafts are kept under it."""
    if "card" in st.query_params:
        return f"card:{st.query_params['card']}"
    if "file" in st.query_params:
        return f"file:{st.query_params['file']}"
    return "new"


def _saved(work: Work, judged: Judged, path: Path) -> None:
    if work.makes is not None:
        st.session_state[DECK] = work.makes.id  # the next card goes to the deck that was made
    if _name() == "new" and judged.card is not None:
        st.session_state["write.added"] = judged.card.id


@st.fragment
def written(name: str) -> None:
    """The field and its preview, drawn anew while one types."""
    work = opened(name)
    if work is None:
        st.rerun()  # it was saved: the page opens it anew
    bench(name, work, saved=_saved)


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
        write_work.saved(whole, text, context.library(), labs())
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
        write_work.saved(whole, text, context.library(), labs())
    except (DeckRefused, DeckMoved, OSError, UnicodeDecodeError) as fault:
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
    sort = name.partition(":")[0]
    st.title(say(f"write.title_{sort}"), anchor=False)
    work = shown_document(name)
    if work is None:
        return
    if sort == "card" and not work.copies:
        st.page_link(
            "app_pages/write.py",
            label=say("write.whole_deck"),
            icon=":material/article:",
            query_params={"file": work.path.name},
        )
    if work.copies:
        st.info(say("write.copies", path=work.path), icon=":material/content_copy:")
    written(name)
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
        written(name)
    notes_section(labs())
else:
    _existing(document)
