"""Changes to the schedule, as a log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from engine.store.guards import guard_log

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schedule_changes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False, comment="parameters, retention, easy_days"),
        sa.Column(
            "deck",
            sa.String(length=128),
            nullable=False,
            comment="the deck it is for; empty: every deck",
        ),
        sa.Column("value", sa.JSON(), nullable=False, comment="what holds from then on; {} is the default"),
        sa.Column("made_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("study_day", sa.String(length=10), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False, comment="IANA name"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_changes")),
        sa.UniqueConstraint("nonce", name=op.f("uq_schedule_changes_nonce")),
        sqlite_autoincrement=True,
    )
    guard_log(op.get_bind(), ("schedule_changes",))
