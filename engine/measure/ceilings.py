"""Ceilings measured on this very device and kept: `<data>/ceilings/<device key>.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.measure.device import Device
from engine.measure.fault import MeasureError
from engine.whole_file import write_whole


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The highest rates that were measured here. Bandwidths in B/s, matmul in FLOP/s by dtype (`bf16` …).

    `copy_bandwidth` counts bytes read and bytes written; `read_bandwidth` bytes read.
    """

    copy_bandwidth: float | None = None
    read_bandwidth: float | None = None
    matmul_rate: Mapping[str, float] = field(default_factory=dict)
    measured_at: str = ""
    """ISO 8601, UTC; `save` fills it in where it is empty."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """What they were measured with: torch, driver, cuda."""


def load(data: Path, device: Device) -> Ceilings | None:
    """The ceilings of the device, None where none were measured. Raises MeasureError for a broken file."""
    path = _path(data, device)
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise MeasureError(f"{path}: can't be read ({error}). Delete it: it is measured anew.") from error
    if not isinstance(body, dict):
        raise MeasureError(f"{path}: isn't a ceilings file. Delete it: it is measured anew.")
    return Ceilings(
        copy_bandwidth=_rate(path, body, "copy_bandwidth"),
        read_bandwidth=_rate(path, body, "read_bandwidth"),
        matmul_rate={
            dtype: rate
            for dtype in _table(path, body, "matmul_rate")
            if (rate := _rate(path, body["matmul_rate"], dtype)) is not None
        },
        measured_at=str(body.get("measured_at", "")),
        versions={name: str(version) for name, version in _table(path, body, "versions").items()},
    )


def save(data: Path, device: Device, measured: Ceilings) -> Ceilings:
    """Keeps what was measured, beside what was kept before (a new value replaces an old one).

    Returns what is kept now. Raises MeasureError where it can't be written.
    """
    try:
        kept = load(data, device) or Ceilings()
    except MeasureError:  # a broken file is replaced by what was just measured
        kept = Ceilings()
    merged = replace(
        measured,
        copy_bandwidth=measured.copy_bandwidth or kept.copy_bandwidth,
        read_bandwidth=measured.read_bandwidth or kept.read_bandwidth,
        matmul_rate={**kept.matmul_rate, **measured.matmul_rate},
        measured_at=measured.measured_at or datetime.now(UTC).replace(microsecond=0).isoformat(),
        versions={**kept.versions, **measured.versions},
    )
    body = {"device": device.as_event(), **asdict(merged)}
    path = _path(data, device)
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise MeasureError(f"{path}: can't be written: {error.strerror}.") from error
    return merged


def _path(data: Path, device: Device) -> Path:
    return data / "ceilings" / f"{device.key}.json"


def _table(path: Path, body: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = body.get(key) or {}
    if not isinstance(value, dict):
        raise MeasureError(f"{path}: {key}: must be an object. Delete the file: it is measured anew.")
    return value


def _rate(path: Path, body: Mapping[str, Any], key: str) -> float | None:
    value = body.get(key)
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or value <= 0
    ):
        raise MeasureError(f"{path}: {key}: must be a number above 0. Delete the file: it is measured anew.")
    return float(value)
