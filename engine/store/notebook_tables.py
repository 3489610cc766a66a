"""The table of the mistake notebook: a log like `reviews`, rows are added and never changed."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from engine.store.tables import metadata

mistakes = Table(
    "mistakes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("card_id", String(128), nullable=False),
    Column("kind", String(16), nullable=False, comment="note, again, reword, settle, reopen"),
    Column("about", String(64), nullable=False, comment="nonce of the note meant, or tip; empty for a note"),
    Column("text", Text, nullable=False, comment="one line: what was wrong"),
    Column("at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False, comment="the learner's day"),
    Index(None, "card_id", "at_ms"),
    sqlite_autoincrement=True,
)
