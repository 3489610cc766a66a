"""Mock interviews and their answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "interviews",
        sa.Column(
            "id",
            sa.String(length=64),
            nullable=False,
            comment="given by the page that starts it: starts once",
        ),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column(
            "ended_at_ms", sa.BigInteger(), nullable=True, comment="the last answer was in, or it was closed"
        ),
        sa.Column(
            "closed", sa.Boolean(), nullable=False, comment="broken off and closed with what was there"
        ),
        sa.Column("setup", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_interviews")),
    )
    op.create_index(op.f("ix_interviews_started_at_ms"), "interviews", ["started_at_ms"], unique=False)
    op.create_table(
        "interview_answers",
        sa.Column("interview_id", sa.String(length=64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="counted from 0"),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False, comment="the card as it was asked"),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("phase_started_ms", sa.BigInteger(), nullable=True),
        sa.Column(
            "deadline_ms",
            sa.BigInteger(),
            nullable=True,
            comment="when the part that runs ends; null while it waits",
        ),
        sa.Column("left_ms", sa.BigInteger(), nullable=True, comment="what was left when it was paused"),
        sa.Column("used_ms", sa.Integer(), nullable=True),
        sa.Column("predict_used_ms", sa.Integer(), nullable=True),
        sa.Column("follow_used_ms", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column(
            "notes_seq",
            sa.BigInteger(),
            nullable=False,
            comment="the newest text wins, whatever comes late",
        ),
        sa.Column("follow_notes", sa.Text(), nullable=False),
        sa.Column("follow_notes_seq", sa.BigInteger(), nullable=False),
        sa.Column("predicted", sa.Text(), nullable=False, comment="the number as it was typed"),
        sa.Column("predicted_seq", sa.BigInteger(), nullable=False),
        sa.Column(
            "recording", sa.String(length=64), nullable=True, comment="file name in the interview's folder"
        ),
        sa.Column("follow_recording", sa.String(length=64), nullable=True),
        sa.Column("transcript", sa.Text(), nullable=False),
        sa.Column("follow_transcript", sa.Text(), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False, comment="points, figures and follow-up as ticked"),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=True, comment="given into spaced repetition, 1 to 4"),
        sa.ForeignKeyConstraint(
            ["interview_id"],
            ["interviews.id"],
            name=op.f("fk_interview_answers_interview_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("interview_id", "place", name=op.f("pk_interview_answers")),
    )
    op.create_index(op.f("ix_interview_answers_card_id"), "interview_answers", ["card_id"], unique=False)
