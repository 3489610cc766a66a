"""One question of an interview as the store keeps it, and the interview that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import RowMapping

from engine.interview.asked import Asked
from engine.interview.clock import Allowance, Clock, settled
from engine.interview.marks import Marks
from engine.interview.setup import Setup

Part = Literal["main", "follow_up", "predict"]
PARTS: tuple[Part, ...] = ("main", "follow_up", "predict")


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that is typed, and its number: of two texts the one with the higher number counts."""

    text: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question: what was asked, where its clock stands, what was said, how it was ticked.

    place: counted from 0. drafts: notes of the main answer and of the follow-up, and the predicted number.
    recordings: file names in the interview's folder. rating: what was given into spaced repetition.
    """

    interview_id: str
    place: int
    asked: Asked
    clock: Clock
    hints: int = 0
    drafts: Mapping[Part, Draft] = field(default_factory=dict)
    recordings: Mapping[Part, str] = field(default_factory=dict)
    transcripts: Mapping[Part, str] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)
    reviewed: bool = False
    rating: int | None = None

    def draft(self, part: Part) -> Draft:
        return self.drafts.get(part, Draft())

    def said(self, part: Part = "main") -> str:
        """Everything of an answer that is there as text: what was typed and what was transcribed."""
        return "\n".join(text for text in (self.draft(part).text, self.transcripts.get(part, "")) if text)


@dataclass(frozen=True, slots=True)
class Interview:
    """An interview with its questions, settled at the instant it was read."""

    id: str
    started_at_ms: int
    ended_at_ms: int | None
    closed: bool
    setup: Setup
    questions: tuple[Question, ...]

    @property
    def is_over(self) -> bool:
        """Every question is done: answered, skipped, or broken off."""
        return all(question.clock.phase == "done" for question in self.questions)

    @property
    def current(self) -> Question | None:
        """The question that is asked now or comes next; in practice not before the last one's review."""
        for question in self.questions:
            if question.clock.phase != "done":
                return question
            if self.setup.mode == "practice" and not question.reviewed:
                return None
        return None

    @property
    def to_review(self) -> Question | None:
        """The question whose review comes now; None while one is asked, or when all are reviewed."""
        if self.current is not None:
            return None
        asked = (each for each in self.questions if each.clock.outcome != "broken_off")
        return next((each for each in asked if not each.reviewed), None)


def allowance_of(setup: Setup, asked: Asked) -> Allowance:
    """How long each part of a question may take, by the set-up and what the card has."""
    return Allowance(
        answer_ms=setup.seconds * 1000,
        thinking_ms=setup.thinking * 1000,
        predict_ms=None if asked.live is None else setup.predict_seconds * 1000,
        follow_ms=None if asked.follow_up is None else setup.follow_up_seconds * 1000,
    )


TEXT_COLUMNS: dict[Part, tuple[str, str]] = {
    "main": ("notes", "notes_seq"),
    "follow_up": ("follow_notes", "follow_notes_seq"),
    "predict": ("predicted", "predicted_seq"),
}
RECORDING_COLUMNS: dict[Part, str] = {"main": "recording", "follow_up": "follow_recording"}
TRANSCRIPT_COLUMNS: dict[Part, str] = {"main": "transcript", "follow_up": "follow_transcript"}


def from_row(row: RowMapping | Mapping[str, Any], setup: Setup, now_ms: int) -> Question:
    """A row of `interview_answers`, its clock settled at an instant."""
    asked = Asked.from_json(row["asked"])
    kept = Clock(
        phase=row["phase"],
        started_ms=row["phase_started_ms"],
        deadline_ms=row["deadline_ms"],
        left_ms=row["left_ms"],
        used_ms=row["used_ms"],
        predict_used_ms=row["predict_used_ms"],
        follow_used_ms=row["follow_used_ms"],
        outcome=row["outcome"],
    )
    return Question(
        interview_id=row["interview_id"],
        place=row["place"],
        asked=asked,
        clock=settled(kept, allowance_of(setup, asked), now_ms),
        hints=row["hints"],
        drafts={part: Draft(row[text], row[seq]) for part, (text, seq) in TEXT_COLUMNS.items()},
        recordings={part: row[name] for part, name in RECORDING_COLUMNS.items() if row[name]},
        transcripts={part: row[name] for part, name in TRANSCRIPT_COLUMNS.items() if row[name]},
        marks=Marks.from_json(row["marks"]),
        reviewed=row["reviewed"],
        rating=row["rating"],
    )


def clock_columns(clock: Clock) -> dict[str, Any]:
    """The clock as columns of `interview_answers`."""
    return {
        "phase": clock.phase,
        "phase_started_ms": clock.started_ms,
        "deadline_ms": clock.deadline_ms,
        "left_ms": clock.left_ms,
        "used_ms": clock.used_ms,
        "predict_used_ms": clock.predict_used_ms,
        "follow_used_ms": clock.follow_used_ms,
        "outcome": clock.outcome,
    }
