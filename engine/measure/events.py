"""The events a run reports, one JSON object a line (see `docs/contracts.md`)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NoReturn, get_args

from engine.measure.finding import Finding as Finding
from engine.measure.finding import Progress as Progress
from engine.measure.finding import Scalar as Scalar

FailureCode = Literal[
    "needs_gpu", "needs_tool", "permission", "out_of_memory", "timeout", "cancelled", "crashed", "unsupported"
]
FAILURE_CODES: tuple[FailureCode, ...] = get_args(FailureCode)


@dataclass(frozen=True, slots=True)
class Started:
    lab: str
    params: dict[str, Scalar]
    environment: dict[str, Any]
    """Versions (torch, driver, cuda, platform …) and `device` {type, name, memory_bytes …}."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A measured value. `low` and `high` are the spread (25th and 75th percentile unless said otherwise)."""

    name: str
    value: float
    unit: str
    labels: dict[str, Scalar] = field(default_factory=dict)
    samples: int | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A table for a chart. `units` maps a column to its unit.

    A live chart grows: rows of a later series with the same name and columns are appended to the earlier
    ones.
    """

    name: str
    columns: list[str]
    rows: list[list[Scalar]]
    units: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Artifact:
    name: str
    path: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Log:
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    code: FailureCode
    message: str


Event = Started | Progress | Metric | Series | Finding | Artifact | Log | Finished | Failed

TYPES: dict[str, type[Event]] = {
    "started": Started,
    "progress": Progress,
    "metric": Metric,
    "series": Series,
    "finding": Finding,
    "artifact": Artifact,
    "log": Log,
    "finished": Finished,
    "failed": Failed,
}
_NAMES = {kind: name for name, kind in TYPES.items()}

MAX_LINE = 512 * 1024
"""The longest event in characters. A longer line is log text."""
_MAX_DEPTH = 8


def to_line(event: Event) -> str:
    """The event as one line of JSON without the line break.

    Raises ValueError where a value is NaN or infinite, where text isn't valid Unicode, and where the line
    would be longer than `MAX_LINE`.
    """
    body = {key: value for key, value in asdict(event).items() if value is not None}
    line = json.dumps({"type": _NAMES[type(event)], **body}, ensure_ascii=False, allow_nan=False)
    if len(line) > MAX_LINE:
        raise ValueError(f"an event of {len(line)} characters is too long: {MAX_LINE} at most")
    if not _is_text(line):
        raise ValueError("an event holds text that isn't valid Unicode")
    return line


def from_line(text: str) -> Event | None:
    """The event that a line of a run's output holds; None where the line is log text. Never raises.

    Strict: a field of the wrong type, a number that isn't finite, an unknown type, or a line longer than
    `MAX_LINE` makes the line log text. Fields that this version doesn't know are ignored.
    """
    if len(text) > MAX_LINE or not text.lstrip().startswith("{"):
        return None
    try:
        body = json.loads(text, parse_constant=_refuse)
        return from_body(body)
    except (ValueError, RecursionError, OverflowError):  # broken JSON, nested too deep, a huge number
        return None


def from_body(body: object) -> Event | None:
    """The event that a decoded JSON object is (with its `type`); None where it is none."""
    if not isinstance(body, dict):
        return None
    kind = body.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    try:
        return reader(body) if reader else None
    except _NotAnEventError:
        return None


class _NotAnEventError(ValueError):
    pass


def _refuse(constant: str) -> NoReturn:
    raise _NotAnEventError(constant)


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, bool) or _is_number(value) or _is_text(value)


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(_is_text(key) and _is_json(item, depth + 1) for key, item in value.items())
    if isinstance(value, list):
        return all(_is_json(item, depth + 1) for item in value)
    return _is_scalar(value)


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key)
    if not _is_text(value):
        raise _NotAnEventError(key)
    return str(value)


def _number(body: Mapping[str, Any], key: str) -> float:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _NotAnEventError(key)
    return value


def _size(body: Mapping[str, Any], key: str) -> float:
    value = _number(body, key)
    if value < 0:
        raise _NotAnEventError(key)
    return value


def _table(body: Mapping[str, Any], key: str, holds: Callable[[object], bool]) -> dict[str, Any]:
    value = body.get(key, {})
    if not isinstance(value, dict) or not all(_is_text(name) and holds(value[name]) for name in value):
        raise _NotAnEventError(key)
    return value


def _metric(body: Mapping[str, Any]) -> Metric:
    samples = body.get("samples")
    if samples is not None and (not isinstance(samples, int) or isinstance(samples, bool) or samples < 1):
        raise _NotAnEventError("samples")
    return Metric(
        name=_text(body, "name"),
        value=_number(body, "value"),
        unit=_text(body, "unit"),
        labels=_table(body, "labels", _is_scalar),
        samples=samples,
        low=None if body.get("low") is None else _number(body, "low"),
        high=None if body.get("high") is None else _number(body, "high"),
    )


def _series(body: Mapping[str, Any]) -> Series:
    columns, rows = body.get("columns"), body.get("rows")
    if not isinstance(columns, list) or not all(_is_text(column) for column in columns):
        raise _NotAnEventError("columns")
    if not isinstance(rows, list):
        raise _NotAnEventError("rows")
    for row in rows:
        if not isinstance(row, list) or len(row) != len(columns) or not all(_is_scalar(cell) for cell in row):
            raise _NotAnEventError("rows")
    return Series(name=_text(body, "name"), columns=columns, rows=rows, units=_table(body, "units", _is_text))


def _failed(body: Mapping[str, Any]) -> Failed:
    for code in FAILURE_CODES:
        if body.get("code") == code:
            return Failed(code=code, message=_text(body, "message"))
    raise _NotAnEventError("code")


_READERS: dict[str, Callable[[Mapping[str, Any]], Event]] = {
    "started": lambda body: Started(
        lab=_text(body, "lab"),
        params=_table(body, "params", _is_scalar),
        environment=_table(body, "environment", _is_json),
    ),
    "progress": lambda body: Progress(
        done=_size(body, "done"), total=_size(body, "total"), label=_text(body, "label")
    ),
    "metric": _metric,
    "series": _series,
    "finding": lambda body: Finding(code=_text(body, "code"), args=_table(body, "args", _is_scalar)),
    "artifact": lambda body: Artifact(
        name=_text(body, "name"), path=_text(body, "path"), media_type=_text(body, "media_type")
    ),
    "log": lambda body: Log(text=_text(body, "text")),
    "finished": lambda body: Finished(seconds=_size(body, "seconds")),
    "failed": _failed,
}
