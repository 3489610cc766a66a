"""`python -m labs list` and `python -m labs run NAME` (see docs/contracts.md)."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from engine.faults import BenchcardsError
from engine.measure.events import Event, Failed, Finished, Log, to_line
from engine.measure.results import Fold, save_result
from labs.kit import listing, table
from labs.kit.discovery import find_lab, words
from labs.kit.levers import read_settings
from labs.kit.running import Order, run_lab
from labs.kit.streams import EventStream, StreamBroken, standard_output_apart
from labs.kit.usage import UsageError

DONE, FAILED, WRONG_USAGE = 0, 1, 2


@dataclass(slots=True)
class _Kept:
    """What is kept of a run for the table and the result file."""

    fold: Fold = field(default_factory=Fold)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    last_log: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "list":
            print(json.dumps(listing.as_json(), ensure_ascii=False) if options.json else listing.as_text())
            return DONE
        return _run(options)
    except UsageError as error:
        if getattr(options, "events", False):
            print(to_line(Failed(code="unsupported", message=str(error))), flush=True)
        print(error, file=sys.stderr)
        return WRONG_USAGE
    except BenchcardsError as error:
        print(error, file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labs", description="Experiments on this machine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listed = commands.add_parser("list", help="the labs, what each needs, whether it can run here")
    listed.add_argument("--json", action="store_true", help="for scripts")
    run = commands.add_parser("run", help="run one lab and show what it measured")
    run.add_argument("name", metavar="NAME", help="the lab")
    run.add_argument("--device", choices=("auto", "cuda", "cpu"), default="auto", help="where it runs")
    run.add_argument("--set", action="append", default=[], metavar="key=value", help="set a lever")
    run.add_argument("--out", type=Path, metavar="FILE", help="write the result file")
    run.add_argument("--artifacts", type=Path, metavar="FOLDER", help="where the lab leaves its files")
    run.add_argument("--events", action="store_true", help="write the event lines to standard output")
    return parser


def _run(options: argparse.Namespace) -> int:
    lab = find_lab(options.name)
    params = read_settings(lab, options.set)
    if options.out and not options.out.absolute().parent.is_dir():
        raise UsageError(f"--out {options.out}: the folder {options.out.absolute().parent} doesn't exist.")
    texts = words(lab.name).get("en", {})
    own_folder = options.artifacts is None
    artifacts = Path(tempfile.mkdtemp(prefix=f"benchcards-{lab.name}-")) if own_folder else options.artifacts
    order = Order(lab=lab, params=params, wanted=options.device, artifacts=artifacts)
    kept = _Kept()
    try:
        with standard_output_apart() as output:
            shown = _to_stream(output) if options.events else _to_terminal(table.ProgressLine(texts), kept)

            def emit(event: Event) -> None:
                kept.fold.add(event)
                shown(event)

            end = run_lab(order, emit)
    except StreamBroken as broken:
        print(f"The events can't be written: {broken.reason}.", file=sys.stderr)
        return FAILED
    finally:
        if own_folder and not any(artifacts.iterdir()):
            artifacts.rmdir()
    return _conclude(options, kept, end if isinstance(end, Failed) else None, texts)


def _to_stream(descriptor: int) -> Callable[[Event], None]:
    return EventStream(descriptor).emit


def _to_terminal(line: table.ProgressLine, kept: _Kept) -> Callable[[Event], None]:
    def show(event: Event) -> None:
        to_line(event)  # what could not be sent is no event here either: it raises ValueError
        if isinstance(event, Log) and event.text.startswith("Traceback "):
            kept.last_log = event.text  # a person gets the reason in one line, and may ask for the rest
            return
        line.show(event)
        if isinstance(event, Finished | Failed):
            line.clear()

    return show


def _conclude(options: argparse.Namespace, kept: _Kept, failed: Failed | None, texts: dict[str, str]) -> int:
    if failed:
        print(f"{options.name} failed ({failed.code}): {failed.message}", file=sys.stderr)
        if kept.last_log:
            print("Run it again with --events to see the details of the error.", file=sys.stderr)
        return FAILED
    result = kept.fold.result(kept.started_at)
    if result is None:  # run_lab emits both, always
        raise AssertionError("a finished run without a result")
    if options.out:
        try:
            save_result(options.out, result)
        except OSError as error:
            print(f"{options.out}: can't be written: {error.strerror}.", file=sys.stderr)
            return FAILED
    if not options.events:
        print(table.as_text(result, texts))
    return DONE


if __name__ == "__main__":
    sys.exit(main())
