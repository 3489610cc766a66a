"""`python -m engine analyse FILE [--json]`: what a trace, snapshot or report is and what it shows."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path

from engine.measure.events import Progress, to_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="a chrome trace (.json, .json.gz), a PyTorch memory snapshot, the CSV or log of ncu, "
        "the SQLite export of nsys or a CSV of nsys stats: recognised by content",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of sentences")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="write how far it is to standard error, as the progress events of labs",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: analysed; 1 (by `UnreadableFile`): it can't be used; 2: there is no such file."""
    # the readers are wanted by this command only
    from engine.commands.analyse_words import sentences
    from engine.measure.analyse.recognise import analyse_file

    path: Path = arguments.file
    if not path.exists():
        print(f"{path}: there is no such file: check the path", file=sys.stderr)
        return 2
    # what is read is kept to the end, in millions of objects without a cycle: looking for cycles among them
    # takes a fifth of the time
    collecting = gc.isenabled()
    gc.disable()
    try:
        shown = analyse_file(path, _told if arguments.progress else None).to_json()
    finally:
        if collecting:
            gc.enable()
    if arguments.json:
        print(json.dumps(shown, ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join([f"{path.name}: {KIND_NAMES[shown['kind']]}", *sentences(shown)]))
    return 0


def _told(progress: Progress) -> None:
    print(to_line(progress), file=sys.stderr, flush=True)


KIND_NAMES = {
    "trace": "a profiler's trace",
    "memory_snapshot": "a PyTorch memory snapshot",
    "ncu": "a report of Nsight Compute",
    "nsys": "a capture of Nsight Systems",
}
