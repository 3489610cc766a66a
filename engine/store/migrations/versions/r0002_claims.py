"""Predictions, sightings, notes of the record, imported results; the command a run was sent through."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from engine.store.guards import guard_log

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imported_results",
        sa.Column(
            "id",
            sa.String(length=32),
            nullable=False,
            comment="digest of the body: the same file is kept once",
        ),
        sa.Column("lab", sa.String(length=64), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("imported_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False, comment="the result file, schema 1"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imported_results")),
    )
    op.create_index(
        op.f("ix_imported_results_lab_started_at_ms"), "imported_results", ["lab", "started_at_ms"]
    )
    op.create_table(
        "predictions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("made_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("study_day", sa.String(length=10), nullable=False, comment="the learner's day"),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("claim_id", sa.String(length=128), nullable=False),
        sa.Column("text", sa.Text(), nullable=False, comment="as typed"),
        sa.Column("value", sa.Float(), nullable=False, comment="in `unit`; the middle of a range"),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("unit", sa.String(length=64), nullable=False, comment="the claim's unit"),
        sa.Column(
            "gpu",
            sa.String(length=128),
            nullable=False,
            comment="key in the spec table, else the device's name",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_predictions")),
        sa.UniqueConstraint("nonce", name=op.f("uq_predictions_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_predictions_card_id_claim_id_made_at_ms"),
        "predictions",
        ["card_id", "claim_id", "made_at_ms"],
    )
    op.create_table(
        "record_notes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "gpu",
            sa.String(length=128),
            nullable=False,
            comment="key in the spec table, else the device's name",
        ),
        sa.Column("item", sa.String(length=300), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_notes")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_record_notes_gpu_item_id"), "record_notes", ["gpu", "item", "id"])
    op.create_table(
        "sightings",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "subject",
            sa.String(length=300),
            nullable=False,
            comment="card:ID, claim:CARD/CLAIM or lab:NAME",
        ),
        sa.Column("study_day", sa.String(length=10), nullable=False, comment="the learner's day: a sitting"),
        sa.Column("seen_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sightings")),
        sa.UniqueConstraint("subject", "study_day", name=op.f("uq_sightings_subject_study_day")),
        sqlite_autoincrement=True,
    )
    op.add_column(
        "runs", sa.Column("sent_through", sa.Text(), comment="the command that starts it elsewhere")
    )
    guard_log(op.get_bind(), ("predictions", "sightings", "record_notes"))
