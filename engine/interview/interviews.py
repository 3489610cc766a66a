"""The mock interviews of a data folder: begun, answered, reviewed, deleted; each step on disk at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection, RowMapping, delete, insert, select

from engine.interview import rows
from engine.interview.asked import as_asked
from engine.interview.clock import Deed, Phase, broken_off, done
from engine.interview.draw import Standing, draw
from engine.interview.fault import InterviewError
from engine.interview.marks import Kind
from engine.interview.question import (
    RECORDING_COLUMNS,
    TEXT_COLUMNS,
    TRANSCRIPT_COLUMNS,
    Draft,
    Interview,
    Part,
    allowance_of,
    from_row,
)
from engine.interview.recordings import Recordings
from engine.interview.rubric import marked
from engine.interview.setup import Setup
from engine.store import Store
from engine.store.interview_tables import interview_answers, interviews
from engine.study.card import Library

LONGEST_TEXT = 200_000
"""Characters of one text that are kept: the page takes no more. An answer of ten minutes has a hundredth."""

GONE = -1
"""Instead of a text's number: its interview was deleted, there is nothing to keep it for."""


@dataclass(frozen=True, slots=True)
class Step:
    """A deed at a question: `phase` is the part the learner saw, `at_ms` the instant by the page's clock."""

    interview_id: str
    place: int
    deed: Deed
    phase: Phase
    at_ms: int


