"""The tables of claims: predictions, what was seen when, notes of the record, results from elsewhere.

`predictions`, `sightings` and `record_notes` are logs like `reviews`: rows are added and never changed; of
notes on one item the newest counts.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Index, Integer, String, Table, Text, UniqueConstraint

from engine.store.tables import metadata

predictions = Table(
    "predictions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("made_at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False, comment="the learner's day"),
    Column("card_id", String(128), nullable=False),
    Column("claim_id", String(128), nullable=False),
    Column("text", Text, nullable=False, comment="as typed"),
    Column("value", Float, nullable=False, comment="in `unit`; the middle of a range"),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("unit", String(64), nullable=False, comment="the claim's unit"),
    Column("gpu", String(128), nullable=False, comment="key in the spec table, else the device's name"),
    Index(None, "card_id", "claim_id", "made_at_ms"),
    sqlite_autoincrement=True,
)

sightings = Table(
    "sightings",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("subject", String(300), nullable=False, comment="card:ID, claim:CARD/CLAIM or lab:NAME"),
    Column("study_day", String(10), nullable=False, comment="the learner's day: a sitting"),
    Column("seen_at_ms", BigInteger, nullable=False),
    UniqueConstraint("subject", "study_day"),
    sqlite_autoincrement=True,
)

record_notes = Table(
    "record_notes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("gpu", String(128), nullable=False, comment="key in the spec table, else the device's name"),
    Column("item", String(300), nullable=False),
    Column("text", Text, nullable=False),
    Column("written_at_ms", BigInteger, nullable=False),
    Index(None, "gpu", "item", "id"),
    sqlite_autoincrement=True,
)

imported_results = Table(
    "imported_results",
    metadata,
    Column("id", String(32), primary_key=True, comment="digest of the body: the same file is kept once"),
    Column("lab", String(64), nullable=False),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("imported_at_ms", BigInteger, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("body", Text, nullable=False, comment="the result file, schema 1"),
    Index(None, "lab", "started_at_ms"),
)
