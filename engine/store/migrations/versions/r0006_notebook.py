"""The mistake notebook."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from engine.store.guards import guard_log

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mistakes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column(
            "kind", sa.String(length=16), nullable=False, comment="note, again, reword, settle, reopen"
        ),
        sa.Column(
            "about",
            sa.String(length=64),
            nullable=False,
            comment="nonce of the note meant, or tip; empty for a note",
        ),
        sa.Column("text", sa.Text(), nullable=False, comment="one line: what was wrong"),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("study_day", sa.String(length=10), nullable=False, comment="the learner's day"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mistakes")),
        sa.UniqueConstraint("nonce", name=op.f("uq_mistakes_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_mistakes_card_id_at_ms"), "mistakes", ["card_id", "at_ms"], unique=False)
    guard_log(op.get_bind(), ("mistakes",))
