"""The record in words: lines of text, from which the page, Markdown and CSV are made."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from app_pages.claims_table import Reader, reason_text
from app_pages.lab_words import LabWords
from app_pages.markup import plain
from app_pages.numbers import number, percent, span
from engine.claims.record import Entry, Machine, Pair

_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Line:
    """An item of the record, ready to be read. `why` are sentences, `language` that of the item's name.

    told: what was measured is words rather than a number.
    """

    key: str
    item: str
    below: str
    expected: str
    measured: str
    difference: str
    why: tuple[str, ...]
    note: str
    language: str
    told: bool = False


def lines(
    entries: Iterable[Entry], reader: Reader, words: Mapping[str, LabWords], *, cards: bool = True
) -> list[Line]:
    """A line for each entry. A finding stands with the first item that it speaks of and that differs.

    cards: whether the title of a claim's card stands below it.
    """
    said: set[str] = set()
    found = []
    for entry in entries:
        lab_words = words.get(entry.lab or "")
        line = _line(entry, reader, lab_words, said)
        found.append(line if cards or entry.row is None else replace(line, below=""))
    return found


def _line(entry: Entry, reader: Reader, words: LabWords | None, said: set[str]) -> Line:
    why: list[str] = []
    row = entry.row
    language: str
    if row is not None:
        item, below, language = row.claim.label or row.claim.id, plain(row.card.title), row.card.language
        if row.measured is not None:
            why.append(reason_text(row, row.verdict, reader))
        if words is not None and _differs(entry):
            concluded = [words.finding(finding) for finding in entry.findings]
            why += [text for text in concluded if text not in said]
            said.update(concluded)
    else:
        item = words.value(entry.item) if words else entry.item
        below = "" if entry.batch is None else reader.say("record.batch", n=entry.batch)
        language = reader.language
        if entry.why:
            why.append(words.value(entry.why) if words else entry.why)
    expected = "–" if entry.expected is None else span_text(*entry.expected, entry.unit, reader)
    measured = entry.text or ("–" if entry.measured is None else reader.quantity(entry.measured, entry.unit))
    return Line(
        key=entry.key,
        item=item,
        below=below,
        expected=expected,
        measured=measured,
        difference="–" if entry.ratio is None else difference(entry.ratio, reader),
        why=tuple(why),
        note=entry.note,
        language=language,
        told=bool(entry.text),
    )


def _differs(entry: Entry) -> bool:
    return entry.row is not None and entry.row.verdict.outcome == "differs"


def span_text(low: float, high: float, unit: str, reader: Reader) -> str:
    """A value or a range."""
    return reader.quantity(low, unit) if low == high else span(low, high, unit, reader.language)


def difference(ratio: float, reader: Reader) -> str:
    """Measured ÷ expected as people say it: +12 %, or 7.8× from twice on."""
    if ratio >= 2:
        return f"{number(ratio, reader.language, 2)}×"
    return percent(ratio - 1, reader.language, signed=True)


COLUMNS = ("item", "expected", "measured", "difference", "why")


def html_table(shown: Sequence[Line], reader: Reader) -> str:
    """The record as HTML; every text is escaped."""
    head = "".join(
        f'<th scope="col"{" class=number" if 0 < place < 4 else ""}>{escape(name)}</th>'
        for place, name in enumerate(reader.say(f"record.{column}") for column in COLUMNS)
    )
    return (
        f'<table class="record"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(_html(line, reader) for line in shown)}</tbody></table>"
    )


def _html(line: Line, reader: Reader) -> str:
    below = f"<small>{escape(line.below)}</small>" if line.below else ""
    why = "<br>".join(map(escape, line.why))
    note = f'<p class="own">{escape(line.note)}</p>' if line.note else ""
    cells = "".join(
        f'<td class="number{" told" if name == "measured" and line.told else ""}" '
        f'data-column="{escape(reader.say(f"record.{name}"))}">{escape(text)}</td>'
        for name, text in (
            ("expected", line.expected),
            ("measured", line.measured),
            ("difference", line.difference),
        )
    )
    return (
        f'<tr><th scope="row" lang="{line.language}">{escape(line.item)}{below}</th>{cells}'
        f'<td class="reasons">{why}{note}</td></tr>'
    )


def markdown(title: str, about: Sequence[str], shown: Sequence[Line], reader: Reader) -> str:
    """The record as Markdown: a heading, what it was measured with, a table."""
    names = [reader.say(f"record.{name}") for name in (*COLUMNS[:-1], "reason", "note")]
    rows = [
        [
            cell(f"{line.item} ({line.below})" if line.below else line.item),
            *(cell(text) for text in (line.expected, line.measured, line.difference)),
            cell(" ".join(line.why)),
            cell(line.note),
        ]
        for line in shown
    ]
    head = [f"# {title}", "", *(f"- {text}" for text in about), ""]
    return "\n".join([*head, *markdown_table(names, rows), ""])


def markdown_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table's lines. Cells must have passed `cell`."""
    rule = ["---"] * len(names)
    return [f"| {' | '.join(cells)} |" for cells in (list(map(cell, names)), rule, *rows)]


