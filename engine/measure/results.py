"""What a run measured: the fold of its events, and the result file (schema 1, see `docs/contracts.md`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from engine.folders import project_folder
from engine.measure.events import (
    Artifact,
    Event,
    Finding,
    Finished,
    Metric,
    Scalar,
    Series,
    Started,
    from_body,
)
from engine.measure.fault import MeasureError
from engine.whole_file import write_whole

SCHEMA = 1
_Item = TypeVar("_Item", bound=Event)


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run. `started_at` is UTC, `seconds` the run's duration."""

    lab: str
    device: Mapping[str, Any]
    environment: Mapping[str, Any]
    params: Mapping[str, Scalar]
    started_at: datetime
    seconds: float
    metrics: tuple[Metric, ...] = ()
    series: tuple[Series, ...] = ()
    findings: tuple[Finding, ...] = ()
    artifacts: tuple[Artifact, ...] = ()

    def metric(self, name: str, **labels: Scalar) -> Metric | None:
        """The first metric of that name that carries all these labels."""
        for metric in self.metrics:
            if metric.name == name and all(metric.labels.get(key) == labels[key] for key in labels):
                return metric
        return None


@dataclass(slots=True)
class Fold:
    """Gathers events as they come.

    A metric with the name and labels of an earlier one replaces it; rows of a series with the name and
    columns of an earlier one are appended to it, with other columns it replaces it; an equal finding
    counts once, an artifact of the same name replaces the earlier one. The last `started` counts.
    """

    started: Started | None = None
    finished: Finished | None = None
    metrics: dict[tuple[str, str], Metric] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    artifacts: dict[str, Artifact] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        match event:
            case Started():
                self.started = event
            case Finished():
                self.finished = event
            case Metric():
                self.metrics[event.name, json.dumps(event.labels, sort_keys=True)] = event
            case Series():
                earlier = self.series.get(event.name)
                if earlier and earlier.columns == event.columns:
                    earlier.rows.extend(event.rows)
                else:
                    self.series[event.name] = replace(event, rows=list(event.rows))
            case Finding():
                self.findings.setdefault(json.dumps([event.code, event.args], sort_keys=True), event)
            case Artifact():
                self.artifacts[event.name] = event
            case _:  # progress, log and failed are not part of a result
                pass

    def result(self, started_at: datetime) -> Result | None:
        """The result; None as long as the run hasn't both started and finished."""
        if self.started is None or self.finished is None:
            return None
        environment = dict(self.started.environment)
        device = environment.pop("device", {})
        return Result(
            lab=self.started.lab,
            device=device if isinstance(device, dict) else {"name": str(device)},
            environment=environment,
            params=self.started.params,
            started_at=started_at.astimezone(UTC).replace(microsecond=0),
            seconds=self.finished.seconds,
            metrics=tuple(self.metrics.values()),
            series=tuple(replace(series, rows=list(series.rows)) for series in self.series.values()),
            findings=tuple(self.findings.values()),
            artifacts=tuple(self.artifacts.values()),
        )


def fold(events: Iterable[Event], started_at: datetime) -> Result | None:
    """The result of a whole run's events; None where it didn't start or didn't finish."""
    gathered = Fold()
    for event in events:
        gathered.add(event)
    return gathered.result(started_at)


def to_json(result: Result) -> str:
    """The result file's text."""
    body = {
        "lab": result.lab,
        "schema": SCHEMA,
        "device": dict(result.device),
        "environment": dict(result.environment),
        "params": dict(result.params),
        "started_at": result.started_at.isoformat(),
        "seconds": result.seconds,
        "metrics": [_without_none(asdict(metric)) for metric in result.metrics],
        "series": [asdict(series) for series in result.series],
        "findings": [asdict(finding) for finding in result.findings],
        "artifacts": [asdict(artifact) for artifact in result.artifacts],
    }
    return json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def save_result(path: Path, result: Result) -> None:
    """Writes the result file: all of it or nothing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_json(result).encode("utf-8"))


def load_result(path: Path) -> Result:
    """Reads a result file. Raises MeasureError naming the file and the field that is wrong."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MeasureError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise MeasureError(f"{path}: isn't UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise MeasureError(f"{path}: isn't JSON: {error}") from error
    return from_json(body, str(path))


def from_json(body: object, where: str) -> Result:
    """The result that a decoded result file holds; `where` names it in a MeasureError."""
    if not isinstance(body, dict):
        raise MeasureError(f"{where}: isn't a result file: it must be a JSON object")
    if body.get("schema") != SCHEMA:
        raise MeasureError(f"{where}: schema: {body.get('schema')!r} isn't known, only {SCHEMA} is")
    started = from_body({"type": "started", **_part(body, where, "lab", "params", "environment")})
    if not isinstance(started, Started):
        raise MeasureError(f"{where}: lab, params or environment: has the wrong type")
    device = from_body({"type": "started", "lab": "", "environment": body.get("device")})
    if not isinstance(device, Started):
        raise MeasureError(f"{where}: device: must be an object")
    finished = from_body({"type": "finished", "seconds": body.get("seconds")})
    if not isinstance(finished, Finished):
        raise MeasureError(f"{where}: seconds: must be a number of 0 or more")
    try:
        started_at = datetime.fromisoformat(str(body.get("started_at")))
    except ValueError as error:
        raise MeasureError(f"{where}: started_at: must be a date and time in ISO 8601") from error
    if started_at.tzinfo is None:
        raise MeasureError(f"{where}: started_at: must name its time zone (Z for UTC)")
    return Result(
        lab=started.lab,
        device=device.environment,
        environment=started.environment,
        params=started.params,
        started_at=started_at.astimezone(UTC),
        seconds=finished.seconds,
        metrics=_list(body, where, "metrics", Metric, "metric"),
        series=_list(body, where, "series", Series, "series"),
        findings=_list(body, where, "findings", Finding, "finding"),
        artifacts=_list(body, where, "artifacts", Artifact, "artifact"),
    )


def recorded_folder() -> Path:
    """Where the committed results of real runs lie: `labs/recorded/<gpu>/<lab>.json`, and beside it
    `<lab>.<settings>.json` where a lab was recorded at several settings."""
    return project_folder() / "labs" / "recorded"


def recorded(lab: str, folder: Path | None = None) -> tuple[Result, ...]:
    """The recorded results of a lab, newest first. Raises MeasureError where a file is broken."""
    paths = recorded_paths(lab, folder)
    return tuple(sorted(map(load_result, paths), key=lambda result: result.started_at, reverse=True))


def recorded_paths(lab: str, folder: Path | None = None) -> list[Path]:
    """The files that `recorded` reads."""
    place = folder or recorded_folder()
    return sorted([*place.glob(f"*/{lab}.json"), *place.glob(f"*/{lab}.*.json")])


def _without_none(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}


def _part(body: Mapping[str, Any], where: str, *keys: str) -> dict[str, Any]:
    for key in keys:
        if key not in body:
            raise MeasureError(f"{where}: {key}: is missing")
    return {key: body[key] for key in keys}


def _list(body: Mapping[str, Any], where: str, key: str, kind: type[_Item], name: str) -> tuple[_Item, ...]:
    items = body.get(key, [])
    if not isinstance(items, list):
        raise MeasureError(f"{where}: {key}: must be a list")
    read = []
    for number, item in enumerate(items):
        event = from_body({**item, "type": name}) if isinstance(item, dict) else None
        if not isinstance(event, kind):
            raise MeasureError(f"{where}: {key}[{number}]: isn't a {name}")
        read.append(event)
    return tuple(read)
