"""Results of other machines: brought in as files, each checked, looked at, and taken out again."""

from __future__ import annotations

import streamlit as st

from app_pages import context
from app_pages.lab_words import LabWords, of
from app_pages.numbers import moment
from app_pages.result_view import whole_result
from app_pages.words import say
from engine.claims import imported
from engine.claims.imported import Imported
from engine.lab_names import lab_names
from engine.measure.fault import MeasureError

FIELD = "labs.import"
ROUND = "labs.import.round"
"""Counts what was taken in: the field is empty again for the next files."""


def elsewhere() -> None:
    """The field for files, what became of the last ones, and everything that was imported."""
    st.markdown(say("labs.elsewhere.hint"))
    st.code("python -m labs run NAME --out result.json\npython -m engine import-result result.json", "bash")
    st.file_uploader(
        say("labs.elsewhere.files"),
        type="json",
        accept_multiple_files=True,
        max_upload_size=imported.LARGEST // 1024**2,
        key=f"{FIELD}.{st.session_state.get(ROUND, 0)}",
        on_change=_take_in,
    )
    for good, text in st.session_state.pop("labs.import.said", []):
        (st.success if good else st.error)(text)
    _kept()


def _take_in() -> None:
    """Checks and keeps each file; what is wrong with one is said, and nothing of it kept."""
    files = st.session_state[f"{FIELD}.{st.session_state.get(ROUND, 0)}"]
    claims = [claim for card in context.library().by_id.values() for claim in card.claims]
    said = []
    for file in files or []:
        now = context.now()
        try:
            result = imported.read_file(file.getvalue(), file.name, labs=lab_names(), claims=claims, now=now)
        except MeasureError as error:
            said.append((False, f"{say('labs.elsewhere.refused')} {_plain(str(error))}"))
            continue
        kept = imported.keep(context.store(), result, file.name, now)
        key = "labs.elsewhere.already" if kept.already else "labs.elsewhere.taken"
        name = _plain(str(result.device["name"]))
        said.append((True, say(key, file=_plain(file.name), device=name)))
    st.session_state["labs.import.said"] = said
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def _kept() -> None:
    found = {each.id: each for each in imported.of_lab(context.store())}
    if not found:
        st.info(say("labs.elsewhere.none"), icon=":material/move_to_inbox:")
        return
    chosen = st.selectbox(
        say("labs.elsewhere.choose"),
        list(found),
        format_func=lambda key: _name(found[key]),
        key="labs.elsewhere.chosen",
    )
    if chosen is None:
        return
    one = found[chosen]
    whole_result(one.result, _words(one.result.lab), "elsewhere", key=f"labs.elsewhere.{one.id}")
    st.button(
        say("labs.elsewhere.forget"),
        icon=":material/delete:",
        key="labs.elsewhere.forget",
        on_click=imported.forget,
        args=(context.store(), one.id),
    )


def _words(lab: str) -> LabWords:
    return of(context.labs().get(lab), lab)


def _name(one: Imported) -> str:
    when = moment(one.result.started_at, context.zone(), context.language())
    return f"{one.result.device['name']} · {_words(one.result.lab).title} · {when} · {one.file_name}"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]$:#<>~" else sign for sign in text)
