"""One run that is under way: started, followed, and ended where it must be."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from engine.measure import warm
from engine.measure.ending import CANCELLED, End, failed, is_full, without_a_word
from engine.measure.events import Event, Failed, Finished, Log
from engine.measure.line import Run, Status
from engine.measure.processes import Family
from engine.measure.results import Fold, save_result
from engine.measure.tail import EventFile, last_lines
from engine.measure.through import SentChild
from engine.measure.warm import UNKNOWN

EVENTS, LOG, RESULT, ARTIFACTS, CANCEL = "events.jsonl", "log.txt", "result.json", "artifacts", "cancel"

Child = warm.Child | SentChild

OUTPUT_LIMIT = 64 * 1024 * 1024
"""Bytes that a run may write to its events or its log."""
GENTLE_S = 5.0
"""Between asking a run to end and ending it."""
LINGER_S = 10.0
"""A lab that has said its last word may take this long to end."""
OVERTIME_S = 5.0
"""A lab ends itself at its limit; this long after it is ended."""


@dataclass(slots=True)
class Watch:
    """A run under way. `step` is called often and never waits; `end` is set once the run is over."""

    run: Run
    folder: Path
    child: Child
    family: Family
    output_limit: int = OUTPUT_LIMIT
    end: End | None = None
    has_spoken: bool = False
    """Whether its first event has come."""
    told: Status | None = None
    """The status that the store knows."""
    _said: Finished | Failed | None = None
    _said_at: float = 0.0
    _forced: End | None = None
    _asked_at: float | None = None
    _started: float = field(default_factory=time.monotonic)
    _started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    _fold: Fold = field(default_factory=Fold)
    _log: BinaryIO | None = None
    _events: EventFile = field(init=False)

    def __post_init__(self) -> None:
        self._events = EventFile(self.folder / EVENTS)

    def step(self) -> bool:
        """Goes on as far as it can now. True once nothing of the run lives any more.

        `end` may be set before that: the run is over, and what it left behind is being ended.
        """
        if self.end is None:
            self._follow()
            returncode = self.child.poll()
            if returncode is not None:
                self._follow()
                for item in self._events.close():
                    self._take(item)
                self.end = self._conclude(returncode)
                self._close_log()
                if self.end.status == "failed" and is_full(self.folder):
                    self._make_room()
                self._asked_at = self._asked_at if self._forced else None
            else:
                self._judge()
        if self.end is not None and not self.family.members():
            return True
        if self.end is not None or self._forced is not None:
            self._press()
        return False

    def stop(self, end: End) -> None:
        """Ends the run, gently first; `end` is what is said of it."""
        if self.end is None and self._forced is None:
            self._forced = end
            self._press()

    def kill(self) -> None:
        """Ends all of it at once."""
        self.family.end(hard=True)

    def _follow(self) -> None:
        for item in self._events.read():
            self._take(item)

    def _take(self, item: Event | str) -> None:
        if isinstance(item, str):
            self._note(item)
            return
        self.has_spoken = True
        if isinstance(item, Log):
            self._note(item.text)
        elif isinstance(item, Finished | Failed):
            self._said, self._said_at = item, time.monotonic()
        self._fold.add(item)

    def _note(self, text: str) -> None:
        """Log text among the events goes where the rest of the log is."""
        with contextlib.suppress(OSError):  # the disk is full: the run's end will say so
            if self._log is None:
                self._log = (self.folder / LOG).open("ab", buffering=0)
            self._log.write(text.encode("utf-8", errors="replace") + b"\n")

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _make_room(self) -> None:
        """A run that filled the disk gives back what it took: without room not even its end can be noted."""
        log = "\n".join(last_lines(self.folder / LOG, 100))
        for name in (EVENTS, LOG):
            with contextlib.suppress(OSError):  # it never wrote one
                os.truncate(self.folder / name, 0)
        with contextlib.suppress(OSError):  # still no room
            (self.folder / LOG).write_text(log + "\n", encoding="utf-8")

    def _judge(self) -> None:
        """Whether a run that goes on must be stopped."""
        now = time.monotonic()
        if (self.folder / CANCEL).exists():
            self.stop(CANCELLED)
        elif self._said is not None:
            if now - self._said_at > LINGER_S:
                self.stop(self._spoken(self._said))
        elif now - self._started > self.run.time_limit_s + OVERTIME_S:
            limit = f"{self.run.time_limit_s:g} s"
            self.stop(
                failed("timeout", f"{self.run.lab} took longer than its limit of {limit} and was ended.")
            )
        elif self._size() > self.output_limit:
            limit = f"{self.output_limit // 1024**2} MiB"
            self.stop(failed("crashed", f"The lab wrote more than {limit} of output and was ended."))

    def _size(self) -> int:
        sizes = [0]
        for name in (EVENTS, LOG):
            with contextlib.suppress(OSError):  # not made yet
                sizes.append((self.folder / name).stat().st_size)
        return max(sizes)

    def _press(self) -> None:
        """Asks to end; a while later, ends."""
        now = time.monotonic()
        if self._asked_at is None:
            self._asked_at = now
            if not isinstance(self.child, SentChild):
                self.family.end(hard=False)
                return
            self.child.let_go()  # a signal wouldn't reach the lab; and the way to it must stay until it ended
        waited = now - self._asked_at
        patience = 2 * GENTLE_S if isinstance(self.child, SentChild) else GENTLE_S
        if waited > patience:
            self.family.end(hard=True)
        elif waited > GENTLE_S:
            self.family.end(hard=False)

    def _conclude(self, returncode: int) -> End:
        if self._forced is not None:
            # it may have finished while it was being told to stop: then it did
            done = isinstance(self._said, Finished) and self._forced is CANCELLED
            return self._spoken(self._said) if done and self._said else self._forced
        if self._said is not None:
            return self._spoken(self._said)
        known = None if returncode == UNKNOWN else returncode
        return without_a_word(known, self.folder, last_lines(self.folder / LOG, 1))

    def _spoken(self, said: Finished | Failed) -> End:
        if isinstance(said, Failed):
            return failed(said.code, said.message)
        result = self._fold.result(self._started_at)
        if result is None:
            return failed("crashed", "The lab said that it finished but never that it started.")
        if isinstance(self.child, SentChild):
            result = replace(result, artifacts=())  # they are on the other machine
        try:
            save_result(self.folder / RESULT, result)
        except OSError as error:
            return failed("crashed", f"The result can't be written: {error.strerror} ({self.folder}).")
        return End("done")
