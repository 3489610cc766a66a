"""Speech to text, followed: the model runs in a process of its own (`labs/kit/transcribe.py`)."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine.folders import project_folder
from engine.measure.events import Failed, FailureCode, Finding, Progress, from_line
from engine.measure.processes import Family, identity
from engine.measure.warm import labs_environment

LONGEST_S = 900.0
"""How long a recording may take; a large model on a small CPU is slow."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """How far one recording is. label: the stage (loading_torch, loading_model, transcribing)."""

    status: Literal["running", "done", "failed"] = "running"
    label: str = ""
    share: float | None = None
    text: str = ""
    code: FailureCode | None = None
    message: str = ""


class SpeechToText:
    """The recordings that are being turned into text by this app, by a name that the caller chooses.

    Each is a process of its own, ended when it takes too long and when the app ends. Safe to share between
    threads.
    """

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._hearings: dict[str, Hearing] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(
        self,
        name: str,
        recording: Path,
        *,
        model: str,
        language: str,
        device: Literal["auto", "cpu"] = "auto",
        then: Callable[[str], None],
    ) -> None:
        """Begins with a recording; `then` gets its text. One that is under way isn't begun again."""
        with self._lock:
            if name in self._processes:
                return
            command = [sys.executable, "-m", "labs.kit.transcribe", str(recording), "--until-closed"]
            options = ["--model", model, "--language", language, "--device", device]
            try:
                process = subprocess.Popen(
                    [*command, *options],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=project_folder(),
                    env=labs_environment(),
                    start_new_session=True,
                )
            except OSError as error:
                self._hearings[name] = Hearing("failed", code="crashed", message=error.strerror or str(error))
                return
            self._processes[name] = process
            self._hearings[name] = Hearing()
        threading.Thread(
            target=self._follow, args=(name, process, then), name="speech to text", daemon=True
        ).start()

    def look(self, name: str) -> Hearing | None:
        """How far a recording is; None for one that was never begun."""
        with self._lock:
            return self._hearings.get(name)

    def forget(self, name: str) -> None:
        """Forgets how a recording ended."""
        with self._lock:
            if name not in self._processes:
                self._hearings.pop(name, None)

    def close(self) -> None:
        """Ends all that is under way."""
        with self._lock:
            under_way = list(self._processes.values())
        for process in under_way:
            _end(process)

    def _follow(self, name: str, process: subprocess.Popen[bytes], then: Callable[[str], None]) -> None:
        watch = threading.Timer(self._longest_s, self._too_long, (name, process))
        watch.daemon = True
        watch.start()
        heard = Hearing()
        if process.stdout is None:
            raise AssertionError("its output is a pipe")
        for line in process.stdout:
            event = from_line(line.decode("utf-8", "replace"))
            if isinstance(event, Progress):
                share = event.done / event.total if event.total else None
                heard = replace(heard, label=event.label, share=share)
            elif isinstance(event, Finding) and event.code == "transcript":
                heard = replace(heard, status="done", text=str(event.args.get("text", "")))
            elif isinstance(event, Failed):
                heard = replace(heard, status="failed", code=event.code, message=event.message)
            self._set(name, heard)
        process.wait()
        watch.cancel()
        _close_pipes(process)
        self._finish(name, heard, then)

    def _finish(self, name: str, heard: Hearing, then: Callable[[str], None]) -> None:
        if heard.status == "done":
            try:
                then(heard.text)
            except Exception as error:  # noqa: BLE001  # told where the text would have stood
                heard = replace(heard, status="failed", code="crashed", message=str(error))
        elif heard.status == "running":
            known = self.look(name)
            timed_out = known is not None and known.code == "timeout"
            code: FailureCode = "timeout" if timed_out else "crashed"
            heard = replace(heard, status="failed", code=code)
        with self._lock:
            self._hearings[name] = heard
            self._processes.pop(name, None)

    def _set(self, name: str, heard: Hearing) -> None:
        with self._lock:
            # how it ended is said once its text is kept and its process is gone
            self._hearings[name] = replace(heard, status="running")

    def _too_long(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self._set(name, Hearing(code="timeout"))
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    found = identity(process.pid)
    if found is not None:
        Family(found).end(hard=True)


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # its other end is gone
                pipe.close()
