"""Takes runs from the line, one at a time for each device, and sees them to their end."""

from __future__ import annotations

import contextlib
import logging
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

from engine.faults import BenchcardsError
from engine.measure import line, warm
from engine.measure.ending import CANCELLED, INTERRUPTED, End, failed
from engine.measure.line import Run
from engine.measure.owner import OwnerLock, make_private
from engine.measure.processes import Family, this_process
from engine.measure.through import SentChild, Through
from engine.measure.watch import ARTIFACTS, EVENTS, GENTLE_S, LOG, OUTPUT_LIMIT, RESULT, Child, Watch
from engine.store.store import Store

_log = logging.getLogger(__name__)

KEEP = 50
"""Runs of each lab whose events, log and artifacts are kept; results are kept for ever."""
_BUSY_S, _IDLE_S = 0.05, 0.5


class Supervisor:
    """A thread that supervises the runs of a data folder while no other process does."""

    def __init__(self, store: Store, data: Path, *, output_limit: int = OUTPUT_LIMIT) -> None:
        self._store = store
        self._data = data
        self._output_limit = output_limit
        self._lock = OwnerLock(data / "runs" / "supervisor.lock")
        self._me = this_process()
        self._watches: dict[str, Watch] = {}
        self._sweeping: list[tuple[Family, float]] = []
        self._parent: warm.WarmParent | None = None
        self._wants_parent = False
        self._awake = threading.Event()
        self._closing = False
        self._trouble = ""
        self._called = True
        self._asked_at = 0.0
        self._thread = threading.Thread(target=self._live, name="lab runs", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Something has changed: look now."""
        self._awake.set()

    def warm_up(self) -> None:
        """Has a process load torch, so that the next lab starts at once."""
        self._wants_parent = True
        self.wake()

    @property
    def is_warm(self) -> bool:
        return self._parent is not None and self._parent.is_ready

    def close(self) -> None:
        """Ends the runs under way (they become interrupted) and the warm parent; waits for it."""
        self._closing = True
        self.wake()
        if self._thread.is_alive():
            self._thread.join(GENTLE_S + 5)

    def _live(self) -> None:
        while not self._closing:
            wait = _IDLE_S
            try:
                if self._take_charge():
                    self._listen_to_parent()
                    self._take_up()
                    self._step()
                    self._start_parent()
                    wait = _BUSY_S if self._watches or self._sweeping else _IDLE_S
                self._trouble = ""
            except Exception as error:  # noqa: BLE001  # the thread must live on: a full disk may pass
                wait = _IDLE_S
                if str(error) != self._trouble:
                    self._trouble = str(error)
                    _log.exception("supervising the lab runs")
            self._called = self._awake.wait(wait)
            self._awake.clear()
        self._shut_down()

    def _take_charge(self) -> bool:
        """Whether this process supervises the data folder; on becoming it, sweeps what others left."""
        if self._lock.is_held:
            return True
        if not self._lock.take():
            return False
        make_private(self._data / "runs")
        self._sweep()
        return True

    def _sweep(self) -> None:
        """Runs of apps that are gone: their processes are ended, and they are marked interrupted."""
        with self._store.read() as connection:
            left = (*line.active(connection), *line.queued(connection))
        for run in left:
            if run.owner is not None and run.owner.is_alive():
                continue
            if run.process is not None:
                family = Family(run.process)
                family.end(hard=False)
                self._sweeping.append((family, time.monotonic()))
            self._write(run, End("interrupted", None, INTERRUPTED), only=(run.status,))

    def _listen_to_parent(self) -> None:
        if self._parent is not None and not self._parent.listen():
            self._let_parent_go()

    def _let_parent_go(self) -> None:
        if self._parent is not None:
            self._parent.close()
            self._parent = None

    def _start_parent(self) -> None:
        """Never beside a run: loading torch would disturb what it measures."""
        if self._wants_parent and self._parent is None and not self._watches and warm.possible():
            self._wants_parent = False
            self._parent = warm.WarmParent(self._data / "runs" / "warm-parent.log")

    def _take_up(self) -> None:
        """Starts the next run of each device that is free. Asks the store seldom while nothing calls."""
        now = time.monotonic()
        if not self._called and now - self._asked_at < _IDLE_S:
            return
        self._asked_at = now
        with self._store.read() as connection:
            waiting = line.queued(connection)
        busy = {watch.run.device_key for watch in self._watches.values()}
        if waiting and not busy and self._parent and self._parent.version != warm.labs_version():
            self._let_parent_go()  # it holds code from before an edit
        for run in waiting:
            if run.owner is not None and not run.owner.is_alive():
                self._write(run, End("interrupted", None, INTERRUPTED), only=("queued",))
            elif run.device_key not in busy:
                busy.add(run.device_key)
                self._begin(run)

    def _begin(self, run: Run) -> None:
        with self._store.begin() as connection:
            taken = line.change(
                connection,
                run.id,
                only=("queued",),
                status="starting",
                started_at_ms=now_ms(),
                owner_pid=self._me.pid,
                owner_started=self._me.started,
            )
        if not taken:  # cancelled meanwhile
            return
        folder = self._data / run.folder
        try:
            make_private(folder)
            child = self._launch(run, folder)
        except OSError as error:
            reason = f"The lab can't be started: {error.strerror} ({error.filename or folder})."
            self._write(run, failed("crashed", reason))
            return
        self._watches[run.id] = Watch(
            run=run,
            folder=folder,
            child=child,
            family=Family(child.identity),
            output_limit=self._output_limit,
        )

    def _launch(self, run: Run, folder: Path) -> Child:
        settings = [f"--set={name}={_show(value)}" for name, value in run.params.items() if value is not None]
        arguments = ["run", run.lab, f"--device={run.device}", *settings, "--events"]
        if run.sent_through is not None:
            return SentChild(Through.of_line(run.sent_through), arguments, folder / EVENTS, folder / LOG)
        arguments.append(f"--artifacts={folder / ARTIFACTS}")
        if self._parent is not None and self._parent.is_ready:
            child = self._parent.start(run.id, arguments, folder / EVENTS, folder / LOG)
            if child is not None:
                return child
        return warm.PlainChild(arguments, folder / EVENTS, folder / LOG)

    def _step(self) -> None:
        for run_id, watch in list(self._watches.items()):
            is_gone = watch.step()
            self._tell(watch)
            if is_gone:
                del self._watches[run_id]
                self.wake()  # its device is free
        for family, since in list(self._sweeping):
            if not family.members():
                self._sweeping.remove((family, since))
            elif time.monotonic() - since > GENTLE_S:
                family.end(hard=True)

    def _tell(self, watch: Watch) -> None:
        """Writes to the store what is new of a run. Where that fails it is tried again at the next step."""
        if watch.told is None:
            process = watch.child.identity
            with self._store.begin() as connection:
                line.change(connection, watch.run.id, pid=process.pid, pid_started=process.started)
            watch.told = "starting"
        if watch.end is not None and watch.told != watch.end.status:
            self._write(watch.run, watch.end)
            watch.told = watch.end.status
            self._prune(watch.run.lab)
        elif watch.end is None and watch.has_spoken and watch.told == "starting":
            with self._store.begin() as connection:
                line.change(connection, watch.run.id, only=("starting",), status="running")
            watch.told = "running"

    def _write(self, run: Run, end: End, *, only: tuple[line.Status, ...] = line.ACTIVE) -> None:
        with self._store.begin() as connection:
            line.change(
                connection,
                run.id,
                only=only,
                status=end.status,
                ended_at_ms=now_ms(),
                failure_code=end.code,
                failure_message=end.message,
            )

    def _prune(self, lab: str) -> None:
        """Old runs keep their result only."""
        with self._store.read() as connection:
            old = line.over(connection, lab, KEEP)
        for run in old:
            folder = self._data / run.folder
            for name in (EVENTS, LOG, "cancel"):
                (folder / name).unlink(missing_ok=True)
            shutil.rmtree(folder / ARTIFACTS, ignore_errors=True)
            if folder.is_dir() and not (folder / RESULT).exists():
                shutil.rmtree(folder, ignore_errors=True)

    def _shut_down(self) -> None:
        """The app ends: so do its runs, within seconds."""
        for watch in self._watches.values():
            watch.stop(replace(CANCELLED, status="interrupted", code=None, message=INTERRUPTED))
        deadline = time.monotonic() + GENTLE_S
        while self._watches and time.monotonic() < deadline:
            with contextlib.suppress(BenchcardsError):  # said again at the next start, by the sweep
                self._step()
            time.sleep(_BUSY_S)
        for run_id, watch in self._watches.items():
            watch.kill()
            with contextlib.suppress(BenchcardsError):  # said again at the next start, by the sweep
                if watch.end is None:
                    self._write(watch.run, End("interrupted", None, INTERRUPTED))
            _log.info("ended %s", run_id)
        if self._parent is not None:
            self._parent.close()
        self._lock.release()


def now_ms() -> int:
    """This instant as UTC milliseconds."""
    return time.time_ns() // 1_000_000


def _show(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value}"
