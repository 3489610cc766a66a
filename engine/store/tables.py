"""The tables. Instants are integer UTC milliseconds (`*_ms`), study days are ISO dates as text.

`reviews` and `undos` are the log: rows are added and never changed. `card_states` and `cards` are derived
(from the log and from the decks) and can be thrown away and made again.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("card_id", String(128), nullable=False),
    Column("version", Integer, nullable=False, comment="the card's version that was answered"),
    Column("kind", String(16), nullable=False, comment="phase before: new, learning, review, relearning"),
    Column("rating", Integer, nullable=False, comment="1 again, 2 hard, 3 good, 4 easy"),
    Column("reviewed_at_ms", BigInteger, nullable=False),
    Column("study_day", String(10), nullable=False, comment="the learner's day of the answer"),
    Column("zone", String(64), nullable=False, comment="IANA name"),
    Column("answer_ms", Integer, nullable=False),
    Column("shown_at_ms", BigInteger, nullable=False),
    Column("shown_day", String(10), nullable=False, comment="the learner's day of the outcomes shown"),
    Column("scheduler", String(32), nullable=False, comment="schedulers.fingerprint"),
    Column("shown", JSON, nullable=False, comment="minutes of the four outcomes shown"),
    Column("state_before", JSON, nullable=False),
    Column("state_after", JSON, nullable=False),
    UniqueConstraint("card_id", "version"),
    Index(None, "study_day", "kind"),
    sqlite_autoincrement=True,
)

undos = Table(
    "undos",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("nonce", String(64), nullable=False, unique=True),
    Column("review_id", Integer, ForeignKey("reviews.id"), nullable=False, unique=True),
    Column("undone_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

card_states = Table(
    "card_states",
    metadata,
    Column("card_id", String(128), primary_key=True),
    Column("version", Integer, nullable=False, comment="raised by each review and each undo"),
    Column("phase", String(16), nullable=False, comment="new, learning, review, relearning"),
    Column("step", Integer),
    Column("stability", Float),
    Column("difficulty", Float),
    Column("due_ms", BigInteger),
    Column("due_day", String(10), comment="set where the interval is in whole days"),
    Column("interval_minutes", Integer, comment="the interval given last"),
    Column("last_review_ms", BigInteger),
    Column("last_study_day", String(10)),
    Column("reps", Integer, nullable=False),
    Column("lapses", Integer, nullable=False),
    Column("shuffle", Integer, nullable=False, comment="order among cards of one due day"),
    Index(None, "phase", "due_day", "shuffle"),
    Index(None, "phase", "due_ms"),
)

cards = Table(
    "cards",
    metadata,
    Column("id", String(128), primary_key=True),
    Column("deck", String(128), nullable=False),
    Column("position", Integer, nullable=False, comment="order in which new cards come"),
    Column("language", String(8), nullable=False),
    Column("present", Boolean, nullable=False, comment="a deck holds it now"),
    Column("started", Boolean, nullable=False, comment="it has a review that counts"),
    Index(None, "present", "started", "position"),
)

settings = Table(
    "settings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)

schedulers = Table(
    "schedulers",
    metadata,
    Column("fingerprint", String(32), primary_key=True),
    Column("params", JSON, nullable=False, comment="what FSRS was set to while this fingerprint was in use"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("lab", String(64), nullable=False),
    Column("params", JSON, nullable=False),
    Column("device", String(64), nullable=False, comment="as asked for: auto, cpu, cuda …"),
    Column("device_key", String(128), comment="the device it occupies: one run at a time for each"),
    Column("status", String(16), nullable=False),
    Column("pid", Integer),
    Column("pid_started", Float, comment="start time of the process, seconds since 1970"),
    Column("owner_pid", Integer),
    Column("owner_started", Float),
    Column("queued_at_ms", BigInteger, nullable=False),
    Column("started_at_ms", BigInteger),
    Column("ended_at_ms", BigInteger),
    Column("time_limit_s", Float),
    Column("failure_code", String(32)),
    Column("failure_message", Text),
    Column("folder", Text, nullable=False),
    Column("sent_through", Text, comment="the command that starts it elsewhere"),
    Index(None, "status", "queued_at_ms"),
    Index(None, "lab", "queued_at_ms"),
)
