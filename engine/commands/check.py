"""`python -m engine check [PATH…] [--json]`: what is wrong with decks, as `file:line: field: message`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from engine.claims.compute import faults as claim_faults
from engine.folders import data_folder, project_folder
from engine.lab_names import lab_names
from engine.study.card import Library
from engine.study.library import load_library, own_decks_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="deck files, or folders of decks (default: cards/ and the decks in your data folder)",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """0: no faults; 1: faults; 2: a path that does not exist."""
    named: list[Path] = arguments.paths
    for path in named:
        if not os.path.lexists(path):
            print(f"{path}: there is no such file or folder: check the path", file=sys.stderr)
            return 2
    library = (
        load_library([_shortened(path) for path in named], lab_names=lab_names(), cache=None)
        if named
        else default_library(lab_names=lab_names())
    )
    library = replace(library, faults=(*library.faults, *claim_faults(library)))
    if arguments.json:
        print(_as_json(library))
    else:
        for fault in library.faults:
            print(fault)
        print(_summary(library), file=sys.stderr)
    return 1 if library.faults else 0


def default_paths() -> list[Path]:
    """The project's decks and the learner's own."""
    paths = [project_folder() / "cards"]
    try:
        paths.append(own_decks_folder(data_folder()))
    except OSError as error:
        # the project's decks can be checked where nobody has a data folder, as in CI
        print(f"your own decks are not checked: {error.strerror}: {error.filename}", file=sys.stderr)
    return paths


def default_library(*, lab_names: Collection[str] | None) -> Library:
    """The decks of `default_paths`, the learner's own copy of a project's deck in its place."""
    paths = [_shortened(path) for path in default_paths()]
    return load_library(paths, lab_names=lab_names, cache=None, own=paths[-1] if len(paths) > 1 else None)


def _shortened(path: Path) -> Path:
    """The path as seen from where the person stands."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_absolute() and path.is_relative_to(here) else path


def _as_json(library: Library) -> str:
    return json.dumps(
        {
            "decks": [
                {"path": deck.path, "language": deck.language, "cards": len(deck.cards)}
                for deck in library.decks
            ],
            "faults": [
                {"file": fault.file, "line": fault.line, "field": fault.field, "message": fault.message}
                for fault in library.faults
            ],
        },
        ensure_ascii=False,
        indent=2,
    )


def _summary(library: Library) -> str:
    def count(number: int, noun: str) -> str:
        return f"{number} {noun}{'' if number == 1 else 's'}"

    good = f"{count(len(library.decks), 'deck')} with {count(len(library.by_id), 'card')} can be used"
    files = len({fault.file for fault in library.faults})
    return f"{good}; {count(len(library.faults), 'fault')}" + (f" in {count(files, 'file')}" if files else "")
