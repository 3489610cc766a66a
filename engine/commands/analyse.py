"""`python -m engine analyse FILE [--against BEFORE] [--json]`: what a trace, snapshot or report shows; or
what moved from one trace to another."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.measure.finding import Progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="a chrome trace (.json, .json.gz), a PyTorch memory snapshot, the CSV or log of ncu, "
        "the SQLite export of nsys or a CSV of nsys stats, or, where ncu or nsys is installed, their own "
        "report (.ncu-rep, .nsys-rep): recognised by content",
    )
    parser.add_argument(
        "--against",
        metavar="BEFORE",
        type=Path,
        help="compare the trace FILE with this earlier one: what moved",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of sentences")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="write how far it is to standard error, as the progress events of labs",
    )


def run(arguments: argparse.Namespace) -> int:
    """0: analysed; 1 (by `UnreadableFile`): it can't be used; 2: there is no such file."""
    path: Path = arguments.file
    earlier: Path | None = arguments.against
    for named in filter(None, (path, earlier)):
        if not named.exists():
            print(f"{named}: there is no such file: check the path", file=sys.stderr)
            return 2
    report = _told if arguments.progress else None
    if earlier is None:
        shown = _analysed(path, report)
        title = f"{path.name}: {KIND_NAMES[shown['kind']]}"
    else:
        # wanted here only
        from engine.measure.analyse.compare import compare

        before = _analysed(earlier, report)
        shown = compare(before, _analysed(path, report), names=(earlier.name, path.name)).to_json()
        title = f"{path.name} against {earlier.name}: two traces"
    if arguments.json:
        print(json.dumps(shown, ensure_ascii=False, allow_nan=False))
    else:
        from engine.commands.analyse_words import sentences

        print("\n".join([title, *sentences(shown)]))
    return 0


def _analysed(path: Path, report: Callable[[Progress], None] | None) -> dict[str, Any]:
    # the readers are wanted by this command only
    from engine.measure.analyse.recognise import analyse_file

    # what is read is kept to the end, in millions of objects without a cycle: looking for cycles among them
    # takes a fifth of the time
    collecting = gc.isenabled()
    gc.disable()
    try:
        return analyse_file(path, report).to_json()
    finally:
        if collecting:
            gc.enable()


def _told(progress: Progress) -> None:
    # wanted here only
    from engine.measure.events import to_line

    print(to_line(progress), file=sys.stderr, flush=True)


KIND_NAMES = {
    "trace": "a profiler's trace",
    "memory_snapshot": "a PyTorch memory snapshot",
    "ncu": "a report of Nsight Compute",
    "nsys": "a capture of Nsight Systems",
}
