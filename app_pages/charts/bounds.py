"""Floors and ceilings: the metrics that bound others and are drawn as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def named_bound(metric: Metric, words: LabWords, among: Sequence[Metric]) -> str:
    """A floor or ceiling by name and value; the type of the weights is told where the others have another."""
    of_several = len({other.labels.get("weights") for other in among}) > 1
    labels = (*(["weights"] if of_several else []), "ceiling", "dtype")
    told = [words.value(value) for label in labels if (value := metric.labels.get(label))]
    name = words.metric(metric.name)
    which = f"{name} ({', '.join(told)})" if told else name
    return f"{which}: {quantity(metric.value, metric.unit, words.language)}"
