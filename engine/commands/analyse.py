"""`python -m engine analyse FILE [--against BEFORE] [--json]`: what a trace, snapshot or report shows; or
what moved from one trace to another."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.measure.finding import Progress

if TYPE_CHECKING:
    from engine.measure.analyse.recognise import Analysis


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
    before = None if earlier is None else _analysed(earlier, report).to_json()
    analysis = _analysed(path, report)
    _kept.append(analysis)
    shown = analysis.to_json()
    if earlier is None or before is None:
        title = f"{path.name}: {KIND_NAMES[shown['kind']]}"
    else:
        # wanted here only
        from engine.measure.analyse.compare import compare

        shown = compare(before, shown, names=(earlier.name, path.name)).to_json()
        title = f"{path.name} against {earlier.name}: two traces"
    if arguments.json:
        print(json.dumps(shown, ensure_ascii=False, allow_nan=False))
    else:
        from engine.commands.analyse_words import sentences

        print("\n".join([title, *sentences(shown)]))
    return 0


_kept: list[Analysis] = []
"""What was read, to the end of the process: taking it apart object by object takes longer than ending."""


def _analysed(path: Path, report: Callable[[Progress], None] | None) -> Analysis:
    # the readers are wanted by this command only
    from engine.measure.analyse.recognise import analyse_file

    return analyse_file(path, report)


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
