"""A run on a terminal: a line of progress while it lasts, a table when it is done."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TextIO

from engine.measure.events import Event, Finding, Log, Metric, Progress, Scalar, Series
from engine.measure.results import Result


class ProgressLine:
    """Shows progress on one line that is overwritten; on a pipe or a file, a line for each new stage."""

    def __init__(self, words: Mapping[str, str], stream: TextIO | None = None) -> None:
        self._words = words
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._label = ""

    def show(self, event: Event) -> None:
        if isinstance(event, Log):
            self.clear()
            print(event.text, file=self._stream, flush=True)
        if not isinstance(event, Progress):
            return
        text = self._words.get(f"stage.{event.label}", event.label)
        share = f"{min(event.done / event.total, 1):4.0%}  " if event.total else ""
        if self._live:
            room = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{share}{text}"[: room + 4], end="", file=self._stream, flush=True)
        elif event.label != self._label:
            print(f"{text} …", file=self._stream, flush=True)
        self._label = event.label

    def clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=self._stream, flush=True)


def as_text(result: Result, words: Mapping[str, str]) -> str:
    """The result as a table: where and how it ran, the metrics with their spread, the findings in words."""
    device = result.device.get("name", "an unknown device")
    versions = [
        f"{name} {result.environment[name]}"
        for name in ("torch", "transformers", "cuda", "driver")
        if name in result.environment
    ]
    settings = ", ".join(f"{name}={_cell(value)}" for name, value in result.params.items())
    lines = [
        words.get("title", result.lab),
        f"{device} · {' · '.join([*versions, f'{result.seconds:.1f} s'])}",
        *([settings] if settings else []),
        "",
        *_metrics(result.metrics, words),
    ]
    for series in result.series:
        lines += _series(series, words)
    if result.findings:
        lines += ["", *(f"→ {_finding(finding, words)}" for finding in result.findings)]
    lines += [f"{artifact.name}: {artifact.path}" for artifact in result.artifacts]
    return "\n".join(lines)


def _metrics(metrics: Sequence[Metric], words: Mapping[str, str]) -> list[str]:
    names = list(dict.fromkeys(name for metric in metrics for name in metric.labels))
    heads = ["", *(words.get(f"label.{name}", name) for name in names), "", "", "spread"]
    rows = [
        [
            words.get(f"metric.{metric.name}", metric.name),
            *(_cell(metric.labels.get(name, "")) for name in names),
            number(metric.value),
            metric.unit,
            ""
            if metric.low is None or metric.high is None
            else f"{number(metric.low)}–{number(metric.high)}",
        ]
        for metric in metrics
    ]
    if not rows:
        return []
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return _aligned([heads, *rows], right={len(names) + 1})


def _series(series: Series, words: Mapping[str, str]) -> list[str]:
    """A series that names things in its first column; the others are for charts."""
    if not series.rows or not all(isinstance(row[0], str) for row in series.rows):
        return []
    heads = [words.get(f"column.{name}", name) for name in series.columns]
    rows = [[_named(cell, words) for cell in row] for row in series.rows]
    right = {
        place
        for place in range(len(heads))
        if any(isinstance(row[place], int | float) for row in series.rows)
    }
    return ["", words.get(f"series.{series.name}", series.name), *_aligned([heads, *rows], right)]


def _named(cell: Scalar, words: Mapping[str, str]) -> str:
    if isinstance(cell, float):
        return number(cell)
    return words.get(f"value.{cell}", cell) if isinstance(cell, str) else _cell(cell)


def _aligned(rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for column, cell in enumerate(row):
            gap = " " * (widths[column] - _width(cell))
            cells.append(gap + cell if column in right else cell + gap)
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(text: str) -> int:
    """Columns on a terminal: Chinese takes two, a combining mark none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _finding(finding: Finding, words: Mapping[str, str]) -> str:
    text = words.get(f"finding.{finding.code}")
    shown = {
        name: number(value) if isinstance(value, float) else _cell(value)
        for name, value in finding.args.items()
    }
    if text is not None:
        try:
            return text.format(**shown)
        except (
            KeyError,
            IndexError,
            ValueError,
            AttributeError,
        ):  # the words ask for what the lab didn't say
            return f"{text} {shown}"
    return " ".join([finding.code, *(f"{name}={value}" for name, value in shown.items())])


def number(value: float) -> str:
    """Four significant digits, grouped by thousands."""
    if value == 0 or isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        return f"{value:.3e}"
    digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3 if size >= 1 else 4
    return f"{value:,.{digits}f}"


def _cell(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value}"
