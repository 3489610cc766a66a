"""`python -m engine COMMAND`: what can be done without the app."""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import importlib
import os
import sys
from collections.abc import Sequence

from engine.commands import COMMANDS
from engine.faults import BenchcardsError

_WIDTH = 80
"""Characters to a line of what is wrong with the words."""


def main(words: Sequence[str]) -> int:
    """Run the command that `words` name. Returns the exit code; argparse exits 2 on wrong usage."""
    # asked for the terminal's width, which help needs and nothing else does, argparse imports a lot
    wide = argparse.HelpFormatter
    shape = wide if {"-h", "--help"}.intersection(words) else functools.partial(wide, width=_WIDTH)
    parser = argparse.ArgumentParser(prog="python -m engine", description=__doc__, formatter_class=shape)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    called = next((command for command in COMMANDS if command.name in words[:1]), None)
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name, help=command.summary, description=command.summary, formatter_class=shape
        )
        if command is called:
            importlib.import_module(command.module).add_arguments(subparser)
    arguments = parser.parse_args(words)
    try:
        code: int = importlib.import_module(
            next(c for c in COMMANDS if c.name == arguments.command).module
        ).run(arguments)
    except BenchcardsError as error:
        print(f"{error}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        # a terminal that can't show a character shows "?" in its place
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    at_once = any(command.at_once and command.name in sys.argv[1:2] for command in COMMANDS)
    if at_once:
        # what it makes it keeps: looking for cycles among millions of objects takes a fifth of the time
        gc.disable()
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
        if at_once:
            sys.stderr.flush()
            os._exit(status)
    except BrokenPipeError:
        # the reader (head, less) has gone: nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
