"""The record: for each GPU expected, measured, why; the week's report; two GPUs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app_pages import context, report_view, seen
from app_pages.claims_table import Reader
from app_pages.finding_list import sentences
from app_pages.lab_words import LabWords, of
from app_pages.numbers import day
from app_pages.record_lines import Line, csv_text, html_table, lines, markdown, pairs_table
from app_pages.result_view import VERSIONS
from app_pages.sheet import sheet
from app_pages.wide import wide
from app_pages.words import say
from engine.claims import record, report, sightings
from engine.claims.evidence import Results
from engine.claims.record import Entry, Machine
from engine.lab_names import lab_names
from engine.measure.fault import MeasureError
from engine.measure.results import Result
from engine.study.card import Library

VIEWS = ("lesson", "claims", "report", "compare")
PRINT = """<style>
@media print {
  [data-testid="stHeader"], [data-testid="stToolbar"], .st-key-record-controls,
  .st-key-record-controls-below, .st-key-record-notes {
    display: none !important;
  }
  html, body, .stApp, .stMain, [data-testid="stAppViewContainer"], [data-testid="stMain"] {
    position: static !important; height: auto !important; overflow: visible !important;
    background: #fff !important; color: #000 !important;
  }
  .stMainBlockContainer { padding: 0 !important; max-width: none !important; }
  .stMainBlockContainer h1, .stMainBlockContainer h2, .stMainBlockContainer h3, .stMainBlockContainer p {
    color: #000 !important;
  }
}
</style>"""


def _machine(found: Sequence[Machine], label: str, key: str, *, start: int = 0) -> Machine:
    place = st.selectbox(
        label,
        range(len(found)),
        index=min(start, len(found) - 1),
        format_func=lambda place: (
            f"{found[place].hardware.name} · {say(f'record.from.{found[place].origin}')}"
        ),
        key=key,
    )
    return found[place]


def _about(results: Sequence[Result], reader: Reader) -> list[str]:
    """With what and when it was measured, a line for each different machine state."""
    texts = []
    for result in results:
        versions = [f"{name} {result.environment[name]}" for name in VERSIONS if name in result.environment]
        when = day(result.started_at, reader.zone, reader.language)
        texts.append(" · ".join([str(result.device.get("name", "?")), when, *versions]))
    return list(dict.fromkeys(texts))


def _used(machine: Machine, results: Results, entries: Sequence[Entry]) -> list[Result]:
    labs = dict.fromkeys(entry.lab for entry in entries if entry.lab is not None)
    found = [record.newest(results, machine, lab) for lab in labs]
    return [result for result in found if result is not None]


def _downloads(name: str, text: str, table: str | None) -> None:
    with st.container(horizontal=True):
        st.download_button(
            say("record.markdown"), text, f"{name}.md", "text/markdown", icon=":material/description:"
        )
        if table is not None:
            content = table.encode("utf-8-sig")  # so that spreadsheets take it for UTF-8
            st.download_button(say("record.csv"), content, f"{name}.csv", "text/csv", icon=":material/table:")
        st.caption(say("record.print"))


def _notes(machine: Machine, kept: Mapping[str, str], items: Sequence[tuple[str, str]]) -> None:
    """A note of one's own on an item; it is kept when it is saved."""
    with st.container(key="record-notes"):
        names = dict(items)
        item = st.selectbox(
            say("record.note_on"), list(names), format_func=lambda key: names[key], key="record.note.item"
        )
        if item is None:
            return
        key = f"record.note.text.{machine.id}.{item}"
        st.text_area(say("record.note"), value=kept.get(item, ""), max_chars=record.LONGEST_NOTE, key=key)
        st.button(
            say("record.note_save"),
            icon=":material/save:",
            key="record.note.save",
            on_click=_save_note,
            args=(machine.id, item, key),
        )


def _save_note(gpu: str, item: str, key: str) -> None:
    record.write_note(context.store(), gpu, item, str(st.session_state[key]), context.now())
    st.toast(say("settings.saved"), icon=":material/check:")


def _table(name: str, machine: Machine, entries: list[Entry], results: Results, reader: Reader) -> None:
    words = _words()
    shown = lines(entries, reader, words, cards=name != "lesson")
    about = _about(_used(machine, results, entries), reader)
    st.subheader(machine.hardware.name, anchor=False)
    for text in about:
        st.caption(text)
    if not entries:
        st.info(say("record.nothing"), icon=":material/science:")
        return
    sheet(html_table(shown, reader), key=f"record.{name}.{machine.id}")
    title = f"{say(f'record.view.{name}')}: {machine.hardware.name}"
    with st.container(key="record-controls-below"):
        _downloads(
            f"benchcards-{name}-{machine.id}",
            markdown(title, about, shown, reader),
            csv_text(entries, shown, machine),
        )
    _notes(machine, record.notes(context.store(), machine.id), [(line.key, _named(line)) for line in shown])
    _note_seen(entries)


def _named(line: Line) -> str:
    return f"{line.item} · {line.below}" if line.below else line.item


