"""Which chart a series becomes."""

from __future__ import annotations

from collections.abc import Iterable

from app_pages.charts.drawn import Drawn
from app_pages.charts.lines import line_chart
from app_pages.charts.roof import is_roofline
from app_pages.charts.roof_chart import roof_chart
from app_pages.lab_words import LabWords
from engine.measure.events import Metric, Series


def in_order(series: Iterable[Series]) -> list[Series]:
    """The series of a result as they are shown: its rooflines first, they say most."""
    return sorted(series, key=lambda one: not is_roofline(one))


def series_chart(series: Series, metrics: Iterable[Metric], words: LabWords) -> Drawn | None:
    """A roofline where the series is one by its units, else lines; None where there is nothing to draw."""
    metrics = tuple(metrics)
    if is_roofline(series):
        return roof_chart(series, metrics, words)
    return line_chart(series, metrics, words)
