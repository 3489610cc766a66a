"""Runs of labs: put in line, followed, cancelled, and their results."""

from __future__ import annotations

import atexit
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from engine.measure import catalogue, line, through, time_limit
from engine.measure.ending import CANCELLED
from engine.measure.events import Scalar
from engine.measure.fault import MeasureError
from engine.measure.hardware import this_machine
from engine.measure.line import Run, Status
from engine.measure.live import Live, Reader
from engine.measure.processes import this_process
from engine.measure.results import Result, load_result
from engine.measure.supervisor import Supervisor, now_ms
from engine.measure.tail import last_lines
from engine.measure.watch import CANCEL, LOG, OUTPUT_LIMIT, RESULT
from engine.store.store import Store

__all__ = ["Live", "Run", "Runs", "Status"]

DeviceWish = Literal["auto", "cuda", "cpu"]
_READERS = 32


class Runs:
    """The runs of a data folder. Several apps may share one: the first supervises the runs of all.

    Each lab is a process of its own that no click, page switch or closed tab disturbs. Safe to use from
    several threads. `close` ends the runs under way; it is called when the interpreter exits.
    """

    def __init__(
        self, store: Store, data_folder: Path, *, warm: bool = True, output_limit: int = OUTPUT_LIMIT
    ) -> None:
        """`warm=False` keeps no warm parent: its torch takes some 400 MB of memory."""
        self._store = store
        self._data = data_folder
        self._me = this_process()
        self._warm = warm
        self._supervisor = Supervisor(store, data_folder, output_limit=output_limit)
        self._lock = threading.Lock()
        self._readers: OrderedDict[str, Reader] = OrderedDict()
        self._results: dict[str, Result] = {}
        self._supervisor.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the runs under way, which become interrupted."""
        atexit.unregister(self.close)
        self._supervisor.close()

    def warm_up(self) -> None:
        """Loads torch in a process that labs are then forked from (Linux). Returns at once."""
        if self._warm:
            self._supervisor.warm_up()

    @property
    def is_warm(self) -> bool:
        """Whether the next lab starts from the warm parent."""
        return self._supervisor.is_warm

    def submit(
        self, lab: str, params: Mapping[str, Scalar] | None = None, device: DeviceWish = "auto"
    ) -> str:
        """Puts a run in line and returns its id. Levers that `params` leaves out have their default.

        Raises MeasureError where there is no such lab.
        """
        info = catalogue.lab(lab)
        if info is None:
            raise MeasureError(f"There is no lab {lab}. `python -m labs list` shows all of them.")
        place = through.load(self._store)
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        run_id = f"{stamp}-{secrets.token_hex(4)}"
        run = Run(
            id=run_id,
            lab=lab,
            params=dict(params or {}),
            device=device,
            device_key=_device_key(info.devices, device) if place is None else place.device_key,
            status="queued",
            queued_at_ms=now_ms(),
            started_at_ms=None,
            ended_at_ms=None,
            time_limit_s=info.time_limit_s,
            failure_code=None,
            failure_message=None,
            place_in_line=0,
            process=None,
            owner=self._me,
            folder=f"runs/{run_id}",
            sent_through=None if place is None else place.line(),
        )
        with self._store.begin() as connection:
            minutes = time_limit.read(connection)
            line.insert(connection, run if minutes is None else replace(run, time_limit_s=minutes * 60))
        if place is None:
            self.warm_up()  # for the run after this one
        self._supervisor.wake()
        return run_id

    def get(self, run_id: str) -> Run | None:
        """The run as it stands now; None where there is none of that id."""
        with self._store.read() as connection:
            return line.get(connection, run_id)

    def recent(self, lab: str | None = None, limit: int = 50) -> tuple[Run, ...]:
        """The newest runs first, of one lab or of all."""
        with self._store.read() as connection:
            return line.recent(connection, lab, limit)

    def current(self, lab: str | None = None) -> tuple[Run, ...]:
        """The runs that wait or run now, first come first."""
        with self._store.read() as connection:
            waiting = (*line.active(connection), *line.queued(connection))
            found = [line.get(connection, run.id) for run in waiting if lab in (None, run.lab)]
        return tuple(run for run in found if run is not None)

    def live(self, run_id: str) -> Live:
        """How far the run is. Cheap: reads only what the run has written since the last call.

        Raises MeasureError where there is no such run.
        """
        run = self._known(run_id)
        return self._reader(run).look(run)

    def log_tail(self, run_id: str, lines: int = 200) -> tuple[str, ...]:
        """The last lines of the run's log. Raises MeasureError where there is no such run."""
        return last_lines(self._data / self._known(run_id).folder / LOG, lines)

    def cancel(self, run_id: str) -> None:
        """Ends the run: at once where it waits, else within seconds, with all its processes.

        A run that is over stays as it is. Raises MeasureError where there is no such run.
        """
        run = self._known(run_id)
        with self._store.begin() as connection:
            line.change(
                connection,
                run_id,
                only=("queued",),
                status=CANCELLED.status,
                ended_at_ms=now_ms(),
                failure_code=CANCELLED.code,
                failure_message=CANCELLED.message,
            )
        run = self._known(run_id)
        if not run.is_over:
            folder = self._data / run.folder
            try:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / CANCEL).touch()
            except OSError as error:
                raise MeasureError(f"The run can't be cancelled: {error.strerror} ({folder}).") from error
            self._supervisor.wake()

    def result(self, run_id: str) -> Result | None:
        """What the run measured; None unless it is done. Raises MeasureError where its file is broken."""
        run = self._known(run_id)
        return self._result(run) if run.status == "done" else None

    def newest_result(self, lab: str, params: Mapping[str, Scalar] | None = None) -> Result | None:
        """The newest result of the lab on this machine, with all these settings where they are given."""
        with self._store.read() as connection:
            done = line.finished(connection, lab, 200 if params else 5)
        for run in done:
            result = self._result(run)
            if result is not None and _has(result, params or {}):
                return result
        return None

    def results(self, lab: str, limit: int = 50) -> tuple[tuple[Run, Result], ...]:
        """The newest results of the lab on this machine with their runs, newest first."""
        with self._store.read() as connection:
            done = line.finished(connection, lab, limit)
        pairs = ((run, self._result(run)) for run in done)
        return tuple((run, result) for run, result in pairs if result is not None)

    def _known(self, run_id: str) -> Run:
        run = self.get(run_id)
        if run is None:
            raise MeasureError(f"There is no run {run_id}.")
        return run

    def _reader(self, run: Run) -> Reader:
        with self._lock:
            reader = self._readers.get(run.id) or Reader(self._data / run.folder)
            self._readers[run.id] = reader
            self._readers.move_to_end(run.id)
            while len(self._readers) > _READERS:
                self._readers.popitem(last=False)
            return reader

    def _result(self, run: Run) -> Result | None:
        """None where the file was deleted: someone tidied up."""
        if run.id not in self._results:
            path = self._data / run.folder / RESULT
            if not path.exists():
                return None
            self._results[run.id] = load_result(path)
        return self._results[run.id]


def _device_key(devices: tuple[str, ...], wish: DeviceWish) -> str:
    """The device that the run will occupy: one run at a time for each."""
    machine = this_machine()
    on_gpu = wish == "cuda" or (wish == "auto" and "cuda" in devices)
    return machine.gpus[0].key if on_gpu and machine.gpus else machine.cpu.key


def _has(result: Result, params: Mapping[str, Scalar]) -> bool:
    return all(
        name in result.params and str(result.params[name]) == str(value) for name, value in params.items()
    )
