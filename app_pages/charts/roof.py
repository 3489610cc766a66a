"""A roofline's parts: the roofs that a run's own metrics give, and its kernels as points.

A roof is a bandwidth (the slope) and a rate (the flat part) that meet at the ridge point. It comes from a
`ridge_point` with its ceiling and dtype, and the bandwidth of the same ceiling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app_pages.lab_words import LabWords
from app_pages.numbers import number, quantity
from engine.measure.events import Metric, Series

BANDWIDTH_OF = {"measured": "copy_bandwidth", "datasheet": "datasheet_bandwidth"}
PREFIXES = {"GFLOP/s": 1.0, "TFLOP/s": 1e3}
"""Factors to GFLOP/s, the product of FLOP/B and GB/s."""


@dataclass(frozen=True, slots=True)
class Roof:
    """A ceiling's roof. Bandwidth in GB/s, ridge in FLOP/B."""

    ceiling: str
    dtype: str
    bandwidth: float
    ridge: float

    def at(self, intensity: float) -> float:
        """The most that can be reached at that intensity, in GFLOP/s."""
        return min(intensity, self.ridge) * self.bandwidth

    def in_words(self, unit: str, words: LabWords) -> str:
        """By its three numbers: "measured · bf16: 4,180 GB/s, 672 TFLOP/s, ridge point 161"."""
        which = " · ".join(part for part in (words.value(self.ceiling), self.dtype) if part)
        slope = quantity(self.bandwidth, "GB/s", words.language)
        flat = quantity(self.at(self.ridge) / PREFIXES[unit], unit, words.language)
        return f"{which}: {slope}, {flat}, {words.metric('ridge_point')} {number(self.ridge, words.language)}"


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel: FLOP/B, its rate in the series' unit, what it is, and its size ("batch 8"), if any."""

    x: float
    y: float
    kind: str
    size: str

    @property
    def name(self) -> str:
        return " · ".join(part for part in (self.kind, self.size) if part)


def is_roofline(series: Series) -> bool:
    """A series of arithmetic intensity and rate, in that order."""
    if len(series.columns) < 2:
        return False
    first, second = (series.units.get(column, "") for column in series.columns[:2])
    return first == "FLOP/B" and second in PREFIXES


def roofs_of(metrics: Iterable[Metric], dtypes: Iterable[str]) -> list[Roof]:
    """The roofs that the metrics give for those dtypes (for all where none is named), lowest ridge first."""
    metrics, wanted = tuple(metrics), set(dtypes)
    found = []
    for metric in metrics:
        dtype, ceiling = str(metric.labels.get("dtype", "")), str(metric.labels.get("ceiling", ""))
        if metric.name != "ridge_point" or ceiling not in BANDWIDTH_OF or (wanted and dtype not in wanted):
            continue
        bandwidth = next((one.value for one in metrics if one.name == BANDWIDTH_OF[ceiling]), None)
        if bandwidth:
            found.append(Roof(ceiling=ceiling, dtype=dtype, bandwidth=bandwidth, ridge=metric.value))
    return sorted(found, key=lambda roof: roof.ridge)


def dtypes_of(series: Series) -> list[str]:
    """What stands in the column `dtype`; nothing where there is none."""
    if "dtype" not in series.columns:
        return []
    column = series.columns.index("dtype")
    return list(dict.fromkeys(str(row[column]) for row in series.rows if row[column] is not None))


def points_of(series: Series, words: LabWords) -> list[Point]:
    """A point for each row: columns of text say what it is, columns of numbers its size."""
    more = range(2, len(series.columns))
    texts = [c for c in more if series.columns[c] != "dtype" and _all_of(series, c, str)]
    sizes = [c for c in more if _all_of(series, c, int | float)]
    points = []
    for row in series.rows:
        x, y = row[0], row[1]
        if not isinstance(x, int | float) or not isinstance(y, int | float) or x <= 0 or y <= 0:
            continue
        kind = " · ".join(words.value(row[column]) for column in texts if row[column] is not None)
        size = " · ".join(
            f"{words.word(f'column.{series.columns[column]}')} {words.value(row[column])}"
            for column in sizes
            if row[column] is not None
        )
        points.append(Point(x=float(x), y=float(y), kind=kind, size=size))
    return points


def _all_of(series: Series, column: int, kind: Any) -> bool:
    values = [row[column] for row in series.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)
