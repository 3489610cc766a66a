"""What is done to cards besides answering them, and answers given outside the schedule.

`card_changes`, `card_change_undos` and `practice_answers` are logs like `reviews`: rows are added and never
changed. `card_flags` is derived from them; `card_topics` and `card_families` are derived from the decks.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from engine.store.tables import metadata

card_changes = Table(
    "card_changes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, comment="one for all the cards that were changed together"),
    Column("card_id", String(128), nullable=False),
    Column("kind", String(16), nullable=False, comment="see engine.study.change_log"),
    Column("value", String(128), comment="the tag; of a leech the nonce of the answer that made it one"),
    Column("at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False, comment="the learner's day"),
    Column("zone", String(64), nullable=False, comment="IANA name"),
    UniqueConstraint("nonce", "card_id"),
    Index(None, "card_id"),
    Index(None, "at_ms"),
    sqlite_autoincrement=True,
)

card_change_undos = Table(
    "card_change_undos",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("change_nonce", String(64), nullable=False, unique=True, comment="all its cards are taken back"),
    Column("undone_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

card_flags = Table(
    "card_flags",
    metadata,
    Column("card_id", String(128), primary_key=True),
    Column("suspended", Boolean, nullable=False),
    Column("buried_until", String(10), comment="the study day on which it comes again"),
    Column("marked", Boolean, nullable=False),
    Column("tags", JSON, nullable=False),
)

card_topics = Table(
    "card_topics",
    metadata,
    Column("card_id", String(128), primary_key=True),
    Column("topic", String(128), primary_key=True),
    Index(None, "topic"),
)

card_families = Table(
    "card_families",
    metadata,
    Column("card_id", String(128), primary_key=True),
    Column("family", String(128), nullable=False, comment="id of the card that the others follow"),
    Column("place", Integer, nullable=False, comment="the lower one is asked first"),
    Index(None, "family"),
)

practice_answers = Table(
    "practice_answers",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("session", String(64), nullable=False, comment="a sitting, named by its address"),
    Column("card_id", String(128), nullable=False),
    Column("rating", Integer, nullable=False, comment="1 again to 4 easy; 0 takes an answer back"),
    Column("takes_back", String(64), unique=True, comment="nonce of the answer taken back"),
    Column("at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False, comment="the learner's day"),
    Column("zone", String(64), nullable=False, comment="IANA name"),
    Column("answer_ms", Integer, nullable=False),
    Index(None, "session", "id"),
    Index(None, "card_id"),
    sqlite_autoincrement=True,
)
