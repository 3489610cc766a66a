"""Parts of a lab that need a process of their own: they speak in events, and end with the lab.

A child stays in the lab's session and process group, so that cancelling the lab reaches it too.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from engine.folders import project_folder
from engine.measure.events import Event, Log, from_line
from engine.measure.processes import signal_name
from labs.kit.lab import LabFailed

_GENTLE_S = 5


def events_of(
    module: str, arguments: Sequence[str], *, set_to: Mapping[str, str], without: Sequence[str] = ()
) -> Iterator[Event]:
    """Runs `python -m module arguments` and gives its events as they come.

    `set_to` and `without`: variables of its environment that are set, and taken out. The child is ended where
    the iteration ends before it does. Raises LabFailed where it ends badly.
    """
    environment = {name: value for name, value in os.environ.items() if name not in without}
    child = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=project_folder(),
        env={**environment, **set_to},
        text=True,
        encoding="utf-8",
    )
    try:
        if child.stdout is None:
            raise AssertionError("a pipe was asked for")
        last = ""
        for line in child.stdout:
            event = from_line(line)
            last = line.strip() if event is None else last
            yield Log(line.rstrip("\n")) if event is None else event
        code = child.wait()
    finally:
        _end(child)
    if code:
        how = signal_name(-code) if code < 0 else f"exit code {code}"
        raise LabFailed(
            "crashed", f"A part of the lab, {module}, ended early ({how}); the log says why. {last}"
        )


def _end(child: subprocess.Popen[str]) -> None:
    """Nothing of it is left: it is told to end, then ended."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # it is gone already
                pipe.close()
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(_GENTLE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
