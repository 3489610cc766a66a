"""`python -m engine import FILE [--dry-run] [--replace] [--json]`: our export, Anki's package, or notes."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from engine.commands import notes
from engine.commands.check import default_library
from engine.folders import data_folder
from engine.store import FILE_NAME, open_store
from engine.store.backup import backup
from engine.study.card import Language
from engine.study.exchange.apkg.incoming import Learner
from engine.study.exchange.apkg.incoming import read as read_package
from engine.study.exchange.apkg.process import is_package
from engine.study.exchange.files import read
from engine.study.exchange.parsed import LARGEST
from engine.study.exchange.report import Report, Tally
from engine.study.exchange.take_in import foresee, take_in
from engine.study.library import own_decks_folder
from engine.study.local_zone import local_zone
from engine.study.notes.bring_in import is_notes

_NAMED = 5
"""Names in a line of the report; the rest are counted."""

_LEFT_OUT = {
    "pictures": "left out: {n} sounds, or pictures that cards can't show; the cards say where they stood",
    "empty": "left out: {n} cards with nothing on one of their sides",
    "too_long": "left out: {n} cards whose text is longer than a card's may be",
    "edited": "kept as here: the text of {n} notes that were edited in Anki",
    "not_own": "kept as here: {n} decks that came with Benchcards and have another text in the file",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="what `python -m engine export` wrote, an .apkg of Anki's, or notes: .md, .tsv, .txt",
    )
    parser.add_argument("--deck", metavar="ID", help="notes: the deck they go to (default: as they say)")
    parser.add_argument("--language", choices=get_args(Language), help="notes: a new deck's language")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and change nothing")
    parser.add_argument(
        "--replace", action="store_true", help="where settings and decks differ, take those of FILE"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """0: imported (or could be); 1: FILE can't be, and nothing was changed."""
    path: Path = arguments.file
    if is_notes(path):
        return notes.run(arguments)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        print(f"{path}: can't be read: {error.strerror}: check the path", file=sys.stderr)
        return 1
    library = default_library(lab_names=None)
    data = data_folder()
    store = open_store(data / FILE_NAME)
    how: dict[str, Any] = {
        "known_cards": library.by_id.keys(),
        "now": datetime.now(UTC),
        "replace": arguments.replace,
    }
    decks = own_decks_folder(data)
    try:
        if is_package(content):
            learner = Learner(store, library, decks, local_zone(), how["now"])
            parsed = read_package(content, str(path), learner)
        else:
            parsed = read(content, str(path))
        report = foresee(store, parsed, decks, **how)
        if report.changes and not arguments.dry_run:
            if store.path is not None:
                backup(store.path, "before-import")
            report = take_in(store, parsed, decks, **how)
    finally:
        store.close()
    if arguments.json:
        body = {"dry_run": arguments.dry_run, "changes": report.changes, **asdict(report)}
        print(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        for line in lines(report, dry_run=arguments.dry_run):
            print(line)
    return 0


def lines(report: Report, *, dry_run: bool) -> list[str]:
    """The report as it stands on a terminal."""
    tallies: list[tuple[str, Tally]] = [
        ("answers", report.reviews),
        ("taken back", report.undos),
        ("predictions", report.predictions),
        ("numbers seen", report.sightings),
        ("notes", report.record_notes),
        ("pictures of cards", report.pictures),
        ("mistakes", report.mistakes),
        ("changes of cards", report.card_changes),
        ("answers outside the schedule", report.practice_answers),
        ("changes of the schedule", report.schedule_changes),
    ]
    said = [f"{name}: {tally.new} new, {tally.known} here already" for name, tally in tallies]
    if report.merged:
        said.append(f"merged: {report.merged} cards were answered here too; their schedule follows both logs")
    if report.renumbered:
        said.append(f"renumbered: {report.renumbered} answers, whose place in the log was taken here")
    differ = "taken from the file" if report.replaced else "kept as here; --replace takes the file's"
    for what, names in (
        ("settings taken", report.settings_taken),
        (f"settings that differ ({differ})", report.settings_differ),
        ("decks new", report.decks_new),
        ("decks renewed", report.decks_renewed),
        ("decks here already", report.decks_same),
        (f"decks that differ ({differ})", report.decks_differ),
        ("cards that no deck has (their answers are kept)", report.unknown_cards),
    ):
        if names:
            said.append(f"{what}: {_listed(names)}")
    said += [_LEFT_OUT[code].format(n=number) for code, number in report.left_out]
    if not report.changes:
        said.append("nothing of it is new here: nothing changes")
    elif dry_run:
        said.append("dry run: nothing was changed")
    return said


def _listed(names: tuple[str, ...]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")
