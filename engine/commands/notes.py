"""`python -m engine import NOTES.md [--deck ID] [--dry-run]`: notes made into cards of one of your decks."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from engine.commands.check import default_library
from engine.folders import data_folder
from engine.lab_names import lab_names
from engine.study.library import own_decks_folder
from engine.study.notes.bring_in import NotesReport, plan_notes, read_notes, write_notes

_NAMED = 5
"""Titles in a line of the report; the rest are counted."""


def run(arguments: argparse.Namespace) -> int:
    """0: brought in (or could be). Raises NotesFault or DeckMoved, and nothing was changed then."""
    path: Path = arguments.file
    labs = lab_names()
    library = default_library(lab_names=labs)
    plan = plan_notes(
        read_notes(path),
        str(path),
        own=own_decks_folder(data_folder()),
        library=library,
        lab_names=labs,
        deck=arguments.deck,
        language=arguments.language,
    )
    if not arguments.dry_run:
        write_notes(plan, library, lab_names=labs)
    report = plan.report
    if arguments.json:
        print(json.dumps(_body(report, dry_run=arguments.dry_run), ensure_ascii=False, indent=2))
    else:
        for line in _lines(report, dry_run=arguments.dry_run):
            print(line)
    return 0


def _body(report: NotesReport, *, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "changes": report.changes,
        "deck": report.deck,
        "file": str(report.path),
        "makes_deck": report.makes_deck,
        "new": report.new,
        "changed": report.changed,
        "same": report.same,
        "left_out": report.left_out,
    }


def _lines(report: NotesReport, *, dry_run: bool) -> list[str]:
    said = [f"{report.path}: {'a new deck' if report.makes_deck else 'your deck'} {report.deck}"]
    for name, titles in (("new", report.new), ("changed", report.changed), ("as they are", report.same)):
        listed = ", ".join(titles[:_NAMED]) + (" …" if len(titles) > _NAMED else "")
        said.append(f"{name}: {len(titles)}" + (f" ({listed})" if titles else ""))
    said += [f"left out: {what}" for what in report.left_out]
    if not report.changes:
        said.append("every card is here as it is in the notes: nothing changes")
    elif dry_run:
        said.append("dry run: nothing was changed")
    return said