def cell(text: str) -> str:
    """A text that stays within its cell or line, and is no tag, link or picture there."""
    for sign in "\\|<[":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\r", "").replace("\n", " ")


def csv_text(entries: Sequence[Entry], shown: Sequence[Line], machine: Machine) -> str:
    """The record as CSV with plain numbers, for a spreadsheet or a script; column names are in English."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["gpu", "key", "item", "unit", "expected_low", "expected_high", "measured", "ratio", "why", "note"]
    )
    for entry, line in zip(entries, shown, strict=True):
        low, high = entry.expected or (None, None)
        measured = entry.text or entry.measured
        writer.writerow(
            [
                _safe(value)
                for value in (
                    machine.hardware.name,
                    entry.key,
                    line.item,
                    entry.unit,
                    low,
                    high,
                    measured,
                    entry.ratio,
                    " ".join(line.why),
                    line.note,
                )
            ]
        )
    return out.getvalue()


def _safe(value: str | float | None) -> str | float | None:
    """A text that a spreadsheet takes for text, whatever it begins with."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_SIGNS) else value


# --- two GPUs side by side -------------------------------------------------------------------------------


def pairs_table(
    pairs: Sequence[Pair], left: str, right: str, reader: Reader, words: Mapping[str, LabWords]
) -> str:
    """Two GPUs' records as HTML: expected and measured on each, and how many times apart they are."""
    heads = [reader.say("record.item"), left, right, reader.say("record.apart")]
    head = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(name)}</th>'
        for place, name in enumerate(heads)
    )
    body = []
    for pair in pairs:
        (line,) = lines([pair.any], reader, words)
        cells = "".join(
            f'<td class="number" data-column="{escape(name)}">{_side(entry, reader)}</td>'
            for name, entry in ((left, pair.left), (right, pair.right))
        )
        ratio = "–" if pair.ratio is None else f"{number(pair.ratio, reader.language, 2)}×"
        below = f"<small>{escape(line.below)}</small>" if line.below else ""
        body.append(
            f'<tr><th scope="row" lang="{line.language}">{escape(line.item)}{below}</th>{cells}'
            f'<td class="number" data-column="{escape(heads[3])}">{escape(ratio)}</td></tr>'
        )
    return f'<table class="record"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def _side(entry: Entry | None, reader: Reader) -> str:
    if entry is None or (entry.measured is None and not entry.text):
        return "–"
    measured = entry.text or reader.quantity(entry.measured or 0.0, entry.unit)
    expected = ""
    if entry.expected is not None:
        expected = reader.say("record.expected_small", value=span_text(*entry.expected, entry.unit, reader))
        expected = f"<small>{escape(expected)}</small>"
    return f"<b>{escape(measured)}</b>{expected}"
