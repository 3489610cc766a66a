"""`python -m engine export [--format json|csv|apkg] [--deck ID]… [--out FILE]`: what was learnt, out.

JSON and CSV hold everything; an `.apkg` holds cards, their schedule and their answers, for Anki.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from engine.commands.check import default_library
from engine.folders import data_folder
from engine.store import FILE_NAME, open_store
from engine.study.desk import Desk
from engine.study.exchange.apkg.outgoing import export as export_package
from engine.study.exchange.files import FORMATS, write
from engine.study.exchange.gather import gather
from engine.study.library import own_decks_folder
from engine.study.local_zone import local_zone
from engine.whole_file import write_whole

APKG = "apkg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    choices = (*FORMATS, APKG)
    parser.add_argument("--format", choices=choices, help="default: that of FILE's name, else json")
    parser.add_argument("--out", metavar="FILE", type=Path, help="default: standard output")
    parser.add_argument(
        "--deck", metavar="ID", action="append", help="of an .apkg: only this deck (more than once: these)"
    )


def run(arguments: argparse.Namespace) -> int:
    """0: written; 1: it can't be written, or a deck of your own can't be read and isn't in it."""
    out: Path | None = arguments.out
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    format = arguments.format or (suffix if suffix in (*FORMATS, APKG) else "json")
    data = data_folder()
    if format == APKG:
        return _package(arguments, data)
    if arguments.deck:
        print("--deck goes with --format apkg: JSON and CSV hold everything", file=sys.stderr)
        return 2
    store = open_store(data / FILE_NAME)
    try:
        gathered = gather(store, own_decks_folder(data), datetime.now(UTC))
    finally:
        store.close()
    content = write(gathered.export, format)
    for reason in gathered.left_out:
        print(f"left out: {reason}", file=sys.stderr)
    export = gathered.export
    said = (
        f"{len(export.reviews)} answers to {len(export.cards)} cards, "
        f"{len(export.predictions)} predictions, {len(export.record_notes)} notes, "
        f"{len(export.decks)} decks of your own"
    )
    return 1 if not _written(out, content, said) or gathered.left_out else 0


def _package(arguments: argparse.Namespace, data: Path) -> int:
    """Writes an `.apkg` of the decks that can be used."""
    library = default_library(lab_names=None)
    ids = [deck.id for deck in library.decks]
    wanted: list[str] = arguments.deck or ids
    unknown = [deck for deck in wanted if deck not in ids]
    if unknown:
        print(f"there is no deck {', '.join(unknown)}: there are {', '.join(ids)}", file=sys.stderr)
        return 2
    store = open_store(data / FILE_NAME)
    try:
        Desk(store).sync(library)
        content = export_package(
            store,
            library,
            own_decks_folder(data),
            now=datetime.now(UTC),
            zone=local_zone(),
            decks=wanted,
        )
    finally:
        store.close()
    cards = sum(len(deck.cards) for deck in library.decks if deck.id in wanted)
    return 0 if _written(arguments.out, content, f"{cards} cards of {len(wanted)} decks, for Anki") else 1


def _written(out: Path | None, content: bytes, said: str) -> bool:
    if out is None:
        sys.stdout.buffer.write(content)
        return True
    try:
        write_whole(out, content)  # an earlier export isn't lost to a full disk
    except OSError as error:
        print(f"{out}: can't be written: {error.strerror}: choose another place", file=sys.stderr)
        return False
    print(f"{out}: {said}", file=sys.stderr)
    return True
