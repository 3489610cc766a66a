from __future__ import annotations

from engine.interview.marks import Mark


def check_figures(figures: tuple[str, ...], said: str, language: str) -> tuple[Mark, ...]:
    return tuple(Mark("missing") for _ in figures)
