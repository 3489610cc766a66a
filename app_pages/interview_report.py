"""The report of an interview: over all, what to work on, against earlier ones, and each question."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote

import streamlit as st

from app_pages import context
from app_pages.interview_markdown import as_markdown
from app_pages.interview_words import (
    band_of_score,
    colon,
    column_heads,
    figure_text,
    predicted_text,
    ticks_line,
    time_line,
)
from app_pages.lab_words import of
from app_pages.markup import block, inline
from app_pages.notebook_view import missed_points
from app_pages.numbers import clock, moment, percent
from app_pages.print_button import print_button
from app_pages.sheet import sheet
from app_pages.words import say
from engine.interview.marks import Mark
from engine.interview.question import Interview, Question
from engine.interview.report import Report, TopicTrend, Weakness, report
from engine.measure.fault import MeasureError
from engine.study.search import plain_markdown
from engine.study.study_day import to_ms

MOST_LINES = 8
"""Topics compared, the weakest first, and points missed again and again; the export has all of them."""

NOTABLE = 0.05
"""A topic's score counts as changed from this difference on."""


def report_page(interview: Interview) -> None:
    made = report(interview, earlier_than(interview))
    began = datetime.fromtimestamp(interview.started_at_ms / 1000, UTC)
    when = moment(began, context.zone(), context.language())
    st.title(say("interview.report"), anchor=False)
    st.caption(f"{when} · {say(f'interview.mode.{interview.setup.mode}')}")
    if interview.closed:
        st.info(say("interview.report_closed"), icon=":material/info:")
    sheet(_summary(made), key="interview.report.summary")
    sheet(_work(made), key="interview.report.work")
    sheet(_compared(made), key="interview.report.compared")
    sheet(_questions(interview), key="interview.report.questions")
    missed_points([(each.card_id, each.card_title, each.heading) for each in made.to_work_on])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("interview.another"),
            icon=":material/replay:",
            type="primary",
            on_click=_another,
            key="interview.another",
        )
        st.download_button(
            say("interview.export"),
            as_markdown(made, when),
            file_name=f"benchcards-interview-{began:%Y-%m-%d}-{interview.id[:6]}.md",
            mime="text/markdown",
            icon=":material/download:",
            on_click="ignore",
            key="interview.export",
        )
        print_button(say("interview.print"), key="interview.print")
        st.page_link(
            "app_pages/interview_history.py", label=say("interview.history"), icon=":material/history:"
        )


def earlier_than(interview: Interview) -> list[Interview]:
    """The interviews that began before."""
    every = context.interviews().all(to_ms(context.now()))
    return [each for each in every if (each.started_at_ms, each.id) < (interview.started_at_ms, interview.id)]


def lab_titles() -> dict[str, str]:
    """The labs by name, in words; none where they can't be asked."""
    try:
        return {name: of(info, name).title for name, info in context.labs().items()}
    except MeasureError:
        return {}


def _another() -> None:
    for name in ("session", "review"):
        st.query_params.pop(name, None)


def _summary(made: Report) -> str:
    language = context.language()
    score = "–" if made.score is None else f"{band_of_score(made.score)} ({percent(made.score, language)})"
    facts = [
        ("score", score),
        ("answered", f"{made.answered} / {len(made.interview.questions)}"),
        *([("skipped", str(made.skipped))] if made.skipped else []),
        ("time", clock(made.used_ms / 1000 + 0.5)),
        (
            "points",
            say(
                "interview.points_of", covered=made.points_covered, partly=made.points_partly, all=made.points
            ),
        ),
    ]
    if made.figures_right + made.figures_wrong + made.figures_missing:
        facts.append(
            (
                "figures",
                say(
                    "interview.figures_of",
                    right=made.figures_right,
                    wrong=made.figures_wrong,
                    missing=made.figures_missing,
                ),
            )
        )
    rows = "".join(
        f"<dt>{escape(say(f'interview.fact.{name}'))}</dt><dd>{escape(value)}</dd>" for name, value in facts
    )
    return f"<dl>{rows}</dl>"


def _work(made: Report) -> str:
    parts = [f"<h3>{escape(say('interview.to_work_on'))}</h3>"]
    if made.to_work_on:
        titles = lab_titles()
        parts.append("<ol>" + "".join(_weakness(each, titles) for each in made.to_work_on) + "</ol>")
    else:
        parts.append(f"<p>{escape(say('interview.nothing_to_work_on'))}</p>")
    parts.append(f"<h3>{escape(say('interview.strengths'))}</h3>")
    if made.strengths:
        items = "".join(
            f"<li><b>{escape(each.topic)}</b> · {percent(each.score, context.language())}"
            f" <small>{escape(say('interview.in_questions', n=each.questions))}</small></li>"
            for each in made.strengths
        )
        parts.append(f"<ul>{items}</ul>")
    else:
        parts.append(f"<p>{escape(say('interview.no_strengths'))}</p>")
    return "".join(parts)


def _weakness(weakness: Weakness, titles: dict[str, str]) -> str:
    again = ""
    if weakness.missed_in > 1:
        again = f" <small>{escape(say('interview.missed_in', n=weakness.missed_in))}</small>"
    return (
        f"<li><b>{escape(weakness.heading)}</b>{again}<br><small>{escape(weakness.card_title)}</small><br>"
        f"{_links(weakness.card_id, weakness.labs, titles)}</li>"
    )


