"""What an answer covered, as far as its text tells: suggested ticks for points, figures, and follow-up."""

from __future__ import annotations

from engine.interview.figures import check_figures
from engine.interview.marks import Mark, Marks
from engine.interview.question import Question
from engine.interview.terms import coverage
from engine.study.card import Point


def marked(question: Question) -> Marks:
    """The marks of a question with everything that its notes and transcripts suggest.

    An answer that is there as sound only suggests nothing: its points wait for the learner. One that was
    skipped, or of which nothing is there at all, suggests that everything is missing.
    """
    asked = question.asked
    if question.clock.outcome != "answered":
        nothing = Marks(
            points=tuple(Mark("missed") for _ in asked.points),
            figures=tuple(Mark("missing") for _ in asked.figures),
            follow_up=Mark("missed") if asked.follow_up is not None else Mark(),
        )
        return question.marks.suggested(nothing)
    said, more = question.said("main"), question.said("follow_up")
    return question.marks.suggested(
        Marks(
            points=_points(question, said),
            figures=_figures(question, f"{said}\n{more}".strip()),
            follow_up=_follow_up(question, more),
        )
    )


def _points(question: Question, said: str) -> tuple[Mark, ...]:
    asked = question.asked
    if not said.strip():
        return tuple(Mark() for _ in asked.points)
    found = coverage(asked.points, f"{asked.title}\n{asked.card.prompt}", said)
    return tuple(Mark(each.tick, found=", ".join(each.found)) for each in found)


def _figures(question: Question, said: str) -> tuple[Mark, ...]:
    if not said.strip():
        return tuple(Mark() for _ in question.asked.figures)
    return check_figures(question.asked, said)


def _follow_up(question: Question, said: str) -> Mark:
    follow = question.asked.follow_up
    if follow is None or not said.strip():
        return Mark()
    found = coverage((Point("", follow.answer),), follow.prompt, said)[0]
    return Mark(found.tick, found=", ".join(found.found))
