"""The events a run reports, one JSON object a line (see `docs/contracts.md`)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Scalar = str | int | float | bool | None
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
class Progress:
    """`done` of `total` steps; `label` is what is being done now."""

    done: float
    total: float
    label: str


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
    """A table for a chart. `units` maps a column to its unit."""

    name: str
    columns: list[str]
    rows: list[list[Scalar]]
    units: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """A conclusion as a code with arguments; the interface puts it into words."""

    code: str
    args: dict[str, Scalar] = field(default_factory=dict)


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


def to_line(event: Event) -> str:
    """The event as one line of JSON without the line break. NaN and infinity are refused (ValueError)."""
    body = {key: value for key, value in asdict(event).items() if value is not None}
    return json.dumps({"type": _NAMES[type(event)], **body}, ensure_ascii=False, allow_nan=False)
