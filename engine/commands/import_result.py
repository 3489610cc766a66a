"""`python -m engine import-result FILE…`: results of another machine into the record, each checked first."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from engine.claims import imported
from engine.commands.check import default_library
from engine.folders import data_folder
from engine.lab_names import lab_names
from engine.measure.fault import MeasureError
from engine.store import FILE_NAME, open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a result file, as `python -m labs run NAME --out FILE` writes it",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: all are in the record; 1: a file isn't a result that can be, and nothing of it was stored."""
    library = default_library(lab_names=None)
    claims = [claim for card in library.by_id.values() for claim in card.claims]
    labs = lab_names()
    store = open_store(data_folder() / FILE_NAME)
    faulty = False
    try:
        for name in arguments.files:
            now = datetime.now(UTC)
            try:
                content = Path(name).read_bytes()
                result = imported.read_file(content, name, labs=labs, claims=claims, now=now)
            except OSError as error:
                print(f"{name}: can't be read: {error.strerror}", file=sys.stderr)
                faulty = True
                continue
            except MeasureError as error:
                print(error, file=sys.stderr)
                faulty = True
                continue
            kept = imported.keep(store, result, Path(name).name, now)
            when = f"{result.started_at:%Y-%m-%d %H:%M} UTC"
            already = " (was here already)" if kept.already else ""
            print(f"{name}: {result.lab} on {result.device['name']}, {when}{already}")
    finally:
        store.close()
    return 1 if faulty else 0
