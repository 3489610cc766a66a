"""Processes by number *and* start time, and ending one with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil

_START_TOLERANCE_S = 0.02
"""Start times are counted in ticks of 10 ms."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A process that can't be mistaken for a later one of the same number.

    `started` is in seconds: since boot on Linux (a clock that is set doesn't change it), else since 1970.
    """

    pid: int
    started: float

    def is_alive(self) -> bool:
        """Whether it still runs; a zombie doesn't."""
        now = start_time(self.pid)
        return now is not None and abs(now - self.started) <= _START_TOLERANCE_S


def identity(pid: int) -> Identity | None:
    """The process that has this number now; None where there is none."""
    started = start_time(pid)
    return None if started is None else Identity(pid=pid, started=started)


def this_process() -> Identity:
    started = start_time(os.getpid())
    if started is None:
        raise AssertionError("this process runs")
    return Identity(pid=os.getpid(), started=started)


def start_time(pid: int) -> float | None:
    """When the process with this number started; None where there is none or it is a zombie."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it is gone
            return None
        fields = stat.rpartition(")")[2].split()  # the name before it may hold anything
        return None if fields[0] in "ZX" else int(fields[19]) / os.sysconf("SC_CLK_TCK")
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:  # it is gone, or another user's
        return None


@dataclass(slots=True)
class Family:
    """A process that leads its own session, with all that it started: its group, and its descendants."""

    leader: Identity
    _known: set[Identity] = field(default_factory=set)

    def members(self) -> list[Identity]:
        """All that still live. Descendants that left the group are known if seen while their parent lived."""
        found = {member for member in self._known if member.is_alive()}
        if self.leader.is_alive():
            found.add(self.leader)
            with contextlib.suppress(psutil.Error):  # it ended meanwhile
                children = psutil.Process(self.leader.pid).children(recursive=True)
                found.update(filter(None, (identity(child.pid) for child in children)))
        found.update(self._group())
        self._known = found
        return sorted(found, key=lambda member: member.started)

    def end(self, *, hard: bool) -> None:
        """Asks every member to end (SIGTERM), or ends it (SIGKILL)."""
        for member in self.members():
            if not member.is_alive():
                continue
            with contextlib.suppress(ProcessLookupError, PermissionError, psutil.Error):  # it ended meanwhile
                if sys.platform == "win32":
                    process = psutil.Process(member.pid)
                    (process.kill if hard else process.terminate)()
                else:
                    os.kill(member.pid, signal.SIGKILL if hard else signal.SIGTERM)

    def _group(self) -> set[Identity]:
        """Processes of the leader's session and group; a later group of the same number isn't it."""
        if sys.platform == "win32":
            return set()
        now = start_time(self.leader.pid)
        if now is not None and abs(now - self.leader.started) > _START_TOLERANCE_S:
            return set()  # the number is another process's now: ours has no group left
        found = set()
        for pid in psutil.pids():
            with contextlib.suppress(OSError):  # it ended meanwhile
                if os.getpgid(pid) == self.leader.pid and os.getsid(pid) == self.leader.pid:
                    member = identity(pid)
                    if member and member.started >= self.leader.started - _START_TOLERANCE_S:
                        found.add(member)
        return found


def signal_name(number: int) -> str:
    """SIGKILL for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
