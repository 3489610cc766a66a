"""`python -m engine analyse FILE [--json]`: what a trace, snapshot or report is and what it shows."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="a chrome trace (.json, .json.gz), a PyTorch memory snapshot, the CSV or log of ncu, "
        "the SQLite export of nsys or a CSV of nsys stats: recognised by content",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of sentences")


def run(arguments: argparse.Namespace) -> int:
    """0: analysed; 1 (by `UnreadableFile`): it can't be used; 2: there is no such file."""
    # the readers are wanted by this command only
    from engine.commands.analyse_words import sentences
    from engine.measure.analyse.recognise import analyse_file

    path: Path = arguments.file
    if not path.exists():
        print(f"{path}: there is no such file: check the path", file=sys.stderr)
        return 2
    shown = analyse_file(path).to_json()
    if arguments.json:
        print(json.dumps(shown, ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join([f"{path.name}: {KIND_NAMES[shown['kind']]}", *sentences(shown)]))
    return 0


KIND_NAMES = {
    "trace": "a profiler's trace",
    "memory_snapshot": "a PyTorch memory snapshot",
    "ncu": "a report of Nsight Compute",
    "nsys": "a capture of Nsight Systems",
}
