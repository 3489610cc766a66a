"""Which of a card's key figures an answer gives right, gives wrong, or leaves out."""

from __future__ import annotations

from engine.interview.asked import Asked
from engine.interview.marks import Mark


def check_figures(asked: Asked, said: str) -> tuple[Mark, ...]:
    """A mark for each figure that is asked; `found` is what the answer says of it, as it stands there.

    Figures that are no claims but lines of text have no tick: nothing can be held against them.
    """
    if all(figure.claim_id is None for figure in asked.figures):
        return tuple(Mark() for _ in asked.figures)
    from engine.claims.key_figures import figures  # imports pint

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
