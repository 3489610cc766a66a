"""The report of the lesson's week on one page, and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app_pages.claims_table import Reader
from app_pages.lab_words import LabWords
from app_pages.numbers import number, percent
from app_pages.record_lines import cell, markdown_table
from engine.claims.report import Fix, Kernel, Report

Row = tuple[str, str, str]
"""A figure: what it is, its value, and what it says."""


def figures(found: Report, reader: Reader) -> list[Row]:
    """Floor, times and ratios, each with a sentence; what wasn't measured is left out."""
    rows: list[Row] = []

    def add(name: str, value: float | None, unit: str, **args: object) -> None:
        if value is not None:
            said = reader.say(f"report.{name}.says", **args)
            rows.append((reader.say(f"report.{name}"), reader.quantity(value, unit), said))

    add("floor", found.floor, "ms")
    add("floor_measured", found.floor_measured, "ms")
    add("first_token", found.first_token, "ms")
    add("per_token", found.per_token, "ms")
    times = "" if found.ratio is None else number(found.ratio, reader.language, 2)
    add("ratio", found.ratio, "×", times=times)
    share = "" if found.gap_share is None else percent(found.gap_share / 100, reader.language)
    add("gap_share", found.gap_share, "%", share=share)
    return rows


def figures_table(rows: Sequence[Row], reader: Reader) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number"><b>{escape(value)}</b></td>'
        f'<td class="reasons">{escape(said)}</td></tr>'
        for name, value, said in rows
    )
    return f'<table class="record"><tbody>{body}</tbody></table>'


def kernel_cells(kernels: Sequence[Kernel], reader: Reader, words: LabWords) -> list[list[str]]:
    """Name, part of the model, times a step, time, share."""
    return [
        [
            kernel.name,
            ", ".join(words.value(part) for part in kernel.part.split(", ")),
            number(kernel.count, reader.language),
            reader.quantity(kernel.us, "us"),
            percent(kernel.share / 100, reader.language),
        ]
        for kernel in kernels
    ]


def kernel_heads(reader: Reader) -> list[str]:
    return [reader.say(f"report.kernel.{name}") for name in ("name", "part", "count", "time", "share")]


def fix_cells(fixes: Sequence[Fix], reader: Reader, words: Mapping[str, LabWords]) -> list[list[str]]:
    """Lab, what was changed, milliseconds a token, against the step before, against the first, MBU."""
    cells = []
    for fix in fixes:
        said = words[fix.lab]
        parts = dict.fromkeys((said.value(fix.mode), said.value(fix.weights)))
        name = " · ".join(part for part in parts if part)
        change = "–" if fix.change is None else percent(fix.change - 1, reader.language, signed=True)
        first = "–" if fix.change is None else f"{number(1 / fix.of_first, reader.language, 2)}×"
        mbu = "–" if fix.mbu is None else percent(fix.mbu / 100, reader.language)
        cells.append([said.title, name, reader.quantity(fix.ms, "ms"), change, first, mbu])
    return cells


def fix_heads(reader: Reader) -> list[str]:
    return [reader.say(f"report.fix.{name}") for name in ("lab", "mode", "time", "change", "faster", "mbu")]


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int, label: str) -> str:
    """A table as HTML; columns from `numbers_from` on hold numbers."""

    def kind(place: int) -> str:
        return ' class="number"' if place >= numbers_from else ""

    head = "".join(f'<th scope="col"{kind(place)}>{escape(name)}</th>' for place, name in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(f"<td{kind(place)}>{escape(text)}</td>" for place, text in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def markdown(
    title: str,
    about: Sequence[str],
    found: Report,
    notes: Mapping[str, str],
    reader: Reader,
    words: Mapping[str, LabWords],
) -> str:
    """The whole report as Markdown."""
    lines = [f"# {title}", "", *(f"- {text}" for text in about), ""]
    names = [reader.say("record.item"), reader.say("record.measured"), reader.say("report.says")]
    lines += markdown_table(names, figures(found, reader))
    if found.kernels:
        lines += ["", f"## {reader.say('report.kernels')}", ""]
        lines += markdown_table(
            kernel_heads(reader),
            [list(map(cell, row)) for row in kernel_cells(found.kernels, reader, words["decode_gaps"])],
        )
    if found.fixes:
        lines += ["", f"## {reader.say('report.fixes')}", ""]
        rows = [
            [cell(text) for text in (*cells, notes.get(fix.key, ""))]
            for fix, cells in zip(found.fixes, fix_cells(found.fixes, reader, words), strict=True)
        ]
        lines += markdown_table([*fix_heads(reader), reader.say("record.note")], rows)
    if found.findings:
        lines += ["", f"## {reader.say('report.findings')}", ""]
        lines += [f"- {cell(words[lab].finding(finding))}" for lab, finding in found.findings]
    if notes.get("report"):
        lines += ["", f"## {reader.say('record.note')}", "", notes["report"]]
    return "\n".join([*lines, ""])
