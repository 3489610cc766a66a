"""An export as one CSV: an answer a row with a column for each of its fields; every other record as JSON in
the column `body`. The first row counts the records, so that a file cut short is noticed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import WAY_OUT, Parsed, of_validation
from engine.study.exchange.records import (
    SCHEMA,
    CardRecord,
    ChangeRecord,
    ChangeUndoRecord,
    DeckRecord,
    Export,
    MistakeRecord,
    NoteRecord,
    PictureRecord,
    PracticeRecord,
    PredictionRecord,
    Record,
    ReviewRecord,
    ScheduleChangeRecord,
    SchedulerRecord,
    SightingRecord,
    wrong_schema,
)

_REVIEW = tuple(name for name in ReviewRecord.__struct_fields__ if name != "undo")
_JSON_CELLS = ("shown", "state_before", "state_after")
COLUMNS = ("record", *_REVIEW, "undo_nonce", "undone_at_ms", "body")
_KINDS: dict[str, tuple[str, type[Record]]] = {
    "scheduler": ("schedulers", SchedulerRecord),
    "review": ("reviews", ReviewRecord),
    "card": ("cards", CardRecord),
    "prediction": ("predictions", PredictionRecord),
    "sighting": ("sightings", SightingRecord),
    "record_note": ("record_notes", NoteRecord),
    "mistake": ("mistakes", MistakeRecord),
    "card_change": ("card_changes", ChangeRecord),
    "card_change_undo": ("card_change_undos", ChangeUndoRecord),
    "practice_answer": ("practice_answers", PracticeRecord),
    "schedule_change": ("schedule_changes", ScheduleChangeRecord),
    "deck": ("decks", DeckRecord),
    "picture": ("pictures", PictureRecord),
}
"""What the column `record` says, with the list of the export and the type of its records."""

_LONGEST_CELL = 64 * 1024 * 1024


def write(export: Export) -> bytes:
    """The export as CSV: UTF-8 with a byte order mark (spreadsheets look for it), lines ended by CR LF."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    counts = {plural: len(getattr(export, plural)) for plural, _ in _KINDS.values()}
    head = {
        "schema": export.schema,
        "exported_at": export.exported_at,
        "settings": export.settings,
        "records": counts,
    }
    writer.writerow({"record": "export", "body": _text(head)})
    for kind, (plural, _) in _KINDS.items():
        for record in getattr(export, plural):
            if isinstance(record, ReviewRecord):
                writer.writerow({"record": kind, **_cells(record)})
            else:
                writer.writerow({"record": kind, "body": _text(record)})
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8")


def read(content: bytes, where: str) -> Parsed:
    """The records of a CSV export. Raises ExchangeFault with the line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExchangeFault(where, "", "isn't UTF-8 text: save it as UTF-8, or export it anew") from error
    rows = _rows(text, where)
    line, first = next(rows, (1, {}))
    head = _head(first, f"{where}: line {line}")
    lists: dict[str, list[Record]] = {plural: [] for plural, _ in _KINDS.values()}
    lines: dict[str, list[int]] = {plural: [] for plural in lists}
    for line, row in rows:
        place = f"{where}: line {line}"
        kind = row["record"]
        if kind not in _KINDS:
            raise ExchangeFault(place, "record", f"{kind[:40]!r} is none of {', '.join(_KINDS)}: {WAY_OUT}")
        plural, of = _KINDS[kind]
        body = _review(row, place) if kind == "review" else _body(row, "body", place)
        lists[plural].append(_record(body, of, place, strict=kind != "review"))
        lines[plural].append(line)
    for plural, records in lists.items():
        if head["records"].get(plural, 0) != len(records):
            raise ExchangeFault(
                where,
                plural,
                f"holds {len(records)} of {head['records'].get(plural, 0)}: rows are missing or were added; "
                "copy or export it anew",
            )
    del head["records"]
    try:
        whole = {name: tuple(records) for name, records in lists.items()}
        export = msgspec.structs.replace(msgspec.convert(head, Export), **whole)
    except msgspec.ValidationError as error:
        raise of_validation(error, f"{where}: line 2") from error
    return Parsed(export, where, lines)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8")


def _cells(review: ReviewRecord) -> dict[str, Any]:
    cells = {name: getattr(review, name) for name in _REVIEW}
    cells.update({name: _text(cells[name]) for name in _JSON_CELLS})
    if review.undo is not None:
        cells |= {"undo_nonce": review.undo.nonce, "undone_at_ms": review.undo.undone_at_ms}
    return cells


def _rows(text: str, where: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row after the header by its columns, with the line it begins at."""
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        missing = [name for name in COLUMNS if name not in header]
        if missing or len(set(header)) != len(header):
            raise ExchangeFault(
                f"{where}: line 1",
                missing[0] if missing else "",
                f"{'is missing' if missing else 'a column stands twice'}: the columns must be "
                f"{', '.join(COLUMNS)}; export it anew",
            )
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) != len(header):
                raise ExchangeFault(
                    f"{where}: line {line}",
                    "",
                    f"has {len(cells)} cells instead of {len(header)}: is the file cut short? {WAY_OUT}",
                )
            yield line, dict(zip(header, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ExchangeFault(
            f"{where}: line {reader.line_num}", "", f"isn't CSV ({error}): {WAY_OUT}"
        ) from error


def _head(row: dict[str, str], place: str) -> dict[str, Any]:
    if row.get("record") != "export":
        raise ExchangeFault(place, "record", "the first row must be that of the export: export it anew")
    head = _body(row, "body", place)
    if not isinstance(head, dict) or head.get("schema") != SCHEMA:
        raise wrong_schema(place, head.get("schema") if isinstance(head, dict) else head)
    if not isinstance(head.get("records"), dict):
        raise ExchangeFault(place, "body.records", "must count the records of the file: export it anew")
    return head


def _review(row: dict[str, str], place: str) -> dict[str, Any]:
    body: dict[str, Any] = {name: row[name] for name in _REVIEW}
    body.update({name: _body(row, name, place) for name in _JSON_CELLS})
    if row["undo_nonce"] or row["undone_at_ms"]:
        body["undo"] = {"nonce": row["undo_nonce"], "undone_at_ms": row["undone_at_ms"]}
    return body


def _body(row: dict[str, str], column: str, place: str) -> Any:
    try:
        return msgspec.json.decode(row[column])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ExchangeFault(place, column, f"isn't JSON ({error}): {WAY_OUT}") from error


def _record(body: Any, of: type[Record], place: str, *, strict: bool) -> Record:
    try:
        return msgspec.convert(body, of, strict=strict)
    except msgspec.ValidationError as error:
        raise of_validation(error, place) from error
