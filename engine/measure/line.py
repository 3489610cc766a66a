"""The runs in the store: those in line, those that run, those that ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, RowMapping, and_, func, or_, select, update

from engine.measure.events import FailureCode, Scalar
from engine.measure.processes import Identity
from engine.store.tables import runs

Status = Literal["queued", "starting", "running", "done", "failed", "cancelled", "interrupted"]
STATUSES: tuple[Status, ...] = get_args(Status)
ACTIVE: tuple[Status, ...] = ("starting", "running")


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a lab. Instants are UTC milliseconds; `device` as asked for (auto, cuda, cpu)."""

    id: str
    lab: str
    params: Mapping[str, Scalar]
    device: str
    device_key: str
    status: Status
    queued_at_ms: int
    started_at_ms: int | None
    ended_at_ms: int | None
    time_limit_s: float
    failure_code: FailureCode | None
    failure_message: str | None
    place_in_line: int
    """1 for the next of its device; 0 where it doesn't wait."""
    process: Identity | None
    owner: Identity | None
    folder: str
    """Relative to the data folder."""
    sent_through: str | None = None
    """The command that started it on another machine; None: it ran on this one."""

    @property
    def is_over(self) -> bool:
        return self.status not in ("queued", *ACTIVE)


def insert(connection: Connection, run: Run) -> None:
    connection.execute(
        runs.insert().values(
            id=run.id,
            lab=run.lab,
            params=dict(run.params),
            device=run.device,
            device_key=run.device_key,
            status=run.status,
            queued_at_ms=run.queued_at_ms,
            time_limit_s=run.time_limit_s,
            folder=run.folder,
            sent_through=run.sent_through,
            owner_pid=run.owner.pid if run.owner else None,
            owner_started=run.owner.started if run.owner else None,
        )
    )


def get(connection: Connection, run_id: str) -> Run | None:
    row = connection.execute(select(runs).where(runs.c.id == run_id)).one_or_none()
    return None if row is None else _run(row, place_in_line(connection, row._mapping))


def recent(connection: Connection, lab: str | None, limit: int) -> tuple[Run, ...]:
    """The newest runs first."""
    query = select(runs).order_by(runs.c.queued_at_ms.desc(), runs.c.id.desc()).limit(limit)
    if lab is not None:
        query = query.where(runs.c.lab == lab)
    return tuple(
        _run(row, place_in_line(connection, row._mapping)) for row in connection.execute(query).all()
    )


def finished(connection: Connection, lab: str, limit: int) -> tuple[Run, ...]:
    """The newest runs of the lab that ended well, newest first."""
    query = (
        select(runs)
        .where(runs.c.lab == lab, runs.c.status == "done")
        .order_by(runs.c.ended_at_ms.desc(), runs.c.id.desc())
        .limit(limit)
    )
    return tuple(_run(row, 0) for row in connection.execute(query).all())


def queued(connection: Connection) -> tuple[Run, ...]:
    """Those in line, first come first."""
    return _having(connection, "queued")


def active(connection: Connection) -> tuple[Run, ...]:
    """Those that the store says run."""
    return _having(connection, *ACTIVE)


def over(connection: Connection, lab: str, beyond: int, limit: int = 200) -> tuple[Run, ...]:
    """Runs of the lab that ended, without the newest `beyond` of them."""
    query = (
        select(runs)
        .where(runs.c.lab == lab, runs.c.status.not_in(("queued", *ACTIVE)))
        .order_by(runs.c.queued_at_ms.desc(), runs.c.id.desc())
        .offset(beyond)
        .limit(limit)
    )
    return tuple(_run(row, 0) for row in connection.execute(query).all())


def change(
    connection: Connection, run_id: str, *, only: tuple[Status, ...] = STATUSES, **values: Any
) -> bool:
    """Sets columns of a run whose status is one of `only`; False where it is none of them (any more)."""
    done = connection.execute(
        update(runs).where(runs.c.id == run_id, runs.c.status.in_(only)).values(**values)
    )
    return done.rowcount == 1


def place_in_line(connection: Connection, row: RowMapping) -> int:
    if row["status"] != "queued":
        return 0
    earlier = or_(
        runs.c.queued_at_ms < row["queued_at_ms"],
        and_(runs.c.queued_at_ms == row["queued_at_ms"], runs.c.id < row["id"]),
    )
    query = select(func.count()).where(
        runs.c.status == "queued", runs.c.device_key == row["device_key"], earlier
    )
    return 1 + int(connection.execute(query).scalar_one())


def _having(connection: Connection, *statuses: Status) -> tuple[Run, ...]:
    query = select(runs).where(runs.c.status.in_(statuses)).order_by(runs.c.queued_at_ms, runs.c.id)
    return tuple(_run(row, 0) for row in connection.execute(query).all())


def _run(row: Row[Any], place: int) -> Run:
    values = row._mapping
    return Run(
        id=values["id"],
        lab=values["lab"],
        params=values["params"],
        device=values["device"],
        device_key=values["device_key"] or "",
        status=values["status"],
        queued_at_ms=values["queued_at_ms"],
        started_at_ms=values["started_at_ms"],
        ended_at_ms=values["ended_at_ms"],
        time_limit_s=values["time_limit_s"] or 0.0,
        failure_code=values["failure_code"],
        failure_message=values["failure_message"],
        place_in_line=place,
        process=_identity(values["pid"], values["pid_started"]),
        owner=_identity(values["owner_pid"], values["owner_started"]),
        folder=values["folder"],
        sent_through=values["sent_through"],
    )


def _identity(pid: int | None, started: float | None) -> Identity | None:
    return None if pid is None or started is None else Identity(pid=pid, started=started)
