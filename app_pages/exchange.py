"""Everything that was learnt, out as a file and in again: an import is shown before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.backups import GENERATION
from app_pages.words import say
from engine.faults import BenchcardsError
from engine.store import Store
from engine.store.backup import backup
from engine.study.exchange.apkg.process import REQUIREMENTS, is_available, is_package
from engine.study.exchange.files import read, write
from engine.study.exchange.gather import gather, own_decks
from engine.study.exchange.parsed import LARGEST, Parsed
from engine.study.exchange.report import Report
from engine.study.exchange.take_in import foresee, take_in

FIELD = "settings.import"
ROUND = "settings.import.round"
"""Counts imports: the field is empty again for the next file."""
LOOKED = "settings.import.looked"
REPLACE = "settings.import.replace"
PACKAGE = "settings.export.package"
"""The package that was made and not yet saved."""
APKG = "apkg"
MIME = {"json": "application/json", "csv": "text/csv"}
NAMED = 5
"""Names in one line; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A file that was looked at: its records, or why they can't be imported; `done`: they were."""

    parsed: Parsed | None = None
    fault: str = ""
    done: Report | None = None


def exchange_section() -> None:
    """Buttons that write the file, the field that takes one, and what its import would do."""
    st.subheader(say("settings.exchange"), anchor=False)
    st.caption(say("settings.exchange.help"))
    folder = context.deck_folders()[1]
    for reason in own_decks(folder)[1]:
        st.warning(say("settings.exchange.left_out"), icon=":material/error:")
        st.code(reason, language=None, wrap_lines=True)
    with st.container(horizontal=True):
        for kind, mime in MIME.items():
            st.download_button(
                say(f"settings.export_{kind}"),
                partial(_content, context.store(), folder, kind),
                f"benchcards-{context.now():%Y-%m-%d}.{kind}",
                mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"settings.export.{kind}",
            )
        if is_available():
            _package_button(folder)
    if not is_available():
        st.caption(say("settings.apkg.missing", command=f"pip install -r {REQUIREMENTS}"))
    st.file_uploader(
        say("settings.import"),
        type=[*MIME, APKG],
        max_upload_size=LARGEST // 1024**2,
        help=say("settings.import.help"),
        key=_field(),
        on_change=_look,
    )
    looked: Looked | None = st.session_state.get(LOOKED)
    if looked is not None:
        _show(looked)


def _content(store: Store, folder: Path, kind: str) -> bytes:
    """Made when the button is pressed, in a thread of its own."""
    return write(gather(store, folder, context.now()).export, kind)


def _package_button(folder: Path) -> None:
    """Anki's process takes seconds: its package is made when it is asked for, and refused in words."""
    if PACKAGE in st.session_state:
        st.download_button(
            say("settings.apkg.save"),
            st.session_state[PACKAGE],
            f"benchcards-{context.now():%Y-%m-%d}.apkg",
            "application/octet-stream",
            icon=":material/download:",
            on_click=_forget_package,
            type="primary",
            key="settings.export.apkg.save",
        )
    elif st.button(
        say("settings.export_apkg"),
        icon=":material/style:",
        key="settings.export.apkg",
        help=say("settings.apkg.help"),
    ):
        from engine.study.exchange.apkg.outgoing import export as export_package  # Markdown to HTML

        try:
            with st.spinner(say("settings.apkg.making")):
                st.session_state[PACKAGE] = export_package(
                    context.desk().store, context.library(), folder, now=context.now(), zone=context.zone()
                )
        except BenchcardsError as error:
            st.error(str(error), icon=":material/error:")
        else:
            st.rerun()


def _forget_package() -> None:
    st.session_state.pop(PACKAGE, None)


def _field() -> str:
    return f"{FIELD}.{st.session_state.get(ROUND, 0)}"


def _look() -> None:
    """Reads and checks the file that was chosen; nothing is written."""
    file = st.session_state[_field()]
    if file is None:
        st.session_state.pop(LOOKED, None)
        return
    try:
        parsed = _read(file.getvalue(), file.name)
        _report(parsed)
    except BenchcardsError as error:
        st.session_state[LOOKED] = Looked(fault=str(error))
    else:
        st.session_state[LOOKED] = Looked(parsed)


