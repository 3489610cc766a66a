"""Files that the learner brings, analysed in a process of their own, one after the other."""

from __future__ import annotations

import atexit
import json
import logging
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.faults import Reason, Value, os_why
from engine.measure.analyse import job
from engine.measure.analyse.job import AnalysisState, End
from engine.measure.analyse.job_watch import JobWatch, Limits
from engine.measure.analyse.uploads import safe_name, take_in
from engine.measure.fault import MeasureError
from engine.measure.owner import make_private
from engine.measure.processes import this_process

__all__ = ["Analyses", "AnalysisState", "Limits"]

_log = logging.getLogger(__name__)
_STEP_S = 0.05
_REMOVE_S = 10.0
_LONGEST_UPLOAD_S = 6 * 3600


class Analyses:
    """The analyses below a folder, which is made where it is missing.

    Each is a process of its own that no click, page switch or closed tab disturbs, one at a time; a file
    can't run code, take the app's memory or hold up its pages. All that is known of one lies in its own
    folder: every tab and a later app see the same. The newest are kept, within `limits`. Safe to use from
    several threads. `close` ends what is under way (it becomes interrupted) and is called at exit.
    """

    def __init__(self, folder: Path, *, limits: Limits | None = None) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._me = this_process()
        self._waiting: deque[str] = deque()
        self._unwritten: dict[str, End] = {}
        self._lock = threading.Lock()
        self._awake = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None
        atexit.register(self.close)

    def submit(self, path: Path, name: str | None = None) -> str:
        """Puts a file of this machine in line and returns the id. The file stays where it is.

        Raises MeasureError where there is no such file.
        """
        file = path.expanduser()
        try:
            file = file.resolve()
            is_folder, is_file = file.is_dir(), file.is_file()
        except OSError as error:
            raise MeasureError(f"{path}: it can't be opened: {error.strerror}.").because(
                "cannot_read", name=str(path), why=os_why(error)
            ) from error
        if is_folder:
            raise MeasureError(f"{path}: this is a folder. Name a file in it.").because(
                "folder", name=str(path)
            )
        if not is_file:
            raise MeasureError(f"{path}: there is no such file here. Check the path.").because(
                "no_such_file", name=str(path)
            )
        return self._add(safe_name(name or file.name), str(file), None)

    def take_upload(self, name: str, chunks: Iterable[bytes]) -> str:
        """Keeps a copy of a file that comes in pieces, puts it in line and returns the id.

        Raises MeasureError where it is too large or the disk is full; nothing of it is kept then.
        """
        safe = safe_name(name)
        return self._add(safe, safe, chunks)

    def state(self, analysis_id: str) -> AnalysisState:
        """How the analysis stands. Cheap. Raises MeasureError where there is none of that id."""
        state = self._look(self._place(analysis_id))
        if state is None:
            raise MeasureError(
                f"There is no analysis {analysis_id} (any more). Open the file again."
            ).because("no_analysis")
        return state

    def recent(self, limit: int = 20) -> tuple[AnalysisState, ...]:
        """The newest first."""
        found: list[AnalysisState] = []
        for folder in reversed(self._folders()):
            state = self._look(folder)
            if state is not None:
                found.append(state)
            if len(found) >= limit:
                break
        return tuple(found)

    def cancel(self, analysis_id: str) -> None:
        """Ends the analysis: at once where it waits, else within a second, with all its processes.

        One that is over stays as it is. Raises MeasureError where there is none of that id.
        """
        state = self.state(analysis_id)
        if not state.is_over:
            folder = self._place(analysis_id)
            try:
                (folder / job.CANCEL).touch()
            except OSError as error:
                raise MeasureError(f"It can't be cancelled: {error.strerror} ({folder}).").because(
                    "not_cancelled", name=state.name, why=os_why(error), place=str(folder)
                ) from error
            self._awake.set()

    def remove(self, analysis_id: str) -> None:
        """Forgets the analysis, and the copy of a file that was uploaded. One under way is cancelled first.

        Raises MeasureError where there is none of that id, or it can't be removed.
        """
        self.cancel(analysis_id)
        folder = self._place(analysis_id)
        until = time.monotonic() + _REMOVE_S
        while (state := self._look(folder)) is not None and not state.is_over:
            if time.monotonic() > until:
                raise MeasureError(
                    f"{state.name}: the analysis can't be ended. Try again in a while."
                ).because("not_ended", name=state.name)
            time.sleep(_STEP_S)
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise MeasureError(f"It can't be removed: {error.strerror} ({folder}).").because(
                "not_removed", name=folder.name, why=os_why(error), place=str(folder)
            ) from error

    def result(self, analysis_id: str) -> dict[str, Any]:
        """What `python -m engine analyse --json` prints of the file.

        Raises MeasureError where there is none of that id, it isn't done, or its file is gone.
        """
        state = self.state(analysis_id)
        if state.status != "done":
            raise MeasureError(f"{state.name}: the analysis isn't done ({state.status}). {state.message}")
        path = self._place(analysis_id) / job.RESULT
        try:
            body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise MeasureError(f"{path}: it can't be read: {error}. Analyse the file again.").because(
                "result_gone", name=state.name
            ) from error
        return body

    def folder(self, analysis_id: str) -> Path:
        """Where its `analysis.json` lies, and for a trace its `timeline.bin`.

        Raises MeasureError where there is none of that id.
        """
        self.state(analysis_id)
        return self._place(analysis_id)

    def close(self) -> None:
        """Ends what is under way or waits here; waits for it."""
        atexit.unregister(self.close)
        self._closing = True
        self._awake.set()
        if self._thread is not None:
            self._thread.join()

    def _place(self, analysis_id: str) -> Path:
        """The folder of that id. Whatever else someone writes into an address names none."""
        if not job.ID.fullmatch(analysis_id):
            raise MeasureError("There is no such analysis.")
        return self._folder / analysis_id

    def _folders(self) -> list[Path]:
        """Those of all analyses, the oldest first."""
        try:
            return sorted(folder for folder in self._folder.iterdir() if job.ID.fullmatch(folder.name))
        except FileNotFoundError:
            return []

    def _look(self, folder: Path) -> AnalysisState | None:
        state = job.read_state(folder)
        end = self._unwritten.get(folder.name)
        if state is None or end is None:
            return state
        return replace(state, status=end.status, code=end.code, message=end.message, reason=end.reason)

    def _add(self, name: str, path: str, chunks: Iterable[bytes] | None) -> str:
        if self._closing:
            raise MeasureError(f"{name}: the app is ending. Open the file again once it runs.").because(
                "app_ends", name=name
            )
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S%f")
        analysis_id = f"{stamp}-{secrets.token_hex(8)}"
        folder = self._folder / analysis_id
        try:
            make_private(self._folder)
            make_private(folder)
            if chunks is not None:
                take_in(chunks, folder / job.UPLOAD / path, name=name, largest=self._limits.upload_bytes)
            job.write_job(folder, name=name, path=path, uploaded=chunks is not None, owner=self._me)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)  # as far as it was made; the fault is told below
            raise MeasureError(f"{name}: it can't be kept: {error.strerror} ({self._folder}).").because(
                "not_kept", name=name, why=os_why(error), place=str(self._folder)
            ) from error
        except MeasureError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with self._lock:
            self._waiting.append(analysis_id)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._live, name="analyses", daemon=True)
                self._thread.start()
        self._awake.set()
        return analysis_id

    def _live(self) -> None:
        while not self._closing:
            if self._waiting:
                analysis_id = self._waiting.popleft()
                try:
                    self._do(analysis_id)
                except Exception as error:  # noqa: BLE001  # the thread must live on: those behind it wait for it
                    _log.exception("the analysis %s", analysis_id)
                    self._write(analysis_id, End("failed", "crashed", f"It couldn't be followed: {error}."))
                try:
                    self._prune()
                except OSError:  # this one's end stands; what is too much stays until the next
                    _log.exception("removing the oldest analyses")
            else:
                self._awake.wait()
                self._awake.clear()
        for analysis_id in self._waiting:
            self._write(analysis_id, job.INTERRUPTED)

    def _do(self, analysis_id: str) -> None:
        folder = self._folder / analysis_id
        state = job.read_state(folder)
        if state is None:  # removed meanwhile
            return
        if state.is_over:  # cancelled in the line
            self._write(analysis_id, job.CANCELLED)
            return
        try:
            job.write_started(folder)
            watch = JobWatch(folder, state.path, self._limits)
        except OSError as error:
            reason = f"{state.name}: the analysis can't be started: {error.strerror} ({folder})."
            why: dict[str, Value] = {"name": state.name, "why": os_why(error), "place": str(folder)}
            self._write(analysis_id, End("failed", "crashed", reason, Reason("not_started", why)))
            return
        end: End | None = None
        try:
            while (end := watch.step()) is None:
                if self._closing:
                    watch.stop(job.INTERRUPTED)
                self._awake.wait(_STEP_S)
                self._awake.clear()
        finally:
            if end is None:
                watch.kill()
        shutil.rmtree(folder / job.SCRATCH, ignore_errors=True)  # what is in use goes with the analysis
        self._write(analysis_id, end)

    def _write(self, analysis_id: str, end: End) -> None:
        """Says how it ended. On a full disk only this app knows; the next one finds it interrupted."""
        self._unwritten[analysis_id] = end
        try:
            job.write_end(self._folder / analysis_id, end)
        except OSError:
            _log.exception("writing how the analysis %s ended", analysis_id)
        else:
            del self._unwritten[analysis_id]

    def _prune(self) -> None:
        """Removes the oldest beyond the number and the size that are kept."""
        bytes_kept = 0
        for place, folder in enumerate(reversed(self._folders())):
            bytes_kept += sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            state = self._look(folder)
            if place == 0 or not (state.is_over if state else _is_left_behind(folder)):
                continue
            if place >= self._limits.keep or bytes_kept > self._limits.kept_bytes:
                shutil.rmtree(folder, ignore_errors=True)  # what is in use stays until the next time


def _is_left_behind(folder: Path) -> bool:
    """Whether a folder without a job is what a broken upload left, and not one that goes on."""
    return time.time() - folder.stat().st_mtime > _LONGEST_UPLOAD_S
