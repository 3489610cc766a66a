"""The process that reads one file: started, followed, and ended where it must be."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from engine.faults import Reason
from engine.folders import project_folder
from engine.measure.analyse import job
from engine.measure.analyse.contents import LARGEST
from engine.measure.analyse.job import End
from engine.measure.events import Event, Failed, Finding, Finished
from engine.measure.processes import Family, Identity, identity, signal_name
from engine.measure.tail import EventFile, last_lines
from engine.measure.warm import labs_environment

_SIZE_EVERY_S = 0.2


def _memory_limit() -> int:
    """Three quarters of the machine's memory, and never more than the largest trace needs."""
    return min(6 * 1024**3, psutil.virtual_memory().total * 3 // 4)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one analysis may take, and how many are kept."""

    seconds: float = 600.0
    resident_bytes: int = field(default_factory=_memory_limit)
    upload_bytes: int = LARGEST
    keep: int = 30
    kept_bytes: int = 8_000_000_000
    """With the copies of uploaded files."""


class JobWatch:
    """An analysis under way. `step` is called often and never waits."""

    def __init__(self, folder: Path, file: Path, limits: Limits) -> None:
        """Starts it. Raises OSError where the process can't be started."""
        self._folder = folder
        self._name = file.name
        self._limits = limits
        self._forced: End | None = None
        self._began = self._sized = time.monotonic()
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        with (folder / job.EVENTS).open("wb") as events, (folder / job.LOG).open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "engine.measure.analyse.job_process", str(file), str(folder)],
                # it ends itself when this closes: with the app, however that ends
                stdin=subprocess.PIPE,
                stdout=events,
                stderr=log,
                cwd=project_folder(),
                env=labs_environment(),
                **options,
            )
        pid = self._process.pid
        self._family = Family(identity(pid) or Identity(pid=pid, started=-1))

    def step(self) -> End | None:
        """Goes on as far as it can now; how it ended, once nothing of it lives any more."""
        returncode = self._process.poll()
        if returncode is None:
            self._judge()
            return None
        if self._family.members():
            self._family.end(hard=True)
            return None
        if self._process.stdin is not None:
            self._process.stdin.close()
        return self._conclude(returncode)

    def stop(self, end: End) -> None:
        """Ends it at once, for there is nothing that it must save; `end` is what is said of it."""
        self._forced = self._forced or end
        self._family.end(hard=True)

    def kill(self) -> None:
        """Ends it at once, for nobody follows it any more."""
        self._family.end(hard=True)

    def _judge(self) -> None:
        now = time.monotonic()
        if self._forced is not None:
            self._family.end(hard=True)
        elif (self._folder / job.CANCEL).exists():
            self.stop(job.CANCELLED)
        elif now - self._began > self._limits.seconds:
            limit = f"{self._limits.seconds:g} s"
            self.stop(
                End(
                    "failed",
                    "timeout",
                    f"{self._name}: it took longer than {limit}. Record a shorter window.",
                    Reason("took_too_long", {"name": self._name, "limit": limit}),
                )
            )
        elif now - self._sized > _SIZE_EVERY_S:
            self._sized = now
            if self._resident() > self._limits.resident_bytes:
                self.stop(self._too_large())

    def _resident(self) -> int:
        """Bytes of the process and of all that it started."""
        found = 0
        with contextlib.suppress(psutil.Error):  # it ended meanwhile
            leader = psutil.Process(self._process.pid)
            for process in (leader, *leader.children(recursive=True)):
                with contextlib.suppress(psutil.Error):  # so did this one
                    found += process.memory_info().rss
        return found

    def _too_large(self) -> End:
        limit = f"{self._limits.resident_bytes / 1024**3:.1f} GiB"
        return End(
            "failed",
            "out_of_memory",
            f"{self._name}: reading it takes more than {limit} of memory. Record a shorter window.",
            Reason("takes_too_much_memory", {"name": self._name, "limit": limit}),
        )

    @staticmethod
    def _reason(heard: Iterable[Event | str]) -> Reason | None:
        """What the process said of why the file can't be used."""
        for event in heard:
            if isinstance(event, Finding) and event.code == job.REFUSED:
                args = {name: value for name, value in event.args.items() if value is not None}
                return Reason(str(args.pop("code")), args)
        return None

    def _conclude(self, returncode: int) -> End:
        if self._forced is not None:
            return self._forced
        events = EventFile(self._folder / job.EVENTS)
        heard = (*events.read(), *events.close())
        said = [event for event in heard if isinstance(event, Finished | Failed)]
        if said and isinstance(said[-1], Failed):
            return End("failed", said[-1].code, said[-1].message, self._reason(heard))
        if said and (self._folder / job.RESULT).exists():
            return End("done")
        if returncode < 0 and signal_name(-returncode) == "SIGKILL":
            return End(
                "failed",
                "out_of_memory",
                f"{self._name}: reading it was ended by the system, most likely for want of memory. Close "
                "other programs, or record a shorter window.",
                Reason("killed", {"name": self._name}),
            )
        how = signal_name(-returncode) if returncode < 0 else f"exit code {returncode}"
        last = last_lines(self._folder / job.LOG, 1)
        words = f" Its last line: {last[0]}" if last else ""
        return End(
            "failed",
            "crashed",
            f"{self._name}: reading it crashed ({how}).{words}",
            Reason("crashed", {"name": self._name, "how": how, "said": last[0] if last else "–"}),
        )
