"""What formulas know of a piece of hardware: its datasheet's figures, and the ceilings measured on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.measure.ceilings import Ceilings
from engine.measure.events import Metric
from engine.measure.specs import Spec, match, spec

Named = Mapping[str, tuple[float, str]]

DEVICE_QUANTITIES = frozenset(
    {
        "memory_bandwidth",
        "copy_bandwidth",
        "peak_bf16",
        "peak_fp16",
        "memory_bytes",
        "l2_bytes",
        "sm_count",
    }
)
_STAND_INS = (
    ("memory_bandwidth", "copy_bandwidth"),
    ("peak_bf16", "matmul_bf16"),
    ("peak_fp16", "matmul_fp16"),
)
"""Where a device has no datasheet figure (a CPU), the ceiling measured on it takes its place."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device that a claim is worked out for.

    `key` is its row in the spec table, None for a device that has none. `quantities` are values with units;
    `measured` names those for which a measured ceiling stands in because there is no datasheet figure.
    """

    name: str
    key: str | None = None
    quantities: Named = field(default_factory=dict)
    measured: frozenset[str] = frozenset()


def of_spec(row: Spec) -> Hardware:
    """A GPU of the spec table, by its datasheet alone."""
    return Hardware(name=row.name, key=row.key, quantities=_datasheet(row))


def of_key(key: str) -> Hardware | None:
    """A GPU of the spec table by its key; None where the table has no such row."""
    row = spec(key)
    return None if row is None else of_spec(row)


def of_device(
    device: Mapping[str, Any], metrics: Iterable[Metric] = (), kept: Ceilings | None = None
) -> Hardware:
    """A real device, as a result file or `Device.as_event()` describes it.

    Its measured ceilings are those among `metrics` (`copy_bandwidth`, `matmul_rate`), else the ones `kept`.
    """
    name = str(device.get("name") or "?")
    row = None
    if device.get("type") == "cuda" and not device.get("mig"):
        row = match(name, device.get("memory_bytes"), device.get("sm_count"))
    found: dict[str, tuple[float, str]] = {}
    for quantity, unit in (("memory_bytes", "B"), ("l2_bytes", "B"), ("sm_count", "")):
        if isinstance(device.get(quantity), int):
            found[quantity] = (device[quantity], unit)
    if row is not None:
        found |= _datasheet(row)
    ceilings = dict(_kept_ceilings(kept)) | dict(_ceilings(metrics))
    if "copy_bandwidth" in ceilings:
        found["copy_bandwidth"] = ceilings["copy_bandwidth"]
    measured = set()
    for quantity, ceiling in _STAND_INS:
        if quantity not in found and ceiling in ceilings:
            found[quantity] = ceilings[ceiling]
            measured.add(quantity)
    return Hardware(
        name=name, key=None if row is None else row.key, quantities=found, measured=frozenset(measured)
    )


def _kept_ceilings(kept: Ceilings | None) -> Iterable[tuple[str, tuple[float, str]]]:
    if kept is None:
        return
    if kept.copy_bandwidth is not None:
        yield "copy_bandwidth", (kept.copy_bandwidth, "B/s")
    for dtype, rate in kept.matmul_rate.items():
        yield f"matmul_{dtype}", (rate, "FLOP/s")


def _ceilings(metrics: Iterable[Metric]) -> Iterable[tuple[str, tuple[float, str]]]:
    for metric in metrics:
        if metric.name == "copy_bandwidth":
            yield metric.name, (metric.value, metric.unit)
        elif metric.name == "matmul_rate":
            dtype = {"bfloat16": "bf16", "float16": "fp16"}.get(
                str(metric.labels.get("dtype")), str(metric.labels.get("dtype"))
            )
            yield f"matmul_{dtype}", (metric.value, metric.unit)


def _datasheet(row: Spec) -> dict[str, tuple[float, str]]:
    figures: dict[str, tuple[float | None, str]] = {
        "memory_bandwidth": (row.bandwidth, "B/s"),
        "peak_bf16": (row.peak_bf16, "FLOP/s"),
        "peak_fp16": (row.peak_fp16, "FLOP/s"),
        "memory_bytes": (row.memory_bytes, "B"),
        "l2_bytes": (row.l2_bytes, "B"),
        "sm_count": (row.sm_count, ""),
    }
    return {name: (value, unit) for name, (value, unit) in figures.items() if value is not None}