def _read(content: bytes, name: str) -> Parsed:
    if not is_package(content):
        return read(content, name)
    from engine.study.exchange.apkg.incoming import Learner  # decks as YAML: not before a package comes
    from engine.study.exchange.apkg.incoming import read as read_package

    learner = Learner(
        context.store(), context.library(), context.deck_folders()[1], context.zone(), context.now()
    )
    return read_package(content, name, learner)


def _report(parsed: Parsed, *, replace: bool = False) -> Report:
    known = context.library().by_id.keys()
    folder = context.deck_folders()[1]
    now = context.now()
    return foresee(context.store(), parsed, folder, known_cards=known, now=now, replace=replace)


def _show(looked: Looked) -> None:
    if looked.fault:
        st.error(say("settings.import.refused"), icon=":material/error:")
        st.code(looked.fault, language=None, wrap_lines=True)
    elif looked.done is not None:
        st.success(say("settings.import.done"), icon=":material/check:")
        _lines(looked.done)
    elif looked.parsed is not None:
        _offer(looked.parsed)


def _offer(parsed: Parsed) -> None:
    """What the import will do, by what is here now, with the button that does it."""
    try:
        report = _report(parsed, replace=bool(st.session_state.get(REPLACE)))
    except BenchcardsError as error:  # what is here changed since the file was looked at
        _show(Looked(fault=str(error)))
        return
    with st.container(border=True):
        st.markdown(f"**{say('settings.import.foreseen')}**")
        _lines(report)
        if report.settings_differ or report.decks_differ:
            st.checkbox(say("settings.import.replace"), key=REPLACE)
        if not report.changes:
            st.info(say("settings.import.nothing"), icon=":material/check:")
        st.button(
            say("settings.import.do"),
            icon=":material/move_to_inbox:",
            type="primary",
            disabled=not report.changes,
            on_click=_take_in,
            args=(parsed,),
            key="settings.import.do",
        )


def _take_in(parsed: Parsed) -> None:
    store = context.store()
    try:
        if store.path is not None:
            backup(store.path, "before-import")
        report = take_in(
            store,
            parsed,
            context.deck_folders()[1],
            known_cards=context.library().by_id.keys(),
            now=context.now(),
            replace=bool(st.session_state.get(REPLACE)),
        )
    except BenchcardsError as error:
        st.session_state[LOOKED] = Looked(fault=str(error))
        return
    context.reload_settings()
    context.log()  # now, while the import is waited for: the statistics find the new answers read
    st.session_state[LOOKED] = Looked(done=report)
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.session_state[GENERATION] = st.session_state.get(GENERATION, 0) + 1


def _lines(report: Report) -> None:
    """The report: counts as a list, names below."""
    counts = [
        say(f"settings.import.{name}", new=tally.new, known=tally.known)
        for name, tally in (
            ("reviews", report.reviews),
            ("undos", report.undos),
            ("predictions", report.predictions),
            ("notes", report.record_notes),
            ("pictures", report.pictures),
            ("mistakes", report.mistakes),
            ("changes", report.card_changes),
            ("practice", report.practice_answers),
            ("schedule", report.schedule_changes),
        )
        if tally.new or tally.known
    ]
    if report.merged:
        counts.append(say("settings.import.merged", n=report.merged))
    counts += [say(f"settings.import.left_out.{code}", n=number) for code, number in report.left_out]
    st.markdown("\n".join(f"- {line}" for line in counts))
    for name, names in (
        ("settings_taken", tuple(say(f"settings.{name}") for name in report.settings_taken)),
        ("settings_differ", tuple(say(f"settings.{name}") for name in report.settings_differ)),
        ("decks_new", report.decks_new),
        ("decks_renewed", report.decks_renewed),
        ("decks_same", report.decks_same),
        ("decks_differ", report.decks_differ),
        ("unknown_cards", report.unknown_cards),
    ):
        if names:
            st.markdown(say(f"settings.import.{name}"))
            rest = len(names) - NAMED
            listed = ", ".join(names[:NAMED]) + (f" … (+{rest})" if rest > 0 else "")
            st.code(listed, language=None, wrap_lines=True)