def _links(card_id: str, labs: Iterable[str], titles: dict[str, str]) -> str:
    """To the card, and to each lab that shows its point."""
    found = [_link(f"cards?card={quote(card_id)}", say("interview.to_card"))]
    found += [
        _link(f"labs?lab={quote(lab)}", say("interview.to_lab", lab=titles.get(lab, lab))) for lab in labs
    ]
    return " · ".join(found)


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _compared(made: Report) -> str:
    if not any(each.before is not None for each in made.trends) and not made.repeated:
        return f"<h3>{escape(say('interview.compared'))}</h3><p>{escape(say('interview.compared_none'))}</p>"
    head = column_heads(("topic", "before", "now", "change"))
    rows = "".join(_trend(each) for each in made.trends[:MOST_LINES] if each.before is not None)
    parts = [f"<h3>{escape(say('interview.compared'))}</h3>"]
    if rows:
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    if made.repeated:
        items = "".join(
            f"<li><b>{escape(each.heading)}</b> <small>{escape(say('interview.missed_in', n=each.times))}"
            f"</small> · {_link(f'cards?card={quote(each.card_id)}', each.card_title)}</li>"
            for each in made.repeated[:MOST_LINES]
        )
        parts.append(f"<h3>{escape(say('interview.repeated'))}</h3><ul>{items}</ul>")
    return "".join(parts)


def _trend(trend: TopicTrend) -> str:
    language = context.language()
    before = trend.before or 0.0
    change = trend.now - before
    word = "up" if change >= NOTABLE else "down" if change <= -NOTABLE else "same"
    sign = {"up": "↗", "down": "↘", "same": "→"}[word]
    return (
        f'<tr><th scope="row">{escape(trend.topic)}</th>'
        f'<td class="number">{percent(before, language)} <small>({trend.asked_before})</small></td>'
        f'<td class="number">{percent(trend.now, language)}</td>'
        f'<td class="number"><span aria-hidden="true">{sign}</span> '
        f"{escape(say(f'interview.change.{word}'))}</td></tr>"
    )


def _questions(interview: Interview) -> str:
    parts = [f"<h3>{escape(say('interview.each_question'))}</h3>"]
    parts += [_question(interview, question) for question in interview.questions]
    return "".join(parts)


def _question(interview: Interview, question: Question) -> str:
    asked, marks = question.asked, question.marks
    outcome = question.clock.outcome or "broken_off"
    band = marks.band if outcome == "answered" else None
    word = say(f"interview.room.band.{band}") if band else say(f"interview.room.outcome.{outcome}")
    title = f"{question.place + 1}. {inline(asked.title)}"
    body: list[str] = []
    if outcome != "broken_off":
        body.append(f"<p>{escape(time_line(interview, question))}</p>")
        headings = [inline(point.heading or plain_markdown(point.text)) for point in asked.points]
        body.append(_ticked("interview.room.points_title", headings, marks.points, asked.language))
        if asked.figures:
            figures = [inline(figure_text(figure, context.language())) for figure in asked.figures]
            body.append(_ticked("interview.key_figures", figures, marks.figures, asked.language))
        body += _said(question)
    if question.reviewed:
        address = f"interview?session={quote(interview.id)}&review={question.place + 1}"
        body.append(f"<p>{_link(address, say('interview.review_again'))}</p>")
    line = ticks_line(question)
    return (
        f"<details><summary><span><span lang='{asked.language}'>{title}</span> · <b>{escape(word)}</b>"
        f"{f' <small>{escape(line)}</small>' if line else ''}</span></summary>{''.join(body)}</details>"
    )


def _ticked(title: str, texts: Iterable[str], marks: Iterable[Mark], language: str) -> str:
    """Points or figures (as HTML) with the tick of each."""
    items = "".join(
        f'<li lang="{language}">{text} <small>{escape(_tick(mark.tick))}</small></li>'
        for text, mark in zip(texts, marks, strict=False)
    )
    return f"<h4>{escape(say(title))}</h4><ul>{items}</ul>"


def _said(question: Question) -> list[str]:
    """Own notes and transcripts, the follow-up, the prediction, and whether there is a recording."""
    asked = question.asked
    parts = []
    texts = (
        ("interview.room.your_notes", question.draft("main").text),
        ("interview.room.transcript", question.transcripts.get("main", "")),
    )
    parts += [_text(say(name), text) for name, text in texts if text]
    if asked.follow_up is not None:
        tick = _tick(question.marks.follow_up.tick)
        parts.append(
            f"<h4>{escape(say('interview.part.follow_up'))} <small>{escape(tick)}</small></h4>"
            f'<div lang="{asked.language}">{block(asked.follow_up.prompt)}</div>'
        )
        parts += [_text("", text) for text in (question.said("follow_up"),) if text]
    predicted = question.draft("predict").text
    if asked.live is not None and predicted:
        said = f"{asked.live.label}{colon()}{predicted_text(predicted, asked.live.unit)}"
        parts.append(_text(say("interview.room.predicted_title"), said))
    if question.recordings:
        parts.append(f"<p><small>{escape(say('interview.has_recording'))}</small></p>")
    return parts


def _text(title: str, text: str) -> str:
    head = f"<h4>{escape(title)}</h4>" if title else ""
    return f"{head}<blockquote class='said'>{escape(text)}</blockquote>"


def _tick(tick: str | None) -> str:
    return say(f"interview.room.tick.{tick}") if tick else say("interview.not_ticked")
