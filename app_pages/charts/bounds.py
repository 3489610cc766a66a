"""Floors and ceilings: the metrics that bound others and are drawn as lines."""

from __future__ import annotations

from collections.abc import Iterable

from app_pages.lab_words import LabWords
from app_pages.numbers import quantity
from engine.measure.events import Metric
from engine.measure.results import Result

REFERENCES = frozenset(
    {
        "floor",
        "copy_bandwidth",
        "read_bandwidth",
        "write_bandwidth",
        "datasheet_bandwidth",
        "bus_bandwidth",
        "matmul_rate",
        "ridge_point",
    }
)
"""Metrics that bound others: drawn as lines, not as bars."""


def bounds_of(metrics: Iterable[Metric], unit: str, result: Result | None = None) -> list[Metric]:
    found = [metric for metric in metrics if metric.name in REFERENCES and metric.unit == unit]
    params = {} if result is None else result.params
    fitting = [
        metric
        for metric in found
        if all(params.get(label, value) == value for label, value in metric.labels.items())
    ]
    kept = fitting or found
    names = {metric.name for metric in kept}
    # what lies close to another would be a blot
    close = {"read_bandwidth", "write_bandwidth"} if "copy_bandwidth" in names else set()
    close |= {"bus_bandwidth"} if "datasheet_bandwidth" in names else set()
    kept = [metric for metric in kept if metric.name not in close]
    return kept[:4]


def named_bound(metric: Metric, words: LabWords) -> str:
    """A floor or ceiling by name and value."""
    labels = [metric.labels[label] for label in ("ceiling", "dtype") if metric.labels.get(label)]
    name = words.metric(metric.name)
    which = f"{name} ({' · '.join(map(words.value, labels))})" if labels else name
    return f"{which}: {quantity(metric.value, metric.unit, words.language)}"
