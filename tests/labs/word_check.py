"""Whether a lab has words for everything it says."""

from __future__ import annotations

import string
from collections.abc import Iterable

from engine.measure.events import Event, Finding, Metric, Progress, Series
from labs.kit.discovery import words


def unspoken(lab: str, seen: Iterable[Event]) -> list[str]:
    """Keys that the events need and a language lacks, and placeholders that a finding doesn't fill."""
    needed: set[str] = set()
    wrong: list[str] = []
    for event in seen:
        match event:
            case Progress(label=label):
                needed.add(f"stage.{label}")
            case Metric(name=name, labels=labels):
                needed |= {f"metric.{name}", *(f"label.{label}" for label in labels)}
            case Series(name=name, columns=columns):
                needed |= {f"series.{name}", *(f"column.{column}" for column in columns)}
            case Finding(code=code, args=args):
                needed.add(f"finding.{code}")
                for language, texts in words(lab).items():
                    asked = placeholders(texts.get(f"finding.{code}", ""))
                    wrong += [f"{language} finding.{code} asks for {name}" for name in asked - set(args)]
            case _:
                pass
    for language, texts in words(lab).items():
        wrong += [f"{language} lacks {key}" for key in sorted(needed - set(texts))]
    return wrong


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}
