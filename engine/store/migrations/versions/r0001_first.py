"""The first schema: the log, the states and cards derived from it, settings, runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from engine.store.guards import guard_log

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "card_states",
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, comment="raised by each review and each undo"),
        sa.Column("phase", sa.String(length=16), nullable=False, comment="new, learning, review, relearning"),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("stability", sa.Float(), nullable=True),
        sa.Column("difficulty", sa.Float(), nullable=True),
        sa.Column("due_ms", sa.BigInteger(), nullable=True),
        sa.Column(
            "due_day", sa.String(length=10), nullable=True, comment="set where the interval is in whole days"
        ),
        sa.Column("interval_minutes", sa.Integer(), nullable=True, comment="the interval given last"),
        sa.Column("last_review_ms", sa.BigInteger(), nullable=True),
        sa.Column("last_study_day", sa.String(length=10), nullable=True),
        sa.Column("reps", sa.Integer(), nullable=False),
        sa.Column("lapses", sa.Integer(), nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False, comment="order among cards of one due day"),
        sa.PrimaryKeyConstraint("card_id", name=op.f("pk_card_states")),
    )
    op.create_index(
        op.f("ix_card_states_phase_due_day_shuffle"),
        "card_states",
        ["phase", "due_day", "shuffle"],
        unique=False,
    )
    op.create_index(op.f("ix_card_states_phase_due_ms"), "card_states", ["phase", "due_ms"], unique=False)
    op.create_table(
        "cards",
        sa.Column("id", sa.String(length=128), nullable=False),
        sa.Column("deck", sa.String(length=128), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="order in which new cards come"),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False, comment="a deck holds it now"),
        sa.Column("started", sa.Boolean(), nullable=False, comment="it has a review that counts"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cards")),
    )
    op.create_index(
        op.f("ix_cards_present_started_position"), "cards", ["present", "started", "position"], unique=False
    )
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, comment="the card's version that was answered"),
        sa.Column(
            "kind",
            sa.String(length=16),
            nullable=False,
            comment="phase before: new, learning, review, relearning",
        ),
        sa.Column("rating", sa.Integer(), nullable=False, comment="1 again, 2 hard, 3 good, 4 easy"),
        sa.Column("reviewed_at_ms", sa.BigInteger(), nullable=False),
        sa.Column(
            "study_day", sa.String(length=10), nullable=False, comment="the learner's day of the answer"
        ),
        sa.Column("zone", sa.String(length=64), nullable=False, comment="IANA name"),
        sa.Column("answer_ms", sa.Integer(), nullable=False),
        sa.Column("shown_at_ms", sa.BigInteger(), nullable=False),
        sa.Column(
            "shown_day",
            sa.String(length=10),
            nullable=False,
            comment="the learner's day of the outcomes shown",
        ),
        sa.Column("scheduler", sa.String(length=32), nullable=False, comment="schedulers.fingerprint"),
        sa.Column("shown", sa.JSON(), nullable=False, comment="minutes of the four outcomes shown"),
        sa.Column("state_before", sa.JSON(), nullable=False),
        sa.Column("state_after", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
        sa.UniqueConstraint("card_id", "version", name=op.f("uq_reviews_card_id_version")),
        sa.UniqueConstraint("nonce", name=op.f("uq_reviews_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_reviews_study_day_kind"), "reviews", ["study_day", "kind"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("lab", sa.String(length=64), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("device", sa.String(length=64), nullable=False, comment="as asked for: auto, cpu, cuda …"),
        sa.Column(
            "device_key",
            sa.String(length=128),
            nullable=True,
            comment="the device it occupies: one run at a time for each",
        ),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column(
            "pid_started", sa.Float(), nullable=True, comment="start time of the process, seconds since 1970"
        ),
        sa.Column("owner_pid", sa.Integer(), nullable=True),
        sa.Column("owner_started", sa.Float(), nullable=True),
        sa.Column("queued_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("ended_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("time_limit_s", sa.Float(), nullable=True),
        sa.Column("failure_code", sa.String(length=32), nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_lab_queued_at_ms"), "runs", ["lab", "queued_at_ms"], unique=False)
    op.create_index(op.f("ix_runs_status_queued_at_ms"), "runs", ["status", "queued_at_ms"], unique=False)
    op.create_table(
        "schedulers",
        sa.Column("fingerprint", sa.String(length=32), nullable=False),
        sa.Column(
            "params",
            sa.JSON(),
            nullable=False,
            comment="what FSRS was set to while this fingerprint was in use",
        ),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_schedulers")),
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
    )
    op.create_table(
        "undos",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("undone_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["review_id"], ["reviews.id"], name=op.f("fk_undos_review_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_undos")),
        sa.UniqueConstraint("nonce", name=op.f("uq_undos_nonce")),
        sa.UniqueConstraint("review_id", name=op.f("uq_undos_review_id")),
        sqlite_autoincrement=True,
    )
    guard_log(op.get_bind(), ("reviews", "undos"))
