"""The tables of the mock interview. Instants are integer UTC milliseconds (`*_ms`)."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text

from engine.store.tables import metadata

interviews = Table(
    "interviews",
    metadata,
    Column("id", String(64), primary_key=True, comment="given by the page that starts it: starts once"),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger, comment="the last answer was in, or it was closed"),
    Column("closed", Boolean, nullable=False, comment="broken off and closed with what was there"),
    Column("setup", JSON, nullable=False),
    Index(None, "started_at_ms"),
)

interview_answers = Table(
    "interview_answers",
    metadata,
    Column("interview_id", String(64), ForeignKey("interviews.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, comment="counted from 0"),
    Column("card_id", String(128), nullable=False),
    Column("asked", JSON, nullable=False, comment="the card as it was asked"),
    Column("phase", String(16), nullable=False),
    Column("phase_started_ms", BigInteger),
    Column("deadline_ms", BigInteger, comment="when the part that runs ends; null while it waits"),
    Column("left_ms", BigInteger, comment="what was left when it was paused"),
    Column("used_ms", Integer),
    Column("predict_used_ms", Integer),
    Column("follow_used_ms", Integer),
    Column("outcome", String(16)),
    Column("hints", Integer, nullable=False),
    Column("notes", Text, nullable=False),
    Column("notes_seq", BigInteger, nullable=False, comment="the newest text wins, whatever comes late"),
    Column("follow_notes", Text, nullable=False),
    Column("follow_notes_seq", BigInteger, nullable=False),
    Column("predicted", Text, nullable=False, comment="the number as it was typed"),
    Column("predicted_seq", BigInteger, nullable=False),
    Column("recording", String(64), comment="file name in the interview's folder"),
    Column("follow_recording", String(64)),
    Column("transcript", Text, nullable=False),
    Column("follow_transcript", Text, nullable=False),
    Column("marks", JSON, nullable=False, comment="points, figures and follow-up as ticked"),
    Column("reviewed", Boolean, nullable=False),
    Column("rating", Integer, comment="given into spaced repetition, 1 to 4"),
    Index(None, "card_id"),
)
