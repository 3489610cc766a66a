"""The app's end of the warm parent (`labs/worker.py`)."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.folders import project_folder
from engine.measure.processes import Identity, identity

UNKNOWN = 255
"""The return code of a lab whose parent ended before it could say."""


def possible() -> bool:
    """Whether warm starts work here: forking a process with torch loaded is safe on Linux only."""
    return sys.platform == "linux"


def labs_environment() -> dict[str, str]:
    """The environment of processes that run labs: they find the project whatever the folder they run in."""
    paths = [str(project_folder()), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONUNBUFFERED": "1"}


class WarmParent:
    """One warm parent. Used from one thread; nothing here waits."""

    def __init__(self, log: Path) -> None:
        ours, theirs = socket.socketpair()
        self._channel = ours
        self._rest = b""
        self._answers: dict[str, dict[str, Any]] = {}
        self.version = labs_version()
        self.is_ready = False
        with theirs, log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "labs.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=project_folder(),
                env=labs_environment(),
                start_new_session=True,
            )
        ours.setblocking(False)

    def listen(self) -> bool:
        """Takes in what the parent said. False where it has ended."""
        while True:
            try:
                data = self._channel.recv(65536)
            except BlockingIOError:
                return True
            except OSError:  # closed by us, or broken: the same to those who ask
                data = b""
            if not self._take(data):
                return False

    def _take(self, data: bytes) -> bool:
        """Keeps the answers in what was received; False for the end of the stream."""
        if not data:
            self.is_ready = False
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            answer = json.loads(line)
            self.is_ready = self.is_ready or bool(answer.get("ready"))
            self._answers.setdefault(answer.get("id", ""), {}).update(answer)
        return True

    def start(self, run_id: str, arguments: Sequence[str], events: Path, log: Path) -> WarmChild | None:
        """Forks a lab. None where the parent can't: then it is started without it."""
        request = {"id": run_id, "arguments": list(arguments), "events": str(events), "log": str(log)}
        try:
            self._channel.setblocking(True)
            self._channel.settimeout(5)
            self._channel.sendall(json.dumps(request).encode() + b"\n")
            while run_id not in self._answers:
                if not self._take(self._channel.recv(65536)):
                    return None
        except OSError:
            return None
        finally:
            with contextlib.suppress(OSError):  # closed meanwhile
                self._channel.setblocking(False)
        pid = self._answers[run_id].get("pid")
        return WarmChild(self, run_id, pid) if isinstance(pid, int) else None

    def returncode(self, run_id: str) -> int | None:
        code = self._answers.get(run_id, {}).get("returncode")
        return code if isinstance(code, int) else None

    def forget(self, run_id: str) -> None:
        self._answers.pop(run_id, None)

    def close(self) -> None:
        """Ends it; the labs that it started live on."""
        self.is_ready = False
        self._channel.close()
        self._process.terminate()
        self._process.wait()


class WarmChild:
    """A lab that the warm parent started."""

    def __init__(self, parent: WarmParent, run_id: str, pid: int) -> None:
        self._parent = parent
        self._run_id = run_id
        # a child that ended at once is told by its return code, its identity matters to nobody
        self.identity = identity(pid) or Identity(pid=pid, started=-1)

    def poll(self) -> int | None:
        """The return code as `subprocess` counts it, None while it runs."""
        told = self._parent.listen()
        code = self._parent.returncode(self._run_id)
        if code is not None:
            self._parent.forget(self._run_id)
            return code
        return None if told or self.identity.is_alive() else UNKNOWN


class PlainChild:
    """A lab in a fresh process: slower to start, works everywhere."""

    def __init__(self, arguments: Sequence[str], events: Path, log: Path) -> None:
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        with events.open("ab") as output, log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "labs", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd=project_folder(),
                env=labs_environment(),
                **options,
            )
        pid = self._process.pid
        self.identity = identity(pid) or Identity(pid=pid, started=-1)

    def poll(self) -> int | None:
        return self._process.poll()


Child = WarmChild | PlainChild


def labs_version() -> tuple[tuple[str, int], ...]:
    """Changes when the code that a warm parent holds in memory has changed on disk."""
    folder = project_folder()
    files = [*(folder / "labs").glob("*.py"), *(folder / "labs/kit").glob("*.py")]
    files += (folder / "engine/measure").glob("*.py")
    return tuple(sorted((str(file), file.stat().st_mtime_ns) for file in files))