class Interviews:
    """The interviews of one store and data folder. Holds no state: threads, tabs and processes may share it.

    Instants `now_ms` are the server's clock in UTC milliseconds.
    """

    def __init__(self, store: Store, data: Path) -> None:
        self._store = store
        self.recordings = Recordings(data)

    # --- an interview ------------------------------------------------------------------------------

    def start(
        self, interview_id: str, setup: Setup, library: Library, standing: Standing, *, now_ms: int
    ) -> Interview:
        """Draws the questions and keeps the interview. An id that was started already starts nothing more.

        Raises InterviewError where no card fits the set-up.
        """
        titles = {deck.id: deck.title for deck in library.decks}
        drawn = draw(library, setup, standing, seed=interview_id)
        if not drawn:
            raise InterviewError("No card fits this set-up: choose more decks, languages or topics.")
        asked = [
            as_asked(card, titles.get(card.deck, card.deck), follow_up=setup.follow_ups, live=setup.live)
            for card in drawn
        ]
        with self._store.begin() as connection:
            known = connection.execute(select(interviews.c.id).where(interviews.c.id == interview_id)).first()
            if known is None:
                head = {
                    "id": interview_id,
                    "started_at_ms": now_ms,
                    "ended_at_ms": None,
                    "closed": False,
                    "setup": setup.to_json(),
                }
                connection.execute(insert(interviews), head)
                each_row = [rows.new_row(interview_id, place, each) for place, each in enumerate(asked)]
                connection.execute(insert(interview_answers), each_row)
            return rows.known(connection, interview_id, now_ms)

    def get(self, interview_id: str, now_ms: int) -> Interview | None:
        """The interview as it stands at an instant; None where there is none. Writes nothing."""
        with self._store.read() as connection:
            return rows.read(connection, interview_id, now_ms)

    def all(self, now_ms: int) -> tuple[Interview, ...]:
        """Every interview, the newest first."""
        with self._store.read() as connection:
            heads = connection.execute(
                select(interviews).order_by(interviews.c.started_at_ms.desc(), interviews.c.id)
            ).mappings()
            found: dict[str, list[RowMapping]] = {}
            for row in connection.execute(
                select(interview_answers).order_by(interview_answers.c.place)
            ).mappings():
                found.setdefault(row["interview_id"], []).append(row)
            return tuple(rows.as_interview(head, found.get(head["id"], []), now_ms) for head in heads)

    def close(self, interview_id: str, now_ms: int) -> None:
        """Closes an interview that was broken off: what was answered stays, the rest counts as not asked."""
        with self._store.begin() as connection:
            interview = rows.read(connection, interview_id, now_ms)
            if interview is None or interview.is_over:
                return
            for question in interview.questions:
                clock = broken_off(question.clock, allowance_of(interview.setup, question.asked), now_ms)
                rows.write(connection, replace(question, clock=clock))
            rows.end(connection, interview_id, now_ms, closed=True)

    def delete(self, interview_id: str) -> None:
        """Deletes an interview with its recordings. Raises InterviewError where a file can't be removed."""
        self.recordings.delete_all(interview_id)
        with self._store.begin() as connection:
            connection.execute(
                delete(interview_answers).where(interview_answers.c.interview_id == interview_id)
            )
            connection.execute(delete(interviews).where(interviews.c.id == interview_id))

    # --- a question --------------------------------------------------------------------------------

    def step(self, step: Step, now_ms: int) -> Interview | None:
        """Carries a deed out at the instant it was done; None where the interview is gone.

        A deed for another part than the question is in by then (a second click, another tab, a deadline that
        came first) changes nothing. So a deed may be sent again and again.
        """
        # a part begins when the server hears of it: what a dead server kept waiting takes no time away
        at_ms = now_ms if step.deed in ("begin", "resume") else min(step.at_ms, now_ms)
        with self._store.begin() as connection:
            interview = rows.read(connection, step.interview_id, at_ms)
            if interview is None:
                return None
            question = rows.question_at(interview, step.place)
            allowed = step.deed not in ("pause", "resume") or interview.setup.mode == "practice"
            if allowed and interview.current is question and question.clock.phase == step.phase:
                allowance = allowance_of(interview.setup, question.asked)
                begun_ms = max(at_ms, question.clock.started_ms or at_ms)
                clock = done(question.clock, allowance, step.deed, begun_ms)
                rows.write(connection, replace(question, clock=clock))
            return rows.settle(connection, step.interview_id, step.place, now_ms)

    def settle(self, interview_id: str, place: int, now_ms: int) -> None:
        """Writes what time has done to a question: called when its time is up."""
        with self._store.begin() as connection:
            if rows.row_of(connection, interview_id, place) is not None:
                rows.settle(connection, interview_id, place, now_ms)

    def keep_text(self, interview_id: str, place: int, part: Part, draft: Draft) -> int:
        """Keeps what was typed; returns the number of the text that is kept, or GONE.

        The text with the highest number counts, in whatever order and however often they come; also after
        time is up, because a page that was cut off sends what was typed in time when it is back.
        """
        text_column, seq_column = TEXT_COLUMNS[part]
        with self._store.begin() as connection:
            row = rows.row_of(connection, interview_id, place)
            if row is None:
                return GONE
            if row[seq_column] >= draft.seq:
                return int(row[seq_column])
            values = {text_column: draft.text[:LONGEST_TEXT], seq_column: draft.seq}
            connection.execute(rows.of_question(interview_id, place).values(values))
            self._mark_again(connection, interview_id, place)
            return draft.seq

    def hint(self, interview_id: str, place: int, hints: int, now_ms: int) -> None:
        """Keeps how many hints were shown; never fewer than before."""
        with self._store.begin() as connection:
            interview = rows.read(connection, interview_id, now_ms)
            if interview is None or interview.setup.mode != "practice":
                return
            question = rows.question_at(interview, place)
            most = min(hints, len(question.asked.points))
            if most > question.hints:
                connection.execute(rows.of_question(interview_id, place).values(hints=most))

    def keep_recording(self, interview_id: str, place: int, part: Part, content: bytes) -> None:
        """Keeps a recording of an answer or follow-up. Raises RecordingError, StoreError.

        Where the interview was deleted meanwhile, in another tab, say, nothing of it stays on disk.
        """
        column = RECORDING_COLUMNS[part]
        name = f"{place + 1}-{'answer' if part == 'main' else 'follow-up'}.wav"
        self.recordings.keep(interview_id, name, content)
        with self._store.begin() as connection:
            there = rows.row_of(connection, interview_id, place) is not None
            connection.execute(rows.of_question(interview_id, place).values({column: name}))
        if not there:
            self.recordings.delete_all(interview_id)

    def delete_recording(self, interview_id: str, place: int, part: Part) -> None:
        """Removes one recording for good; its transcript stays. Raises InterviewError."""
        column = RECORDING_COLUMNS[part]
        with self._store.read() as connection:
            row = rows.row_of(connection, interview_id, place)
        if row is None or not row[column]:
            return
        self.recordings.delete(interview_id, row[column])
        with self._store.begin() as connection:
            connection.execute(rows.of_question(interview_id, place).values({column: None}))

    def keep_transcript(self, interview_id: str, place: int, part: Part, text: str) -> None:
        """Keeps what speech to text heard, and suggests the ticks anew."""
        with self._store.begin() as connection:
            if rows.row_of(connection, interview_id, place) is None:
                return
            values = {TRANSCRIPT_COLUMNS[part]: text[:LONGEST_TEXT]}
            connection.execute(rows.of_question(interview_id, place).values(values))
            self._mark_again(connection, interview_id, place)

    # --- the review --------------------------------------------------------------------------------

    def tick(self, interview_id: str, place: int, kind: Kind, index: int, tick: str, now_ms: int) -> None:
        """Keeps a tick of the learner's. Raises InterviewError for one that there isn't."""
        with self._store.begin() as connection:
            interview = rows.read(connection, interview_id, now_ms)
            if interview is None:
                return
            question = rows.question_at(interview, place)
            if question.clock.phase != "done":
                return
            try:
                changed = marked(question).ticked(kind, index, tick)
            except ValueError as error:
                raise InterviewError(f"This tick can't be kept: {error}.") from error
            rows.write(connection, replace(question, marks=changed))

    def reviewed(self, interview_id: str, place: int, now_ms: int) -> None:
        """The review of a question is finished; its ticks stay correctable."""
        with self._store.begin() as connection:
            interview = rows.read(connection, interview_id, now_ms)
            if interview is not None and rows.question_at(interview, place).clock.phase == "done":
                connection.execute(rows.of_question(interview_id, place).values(reviewed=True))
                rows.settle(connection, interview_id, place, now_ms)

    def rated(self, interview_id: str, place: int, rating: int) -> None:
        """Keeps which rating went into spaced repetition."""
        with self._store.begin() as connection:
            connection.execute(rows.of_question(interview_id, place).values(rating=rating))

    def _mark_again(self, connection: Connection, interview_id: str, place: int) -> None:
        """Text that came late (a cut-off page, a transcript) changes what is suggested."""
        head = connection.execute(
            select(interviews.c.setup).where(interviews.c.id == interview_id)
        ).scalar_one()
        row = rows.row_of(connection, interview_id, place)
        if row is not None and row["phase"] == "done":
            question = from_row(row, Setup.from_json(head), 0)
            rows.write(connection, question)
