"""One analysis as its folder holds it: what was asked for, how far it is, and how it ended.

The folder is the truth, so every tab and every app on the data folder sees the same, also after a restart.
`job.json` is written once by who asks, `started.json` and `end.json` once by the app that does it,
`events.jsonl` by the process that reads the file.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from engine.faults import Reason
from engine.measure.events import FailureCode, Finding, Progress
from engine.measure.processes import Identity
from engine.measure.tail import EventFile

JOB, STARTED, END, CANCEL = "job.json", "started.json", "end.json", "cancel"
EVENTS, LOG, UPLOAD, SCRATCH = "events.jsonl", "log.txt", "upload", "scratch"
RESULT = "analysis.json"
"""What `python -m engine analyse --json` prints of the file."""
TIMELINE = "timeline.bin"
"""Of a trace: what its drawing needs."""
KIND = "recognised"
"""The finding by which the process says what the file is."""
REFUSED = "refused"
"""The finding by which it says why the file can't be used; its argument `code` names the reason."""

Status = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
STATUSES: tuple[Status, ...] = get_args(Status)
ID = re.compile(r"\d{8}-\d{12}-[0-9a-f]{16}")
"""The time it was asked for (UTC, to the microsecond), so that names sort by age, and chance."""


@dataclass(frozen=True, slots=True)
class AnalysisState:
    """How an analysis stands. Instants are in UTC.

    `label` is the stage: exporting, reading, rows, loading, analysing, drawing; empty before the first word.
    A `total` of 0: how much is to be done isn't known. `message` says why it failed, for the person; `code`
    is the same for a program (needs_tool, unsupported, out_of_memory, timeout, crashed).
    `interrupted`: the app ended while it ran.
    """

    id: str
    name: str
    """Of the file, as the person knows it."""
    path: Path
    """Where the file lies."""
    kind: str | None
    """trace, memory_snapshot, ncu, nsys; None until it is recognised."""
    status: Status
    done: float
    total: float
    label: str
    message: str
    code: FailureCode | None
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    uploaded: bool
    """The file is a copy of ours, which goes with the analysis; else it is the person's own."""
    reason: Reason | None = None
    """Why it failed, for the interface to word; None where only `message` says it."""

    @property
    def is_over(self) -> bool:
        return self.status not in ("waiting", "running")

    @property
    def share(self) -> float | None:
        """How much is done, 0 to 1; None where that isn't known."""
        return min(self.done / self.total, 1.0) if self.total > 0 else None

    def elapsed_s(self, now: datetime) -> float:
        """Seconds since it started, until its end; 0 while it waits."""
        if self.started_at is None:
            return 0.0
        return max(0.0, ((self.ended_at or now) - self.started_at).total_seconds())


@dataclass(frozen=True, slots=True)
class End:
    """How an analysis ended."""

    status: Status
    code: FailureCode | None = None
    message: str = ""
    reason: Reason | None = None


CANCELLED = End("cancelled", "cancelled", "The analysis was cancelled.")
INTERRUPTED = End("interrupted", None, "The app ended while the file was analysed. Start it again.")


def read_state(folder: Path) -> AnalysisState | None:
    """How the analysis in the folder stands; None where the folder holds none (any more)."""
    job = _read(folder / JOB)
    if job is None:
        return None
    started, ended = _read(folder / STARTED), _read(folder / END)
    said = Progress(0, 0, "")
    kind: str | None = None
    for event in EventFile(folder / EVENTS).read() if started else ():
        if isinstance(event, Progress):
            said = event
        elif isinstance(event, Finding) and event.code == KIND:
            kind = str(event.args.get("kind"))
    end = _end(ended) if ended else _lost(folder, job, started)
    running: Status = "running" if started else "waiting"
    return AnalysisState(
        id=folder.name,
        name=job["name"],
        path=folder / UPLOAD / job["path"] if job["uploaded"] else Path(job["path"]),
        kind=kind,
        status=end.status if end else running,
        done=said.done,
        total=said.total,
        label=said.label,
        message=end.message if end else "",
        code=end.code if end else None,
        asked_at=_instant(job["asked_at"]),
        started_at=_instant(started["at"]) if started else None,
        ended_at=_instant(ended["at"]) if ended else None,
        uploaded=job["uploaded"],
        reason=end.reason if end else None,
    )


def write_job(folder: Path, *, name: str, path: str, uploaded: bool, owner: Identity) -> None:
    """Puts an analysis into the folder. `path` of an upload is its name within the upload folder."""
    body = {"name": name, "path": path, "uploaded": uploaded, "owner": [owner.pid, owner.started]}
    _write(folder / JOB, body | {"asked_at": _now()})


def write_started(folder: Path) -> None:
    _write(folder / STARTED, {"at": _now()})


def write_end(folder: Path, end: End) -> None:
    body: dict[str, Any] = {"status": end.status, "code": end.code, "message": end.message, "at": _now()}
    if end.reason is not None:
        body["reason"] = {"code": end.reason.code, "args": dict(end.reason.args)}
    _write(folder / END, body)


def _lost(folder: Path, job: dict[str, Any], started: dict[str, Any] | None) -> End | None:
    """The end of an analysis that nobody wrote one of: its app is gone, or it was cancelled in the line."""
    if not started and (folder / CANCEL).exists():
        return CANCELLED
    pid, since = job["owner"]
    return None if Identity(pid, since).is_alive() else INTERRUPTED


def _end(body: dict[str, Any]) -> End:
    reason = body.get("reason")  # an end written by an earlier version has none
    return End(
        body["status"],
        body["code"],
        body["message"],
        Reason(reason["code"], reason["args"]) if reason else None,
    )


def _read(path: Path) -> dict[str, Any] | None:
    try:
        body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # not yet written; or the folder's place was taken, or it was damaged: then nothing is known
        return None
    return body


def _write(path: Path, body: dict[str, Any]) -> None:
    """Whole or not at all: others read it while it is written."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(body), encoding="utf-8")  # a path may hold bytes that are no text
    os.replace(part, path)


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
