"""The report of an interview as Markdown, in the reader's language."""

from __future__ import annotations

from app_pages import context
from app_pages.interview_words import band_of_score, colon, figure_text, predicted_text, ticks_line, time_line
from app_pages.numbers import clock, percent
from app_pages.words import say
from engine.interview.question import Interview, Question
from engine.interview.report import Report
from engine.study.search import plain_markdown


def as_markdown(made: Report, when: str) -> str:
    """The whole report; texts of the cards and the learner stand in it as they are."""
    interview = made.interview
    lines = [
        f"# {say('interview.title')}{colon()}{say('interview.report')}",
        "",
        f"{when} · {say(f'interview.mode.{interview.setup.mode}')}",
        "",
    ]
    lines += _summary(made)
    lines += ["", f"## {say('interview.to_work_on')}", ""]
    lines += [
        f"{number}. **{_one_line(each.heading)}** ({_one_line(each.card_title)}, `{each.card_id}`"
        f"{''.join(f', `{lab}`' for lab in each.labs)})"
        for number, each in enumerate(made.to_work_on, 1)
    ] or [say("interview.nothing_to_work_on")]
    lines += ["", f"## {say('interview.strengths')}", ""]
    lines += [
        f"- {_one_line(each.topic)}{colon()}{percent(each.score, context.language())}"
        for each in made.strengths
    ] or [say("interview.no_strengths")]
    lines += _compared(made)
    lines += ["", f"## {say('interview.each_question')}", ""]
    for question in interview.questions:
        lines += _question(interview, question)
    return "\n".join(lines).rstrip() + "\n"


def _summary(made: Report) -> list[str]:
    score = (
        "–"
        if made.score is None
        else f"{band_of_score(made.score)} ({percent(made.score, context.language())})"
    )
    return [
        f"- {say('interview.fact.score')}{colon()}{score}",
        f"- {say('interview.fact.answered')}{colon()}{made.answered} / {len(made.interview.questions)}",
        f"- {say('interview.fact.time')}{colon()}{clock(made.used_ms / 1000 + 0.5)}",
        f"- {say('interview.fact.points')}{colon()}"
        + say("interview.points_of", covered=made.points_covered, partly=made.points_partly, all=made.points),
        f"- {say('interview.fact.figures')}{colon()}"
        + say(
            "interview.figures_of",
            right=made.figures_right,
            wrong=made.figures_wrong,
            missing=made.figures_missing,
        ),
    ]


def _compared(made: Report) -> list[str]:
    language = context.language()
    trends = [each for each in made.trends if each.before is not None]
    lines = []
    if trends:
        names = [say(f"interview.column.{name}") for name in ("topic", "before", "now")]
        lines += [
            "",
            f"## {say('interview.compared')}",
            "",
            f"| {' | '.join(names)} |",
            "| --- | --- | --- |",
        ]
        lines += [
            f"| {_one_line(each.topic)} | {percent(each.before or 0.0, language)} "
            f"| {percent(each.now, language)} |"
            for each in trends
        ]
    if made.repeated:
        lines += ["", f"## {say('interview.repeated')}", ""]
        lines += [
            f"- {_one_line(each.heading)} ({_one_line(each.card_title)}): "
            f"{say('interview.missed_in', n=each.times)}"
            for each in made.repeated
        ]
    return lines


def _question(interview: Interview, question: Question) -> list[str]:
    asked, marks = question.asked, question.marks
    outcome = question.clock.outcome or "broken_off"
    band = marks.band if outcome == "answered" else None
    word = say(f"interview.room.band.{band}") if band else say(f"interview.room.outcome.{outcome}")
    lines = [f"### {question.place + 1}. {_one_line(asked.title)}{colon()}{word}", ""]
    if outcome == "broken_off":
        return lines
    lines += [time_line(interview, question), "", ticks_line(question), ""]
    for point, mark in zip(asked.points, marks.points, strict=False):
        box = "x" if mark.tick == "covered" else " "
        lines.append(f"- [{box}] {_one_line(point.heading or point.text)} ({_tick(mark.tick)})")
    if asked.figures:
        lines += ["", f"**{say('interview.key_figures')}**", ""]
        for figure, mark in zip(asked.figures, marks.figures, strict=False):
            lines.append(f"- {_one_line(figure_text(figure, context.language()))} ({_tick(mark.tick)})")
    for title, text in _texts(question):
        lines += ["", f"**{title}**", "", *(f"> {line}" for line in text.splitlines())]
    return [*lines, ""]


def _texts(question: Question) -> list[tuple[str, str]]:
    follow, live = question.asked.follow_up, question.asked.live
    found = [
        (say("interview.room.your_notes"), question.draft("main").text),
        (say("interview.room.transcript"), question.transcripts.get("main", "")),
    ]
    if follow is not None:
        found.append(
            (
                f"{say('interview.part.follow_up')}{colon()}{_one_line(follow.prompt)}",
                question.said("follow_up"),
            )
        )
    if live is not None and question.draft("predict").text:
        said = f"{live.label}{colon()}{predicted_text(question.draft('predict').text, live.unit)}"
        found.append((say("interview.room.predicted_title"), said))
    return [(title, text) for title, text in found if text]


def _tick(tick: str | None) -> str:
    return say(f"interview.room.tick.{tick}") if tick else say("interview.not_ticked")


def _one_line(text: str) -> str:
    return plain_markdown(text)
