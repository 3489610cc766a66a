"""Interviews and their questions as rows of the database; each function works within a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, RowMapping, Update, select, update

from engine.interview.asked import Asked
from engine.interview.fault import InterviewError
from engine.interview.question import TEXT_COLUMNS, Interview, Question, clock_columns, from_row
from engine.interview.rubric import marked
from engine.interview.setup import Setup
from engine.store.interview_tables import interview_answers, interviews


def new_row(interview_id: str, place: int, asked: Asked) -> dict[str, Any]:
    empty: dict[str, Any] = {}
    for text, seq in TEXT_COLUMNS.values():
        empty |= {text: "", seq: 0}
    return empty | {
        "interview_id": interview_id,
        "place": place,
        "card_id": asked.card_id,
        "asked": asked.to_json(),
        "phase": "ready",
        "hints": 0,
        "transcript": "",
        "follow_transcript": "",
        "marks": {},
        "reviewed": False,
    }


def of_question(interview_id: str, place: int) -> Update:
    return update(interview_answers).where(
        interview_answers.c.interview_id == interview_id, interview_answers.c.place == place
    )


def row_of(connection: Connection, interview_id: str, place: int) -> RowMapping | None:
    return (
        connection.execute(
            select(interview_answers).where(
                interview_answers.c.interview_id == interview_id, interview_answers.c.place == place
            )
        )
        .mappings()
        .first()
    )


def read(connection: Connection, interview_id: str, now_ms: int) -> Interview | None:
    head = connection.execute(select(interviews).where(interviews.c.id == interview_id)).mappings().first()
    if head is None:
        return None
    rows = connection.execute(
        select(interview_answers)
        .where(interview_answers.c.interview_id == interview_id)
        .order_by(interview_answers.c.place)
    ).mappings()
    return as_interview(head, list(rows), now_ms)


def known(connection: Connection, interview_id: str, now_ms: int) -> Interview:
    interview = read(connection, interview_id, now_ms)
    if interview is None:
        raise InterviewError("This interview was deleted.")
    return interview


def as_interview(
    head: Mapping[str, Any] | RowMapping, rows: Sequence[Mapping[str, Any] | RowMapping], now_ms: int
) -> Interview:
    setup = Setup.from_json(head["setup"])
    return Interview(
        id=head["id"],
        started_at_ms=head["started_at_ms"],
        ended_at_ms=head["ended_at_ms"],
        closed=head["closed"],
        setup=setup,
        questions=tuple(_with_marks(from_row(row, setup, now_ms)) for row in rows),
    )


def _with_marks(question: Question) -> Question:
    """A question that is over has its marks, whether or not they were written yet."""
    if question.clock.phase != "done" or question.marks.points:
        return question
    return replace(question, marks=marked(question))


def question_at(interview: Interview, place: int) -> Question:
    if not 0 <= place < len(interview.questions):
        raise InterviewError(f"This interview has no question {place + 1}.")
    return interview.questions[place]


def settle(connection: Connection, interview_id: str, place: int, now_ms: int) -> Interview:
    """Writes what time has done to a question, and the end of the interview where that was the last one."""
    interview = known(connection, interview_id, now_ms)
    write(connection, question_at(interview, place))
    if interview.is_over and interview.ended_at_ms is None:
        end(connection, interview_id, now_ms, closed=False)
    return interview


def write(connection: Connection, question: Question) -> None:
    """Writes clock and marks; the marks of a question that is over are made of all its text."""
    marks = marked(question) if question.clock.phase == "done" else question.marks
    values = clock_columns(question.clock) | {"marks": marks.to_json()}
    connection.execute(of_question(question.interview_id, question.place).values(values))


def end(connection: Connection, interview_id: str, now_ms: int, *, closed: bool) -> None:
    connection.execute(
        update(interviews).where(interviews.c.id == interview_id).values(ended_at_ms=now_ms, closed=closed)
    )
