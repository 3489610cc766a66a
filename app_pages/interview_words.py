"""What report, history and export say of an interview in the same words."""

from __future__ import annotations

from html import escape

from app_pages import context
from app_pages.numbers import as_given, clock, joined, span, unit_sign
from app_pages.words import say
from engine.interview.asked import AskedFigure
from engine.interview.marks import PATCHY_FROM, SOLID_FROM, STRONG_FROM
from engine.interview.question import Interview, Question


def column_heads(names: tuple[str, ...]) -> str:
    """The heads of a table as HTML: the first column holds names, the others numbers."""
    return "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(say(f"interview.column.{name}"))}</th>'
        for place, name in enumerate(names)
    )


def colon(language: str | None = None) -> str:
    """What stands between a name and its value, in a language or the reader's own."""
    return "：" if (language or context.language()) == "zh" else ": "


def figure_text(figure: AskedFigure, language: str) -> str:
    """A figure with its value, as Markdown: a claim's label and what is right; a line of text as it is."""
    says = figure.says
    if says is None:
        return figure.label
    if says.value is not None:
        value = joined(as_given(says.value, language), unit_sign(says.unit))
    else:
        value = span(says.low or 0.0, says.high or 0.0, says.unit, language)
    return f"{figure.label}{colon(language)}**{value}**"


def predicted_text(text: str, unit: str) -> str:
    """A predicted number as it was typed, with the unit that was asked for where none was typed."""
    typed = text.strip()
    return typed if any(each.isalpha() or each == "%" for each in typed) else joined(typed, unit_sign(unit))


def band_of_score(score: float) -> str:
    """The band of a mean score, in words."""
    band = (
        "strong"
        if score >= STRONG_FROM
        else "solid"
        if score >= SOLID_FROM
        else "patchy"
        if score >= PATCHY_FROM
        else "weak"
    )
    return say(f"interview.room.band.{band}")


def time_line(interview: Interview, question: Question) -> str:
    """Time used by each part of a question against what was allowed."""
    times = question.clock
    setup = interview.setup
    parts = [
        ("interview.part.main", times.used_ms, setup.seconds),
        ("interview.part.predict", times.predict_used_ms, setup.predict_seconds),
        ("interview.part.follow_up", times.follow_used_ms, setup.follow_up_seconds),
    ]
    between = colon()
    said = [
        f"{say(name)}{between}{say('interview.used', used=clock(used / 1000 + 0.5), allowed=clock(allowed))}"
        for name, used, allowed in parts
        if used is not None
    ]
    if question.hints:
        said.append(say("interview.room.hints_used", n=question.hints))
    return " · ".join(said)


def ticks_line(question: Question) -> str:
    """Points covered, and figures right, wrong and missing, in short; "" for a question not asked."""
    marks = question.marks
    if question.clock.outcome not in ("answered", "skipped"):
        return ""
    said = [
        say(
            "interview.points_of",
            covered=marks.count("point", "covered"),
            partly=marks.count("point", "partly"),
            all=len(question.asked.points),
        )
    ]
    if question.asked.figures:
        said.append(
            say(
                "interview.figures_of",
                right=marks.count("figure", "right"),
                wrong=marks.count("figure", "wrong"),
                missing=marks.count("figure", "missing"),
            )
        )
    separator = "；" if context.language() == "zh" else "; "
    return separator.join(said)
