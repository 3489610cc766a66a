"""Charts of a result, built once: building takes a tenth of a second, and every click draws the page anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from app_pages.charts.drawn import Drawn
from app_pages.charts.scales import theme
from app_pages.lab_words import LabWords
from engine.measure.results import Result

KEPT = 48


def once(result: Result, what: str, words: LabWords, build: Callable[[], Drawn | None]) -> Drawn | None:
    """What `build` makes of the result, in this language and theme.

    what: names the chart among those of the result. A result counts as known where it is the same object:
    files that didn't change are read once (`engine.claims.sources`).
    """
    return _built(_Asked(result, what, words.language, theme(), build))


class _Asked:
    """A chart that is asked for; equal to another of the same result object, name, language and theme."""

    __slots__ = ("build", "key", "result")

    def __init__(
        self, result: Result, what: str, language: str, theme: str, build: Callable[[], Drawn | None]
    ) -> None:
        self.result = result  # held, so that no other object can have its id
        self.key = (id(result), what, language, theme)
        self.build = build

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=KEPT)
def _built(asked: _Asked) -> Drawn | None:
    return asked.build()
