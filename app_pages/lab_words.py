"""What labs say, in the reader's language: their words come with the catalogue of labs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app_pages import context
from app_pages.numbers import number
from engine.measure.events import Finding, Metric, Scalar

if TYPE_CHECKING:
    from engine.measure.catalogue import LabInfo


@dataclass(frozen=True, slots=True)
class LabWords:
    """The words of one lab. A word that is missing falls back to English, then to the code itself."""

    lab: str
    texts: Mapping[str, str]
    english: Mapping[str, str]
    language: str

    def word(self, key: str) -> str:
        """The text under `key`, such as `title` or `metric.time`; else the last part of the key."""
        return self.find(key) or key.rpartition(".")[2].replace("_", " ")

    def find(self, key: str) -> str | None:
        return self.texts.get(key) or self.english.get(key)

    @property
    def title(self) -> str:
        return self.find("title") or self.lab

    @property
    def about(self) -> str:
        return self.find("about") or ""

    def lever(self, name: str) -> str:
        return self.word(f"lever.{name}")

    def metric(self, name: str) -> str:
        return self.word(f"metric.{name}")

    def label(self, name: str) -> str:
        return self.word(f"label.{name}")

    def value(self, value: Scalar) -> str:
        """A label's or a lever's value: the labs' word for it where there is one."""
        if isinstance(value, str):
            return self.find(f"value.{value}") or value
        return self.plain(value)

    def plain(self, value: Scalar) -> str:
        if value is None:
            return "–"
        if isinstance(value, bool):
            return {True: "✓", False: "–"}[value]
        if isinstance(value, int):
            return f"{value}" if abs(value) < 10_000 else number(value, self.language)
        return number(value, self.language) if isinstance(value, float) else str(value)

    def variant(self, metric: Metric, without: frozenset[str] = frozenset()) -> str:
        """The labels of a metric as they tell it apart: "eager · row · 4096"."""
        return " · ".join(
            self.value(value) for name, value in metric.labels.items() if name not in without and value != ""
        )

    def finding(self, finding: Finding) -> str:
        """A conclusion in words. One without words is shown as its code with its arguments."""
        shown = {name: self.value(value) for name, value in finding.args.items()}
        text = self.find(f"finding.{finding.code}")
        if text is None:
            return " ".join([finding.code, *(f"{name}={value}" for name, value in shown.items())])
        try:
            return text.format(**shown)
        except (KeyError, IndexError, ValueError, AttributeError):
            # the words ask for what the lab didn't say: show both rather than nothing
            return f"{text} {shown}"


def of(info: LabInfo | None, name: str) -> LabWords:
    """The words of a lab; `info` None for a lab that isn't here any more."""
    words = {} if info is None else info.words
    language = context.language()
    return LabWords(name, words.get(language, {}), words.get("en", {}), language)
