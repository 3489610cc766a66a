"""`python -m engine export [--format json|csv] [--out FILE]`: everything that was learnt, without loss."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from engine.folders import data_folder
from engine.store import FILE_NAME, open_store
from engine.study.exchange.files import FORMATS, write
from engine.study.exchange.gather import gather
from engine.study.library import own_decks_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: that of FILE's name, else json")
    parser.add_argument("--out", metavar="FILE", type=Path, help="default: standard output")


def run(arguments: argparse.Namespace) -> int:
    """0: written; 1: it can't be written, or a deck of your own can't be read and isn't in it."""
    out: Path | None = arguments.out
    named = "csv" if out is not None and out.suffix.lower() == ".csv" else "json"
    data = data_folder()
    store = open_store(data / FILE_NAME)
    try:
        gathered = gather(store, own_decks_folder(data), datetime.now(UTC))
    finally:
        store.close()
    content = write(gathered.export, arguments.format or named)
    for reason in gathered.left_out:
        print(f"left out: {reason}", file=sys.stderr)
    if out is None:
        sys.stdout.buffer.write(content)
    else:
        try:
            _put(out, content)
        except OSError as error:
            print(f"{out}: can't be written: {error.strerror}: choose another place", file=sys.stderr)
            return 1
        export = gathered.export
        print(
            f"{out}: {len(export.reviews)} answers to {len(export.cards)} cards, "
            f"{len(export.predictions)} predictions, {len(export.record_notes)} notes, "
            f"{len(export.decks)} decks of your own",
            file=sys.stderr,
        )
    return 1 if gathered.left_out else 0


def _put(path: Path, content: bytes) -> None:
    """The whole file or none: an earlier export isn't lost to a full disk."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
