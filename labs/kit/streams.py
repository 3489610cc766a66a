"""Keeps the event stream clean: what a library prints goes to the log, never between the events."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

from engine.measure.events import Event, to_line


class StreamBroken(BaseException):  # a lab's `except Exception` must not eat it
    """Nobody reads the events any more, or the disk is full. `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EventStream:
    """Writes events to a file descriptor, each line at once and whole, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def emit(self, event: Event) -> None:
        """Raises ValueError for an event that can't be written, StreamBroken where none can."""
        rest = memoryview((to_line(event) + "\n").encode())
        with self._lock:
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except OSError as error:
                    raise StreamBroken(error.strerror or str(error)) from error


@contextlib.contextmanager
def standard_output_apart() -> Iterator[int]:
    """Gives a descriptor to the real standard output while everything printed goes to standard error.

    Works below Python: what C libraries and child processes print is kept apart too.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    real = os.dup(1)
    os.dup2(2, 1)
    python_stdout = sys.stdout
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        python_stdout.flush()
        sys.stderr.flush()
        sys.stdout = python_stdout
        os.dup2(real, 1)
        os.close(real)
