"""What is done to cards besides answering them; answers outside the schedule; topics and families."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from engine.store.guards import guard_log

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "card_changes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column(
            "nonce",
            sa.String(length=64),
            nullable=False,
            comment="one for all the cards that were changed together",
        ),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False, comment="see engine.study.change_log"),
        sa.Column(
            "value",
            sa.String(length=128),
            nullable=True,
            comment="the tag; of a leech the nonce of the answer that made it one",
        ),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("study_day", sa.String(length=10), nullable=False, comment="the learner's day"),
        sa.Column("zone", sa.String(length=64), nullable=False, comment="IANA name"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_card_changes")),
        sa.UniqueConstraint("nonce", "card_id", name=op.f("uq_card_changes_nonce_card_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_card_changes_card_id"), "card_changes", ["card_id"], unique=False)
    op.create_index(op.f("ix_card_changes_at_ms"), "card_changes", ["at_ms"], unique=False)
    op.create_table(
        "card_change_undos",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column(
            "change_nonce", sa.String(length=64), nullable=False, comment="all its cards are taken back"
        ),
        sa.Column("undone_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_card_change_undos")),
        sa.UniqueConstraint("change_nonce", name=op.f("uq_card_change_undos_change_nonce")),
        sa.UniqueConstraint("nonce", name=op.f("uq_card_change_undos_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "card_flags",
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("suspended", sa.Boolean(), nullable=False),
        sa.Column(
            "buried_until",
            sa.String(length=10),
            nullable=True,
            comment="the study day on which it comes again",
        ),
        sa.Column("marked", sa.Boolean(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("card_id", name=op.f("pk_card_flags")),
    )
    op.create_table(
        "card_topics",
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column("topic", sa.String(length=128), nullable=False),
        sa.PrimaryKeyConstraint("card_id", "topic", name=op.f("pk_card_topics")),
    )
    op.create_index(op.f("ix_card_topics_topic"), "card_topics", ["topic"], unique=False)
    op.create_table(
        "card_families",
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column(
            "family",
            sa.String(length=128),
            nullable=False,
            comment="id of the card that the others follow",
        ),
        sa.Column("place", sa.Integer(), nullable=False, comment="the lower one is asked first"),
        sa.PrimaryKeyConstraint("card_id", name=op.f("pk_card_families")),
    )
    op.create_index(op.f("ix_card_families_family"), "card_families", ["family"], unique=False)
    op.create_table(
        "practice_answers",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("nonce", sa.String(length=64), nullable=False),
        sa.Column("session", sa.String(length=64), nullable=False, comment="a sitting, named by its address"),
        sa.Column("card_id", sa.String(length=128), nullable=False),
        sa.Column(
            "rating", sa.Integer(), nullable=False, comment="1 again to 4 easy; 0 takes an answer back"
        ),
        sa.Column(
            "takes_back", sa.String(length=64), nullable=True, comment="nonce of the answer taken back"
        ),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("study_day", sa.String(length=10), nullable=False, comment="the learner's day"),
        sa.Column("zone", sa.String(length=64), nullable=False, comment="IANA name"),
        sa.Column("answer_ms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice_answers")),
        sa.UniqueConstraint("nonce", name=op.f("uq_practice_answers_nonce")),
        sa.UniqueConstraint("takes_back", name=op.f("uq_practice_answers_takes_back")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_practice_answers_session_id"), "practice_answers", ["session", "id"], unique=False
    )
    op.create_index(op.f("ix_practice_answers_card_id"), "practice_answers", ["card_id"], unique=False)
    guard_log(op.get_bind(), ("card_changes", "card_change_undos", "practice_answers"))
