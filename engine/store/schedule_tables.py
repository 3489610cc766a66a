"""The log of changes to the schedule: parameters of FSRS, retention of a deck, easy days."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Integer, String, Table

from engine.store.tables import metadata

schedule_changes = Table(
    "schedule_changes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("kind", String(16), nullable=False, comment="parameters, retention, easy_days"),
    Column("deck", String(128), nullable=False, comment="the deck it is for; empty: every deck"),
    Column("value", JSON, nullable=False, comment="what holds from then on; {} is the default"),
    Column("made_at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False),
    Column("zone", String(64), nullable=False, comment="IANA name"),
    sqlite_autoincrement=True,
)
