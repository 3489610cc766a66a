"""The review log: what was answered, what was taken back. Rows are added, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, bindparam, exists, func, select

from engine.store.tables import reviews, undos
from engine.study.card_state import CardState


@dataclass(frozen=True, slots=True)
class Review:
    """One answer. `shown`: minutes of the four outcomes that were on the buttons.

    kind: the card's phase before. shown_day: the study day that the outcomes were worked out for;
    study_day: the one that the answer belongs to. undone: it was taken back and doesn't count.
    """

    id: int
    nonce: str
    card_id: str
    version: int
    kind: str
    rating: int
    reviewed_at_ms: int
    study_day: str
    zone: str
    answer_ms: int
    shown_at_ms: int
    shown_day: str
    scheduler: str
    shown: tuple[int, int, int, int]
    state_before: CardState
    state_after: CardState
    undone: bool = False

    @property
    def due_ms(self) -> int:
        """When the card was due next, by this answer."""
        return self.reviewed_at_ms + self.shown[self.rating - 1] * 60_000


def counts() -> ColumnElement[bool]:
    """The condition on `reviews` that the review was not taken back."""
    return ~exists().where(undos.c.review_id == reviews.c.id)


@dataclass(frozen=True, slots=True)
class Given:
    """Which answer was given last, and when."""

    id: int
    study_day: str
    reviewed_at_ms: int


def _last(*conditions: ColumnElement[bool]) -> Select[tuple[int, str, int]]:
    """The last answer that was not taken back, of those that meet the conditions."""
    # days rise with instants: the index on them leads to the last one, and only its answers are put in order
    day = select(reviews.c.study_day).where(*conditions, counts())
    last_day = day.order_by(reviews.c.study_day.desc()).limit(1).scalar_subquery()
    return (
        select(reviews.c.id, reviews.c.study_day, reviews.c.reviewed_at_ms)
        .where(reviews.c.study_day == last_day, *conditions, counts())
        .order_by(reviews.c.reviewed_at_ms.desc(), reviews.c.id.desc())
        .limit(1)
    )


# made once: what SQLAlchemy does to make a statement takes longer than what SQLite does to answer it
_LAST = _last()
_LAST_BEFORE = _last(reviews.c.reviewed_at_ms <= bindparam("not_after_ms"))
_BY_NONCE = select(reviews).where(reviews.c.nonce == bindparam("nonce"))


def last_given(connection: Connection, *, not_after_ms: int | None = None) -> Given | None:
    """Which answer is the last that was not taken back, if there is one (given at or before an instant).

    The last by its day and instant: answers of another machine may have come into the log after it.
    """
    if not_after_ms is None:
        row = connection.execute(_LAST).first()
    else:
        row = connection.execute(_LAST_BEFORE, {"not_after_ms": not_after_ms}).first()
    return None if row is None else Given(row.id, row.study_day, row.reviewed_at_ms)


def last_that_counts(connection: Connection) -> Review | None:
    """The whole answer that `last_given` names."""
    last = last_given(connection)
    return None if last is None else by_id(connection, last.id)


def by_nonce(connection: Connection, nonce: str) -> Review | None:
    """The answer recorded under a nonce."""
    row = connection.execute(_BY_NONCE, {"nonce": nonce}).mappings().first()
    return None if row is None else from_row(row)


def by_id(connection: Connection, review_id: int) -> Review:
    """The answer with an id."""
    row = connection.execute(select(reviews).where(reviews.c.id == review_id)).mappings().one()
    return from_row(row)


def of_card(connection: Connection, card_id: str) -> tuple[Review, ...]:
    """Every answer to a card in the order given, those taken back among them."""
    query = (
        select(reviews, undos.c.id.is_not(None).label("undone"))
        .outerjoin(undos, undos.c.review_id == reviews.c.id)
        .where(reviews.c.card_id == card_id)
        .order_by(reviews.c.version)
    )
    return tuple(from_row(row) for row in connection.execute(query).mappings())


def done_on(connection: Connection, day: str) -> dict[str, int]:
    """How many answers of each kind count on a study day."""
    query = (
        select(reviews.c.kind, func.count())
        .where(reviews.c.study_day == day, counts())
        .group_by(reviews.c.kind)
    )
    return {kind: number for kind, number in connection.execute(query)}  # noqa: C416


def from_row(row: RowMapping | Mapping[str, Any]) -> Review:
    """A row of `reviews` as a value."""
    again, hard, good, easy = row["shown"]
    return Review(
        id=row["id"],
        nonce=row["nonce"],
        card_id=row["card_id"],
        version=row["version"],
        kind=row["kind"],
        rating=row["rating"],
        reviewed_at_ms=row["reviewed_at_ms"],
        study_day=row["study_day"],
        zone=row["zone"],
        answer_ms=row["answer_ms"],
        shown_at_ms=row["shown_at_ms"],
        shown_day=row["shown_day"],
        scheduler=row["scheduler"],
        shown=(again, hard, good, easy),
        state_before=CardState.from_json(row["state_before"]),
        state_after=CardState.from_json(row["state_after"]),
        undone=bool(row.get("undone", False)),
    )