def _note_seen(entries: Sequence[Entry]) -> None:
    seen.rows(entry.row for entry in entries if entry.row is not None)
    seen.note(sightings.of_lab(entry.lab) for entry in entries if entry.lab and entry.row is None)


def _report(machine: Machine, results: Results, reader: Reader) -> None:
    known = report.models(machine, results)
    if not known:
        st.info(say("report.nothing"), icon=":material/science:")
        return
    model = st.selectbox(say("report.model"), known, key="report.model") if len(known) > 1 else known[0]
    found = report.report(machine, results, model)
    words, kept = _words(), record.notes(context.store(), machine.id)
    title = say("report.title", model=model, gpu=machine.hardware.name)
    about = _about(found.results, reader)
    st.subheader(title, anchor=False)
    for text in about:
        st.caption(text)
    sheet(report_view.figures_table(report_view.figures(found, reader), reader), key="report.figures")
    st.markdown(f"**{say('report.kernels')}**")
    if found.kernels:
        rows = report_view.kernel_cells(found.kernels, reader, words[report.GAPS_LAB])
        label = say("report.kernels")
        heads = report_view.kernel_heads(reader)
        sheet(report_view.plain_table(heads, rows, numbers_from=2, label=label), key="report.kernels")
    else:
        st.caption(say("report.no_kernels"))
    if found.fixes:
        st.markdown(f"**{say('report.fixes')}**")
        fixes = report_view.fix_cells(found.fixes, reader, words)
        cells = [[*row, kept.get(fix.key, "")] for fix, row in zip(found.fixes, fixes, strict=True)]
        heads = [*report_view.fix_heads(reader), say("record.note")]
        sheet(
            report_view.plain_table(heads, cells, numbers_from=2, label=say("report.fixes")),
            key="report.fixes",
        )
    if found.findings:
        st.markdown(f"**{say('report.findings')}**")
        for lab in dict.fromkeys(lab for lab, _ in found.findings):
            of_lab = [finding for name, finding in found.findings if name == lab]
            sheet(sentences(of_lab, words[lab]), key=f"report.findings.{lab}")
    if kept.get("report"):
        st.markdown(f"**{say('record.note')}**")
        st.text(kept["report"])
    with st.container(key="record-controls-below"):
        text = report_view.markdown(title, about, found, kept, reader, words)
        _downloads(f"benchcards-report-{machine.id}-{model}", text, None)
    fixes = report_view.fix_cells(found.fixes, reader, words)
    named = [(fix.key, " · ".join(row[:2])) for fix, row in zip(found.fixes, fixes, strict=True)]
    _notes(machine, kept, [("report", say("report.whole")), *named])
    seen.note(sightings.of_lab(result.lab) for result in found.results)


def _compare(
    left: Machine, found: Sequence[Machine], library: Library, results: Results, reader: Reader
) -> None:
    others = [machine for machine in found if machine.id != left.id]
    if not others:
        st.info(say("record.one_gpu"), icon=":material/compare_arrows:")
        return
    right = _machine(others, say("record.second"), "record.second")
    entries = []
    for machine in (left, right):
        kept = record.notes(context.store(), machine.id)
        lesson = record.lesson(machine, library, results, kept)
        claims = record.measured_claims(machine, library, results, kept)
        entries.append([*(entry for entry in lesson if entry.row is None), *claims])
    pairs = record.side_by_side(*entries)
    names = [machine.hardware.name for machine in (left, right)]
    sheet(pairs_table(pairs, names[0], names[1], reader, _words()), key="record.pairs")
    _note_seen([*entries[0], *entries[1]])


def _words() -> dict[str, LabWords]:
    """The words of every lab that a record may speak of."""
    labs = context.labs()
    names = {*labs, *lab_names(), report.DECODE_LAB, report.GAPS_LAB, report.LAUNCH_LAB}
    return {name: of(labs.get(name), name) for name in names}


def _page() -> None:
    library, results = context.library(), context.claim_results()
    found = record.machines(results, sorted(lab_names()))
    if not found:
        st.info(say("record.nothing"), icon=":material/science:")
        return
    reader = Reader(context.language(), context.zone(), {name: each.title for name, each in _words().items()})
    with st.container(key="record-controls"):
        view = st.segmented_control(
            say("record.title"),
            VIEWS,
            default=VIEWS[0],
            required=True,
            format_func=lambda name: say(f"record.view.{name}"),
            label_visibility="collapsed",
            key="record.view",
        )
        machine = _machine(found, say("record.gpu"), "record.gpu")
    kept = record.notes(context.store(), machine.id)
    if view == "lesson":
        _table("lesson", machine, record.lesson(machine, library, results, kept), results, reader)
    elif view == "claims":
        _table("claims", machine, record.measured_claims(machine, library, results, kept), results, reader)
    elif view == "report":
        _report(machine, results, reader)
    else:
        _compare(machine, found, library, results, reader)


st.html(PRINT)
wide()
st.title(say("record.title"), anchor=False)
try:
    _page()
except MeasureError as error:
    st.error(str(error), icon=":material/error:")
