"""Which of a card's key figures an answer gives right, gives wrong, or leaves out."""

from __future__ import annotations

import re
from itertools import islice

from engine.interview.asked import Asked
from engine.interview.marks import Mark

LOOKED_AT, MOST_NUMBERS = 10_000, 200
"""Characters and numbers of an answer that are looked at: more than ten minutes of speech have.

Who pastes a log into the notes would wait for minutes otherwise: each number is weighed against each figure.
"""

_NUMBER = re.compile(r"\d[\d.,]*|[零〇一二两三四五六七八九十百千万亿]+")


def check_figures(asked: Asked, said: str) -> tuple[Mark, ...]:
    """A mark for each figure that is asked; `found` is what the answer says of it, as it stands there.

    Figures that are no claims but lines of text have no tick: nothing can be held against them.
    """
    if all(figure.claim_id is None for figure in asked.figures):
        return tuple(Mark() for _ in asked.figures)
    from engine.claims.key_figures import figures  # imports pint

    said = _looked_at(said)
    found = {each.claim.id: each for each in figures(asked.card, said)}
    marks = []
    for figure in asked.figures:
        told = found.get(figure.claim_id or "")
        if told is None:
            marks.append(Mark())
            continue
        typed = told.typed
        marks.append(Mark(told.outcome, found="" if typed is None else said[typed.start : typed.end].strip()))
    return tuple(marks)


def _looked_at(said: str) -> str:
    """The beginning of an answer, up to the most numbers that are looked at."""
    text = said[:LOOKED_AT]
    beyond = next(islice(_NUMBER.finditer(text), MOST_NUMBERS, None), None)
    return text if beyond is None else text[: beyond.start()]
