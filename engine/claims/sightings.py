"""What numbers the learner has seen on which day: a prediction must come before.

A sitting is the learner's study day. A number is seen where the card's answer was revealed or graded, where
a table showed it, where a chart drew its metric, or where its lab was run or its whole result looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, func, insert, select

from engine.store.claim_tables import sightings
from engine.store.store import Store
from engine.store.tables import reviews
from engine.study import settings
from engine.study.card import Card, ClaimText, MeasuredBy
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner

Where = Literal["answer", "table", "chart", "lab"]
_WHERE: dict[str, Where] = {
    "card": "answer",
    "claim": "table",
    "metric": "table",
    "chart": "chart",
    "lab": "lab",
}
_LONGEST = 300
"""Characters of a subject in the table; the rest of a longer one is cut, the same for all who ask."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a number was seen first on a day, and when (UTC ms)."""

    where: Where
    seen_at_ms: int


def of_card(card_id: str) -> str:
    """The subject of a card's answer with all that stands in it."""
    return f"card:{card_id}"


def of_claim(card_id: str, claim_id: str) -> str:
    """The subject of one claim's row in a table."""
    return f"claim:{card_id}/{claim_id}"


def of_metric(measured: MeasuredBy) -> str:
    """The subject of a measured value: other claims may be measured by the same."""
    labels = ",".join(f"{name}={value}" for name, value in sorted(measured.labels))
    return f"metric:{measured.lab}/{measured.metric}?{labels}"


def of_chart(lab: str, metric: str) -> str:
    """The subject of a chart of a metric, with every variant of it."""
    return f"chart:{lab}/{metric}"


def of_lab(lab: str) -> str:
    """The subject of a lab's run and of a whole result of it."""
    return f"lab:{lab}"


def of_row(card: Card, claim: ClaimText) -> tuple[str, ...]:
    """The subjects of a claim shown with its measurement."""
    shown = (of_claim(card.id, claim.id),)
    return shown if claim.measured is None else (*shown, of_metric(claim.measured))


def note(store: Store, subjects: Iterable[str], *, now: datetime, zone: str) -> None:
    """Remembers that these were seen; the first time of a day counts."""
    wanted = list(dict.fromkeys(subject[:_LONGEST] for subject in subjects))
    if not wanted:
        return
    with store.read() as connection:
        day = day_of(connection, now, zone)
        if len(_known(connection, wanted, day)) == len(wanted):
            return
    with store.begin() as connection:
        known = _known(connection, wanted, day)
        new = [
            {"subject": subject, "study_day": day, "seen_at_ms": to_ms(now)}
            for subject in wanted
            if subject not in known
        ]
        if new:
            connection.execute(insert(sightings), new)


def seen(connection: Connection, card: Card, claim: ClaimText, day: str) -> Sighting | None:
    """Where and when the claim's number was first seen on that study day; None where it wasn't."""
    subjects = [of_card(card.id), of_claim(card.id, claim.id)]
    if claim.measured is not None:
        lab, metric = claim.measured.lab, claim.measured.metric
        subjects += [of_metric(claim.measured), of_chart(lab, metric), of_lab(lab)]
    known = _known(connection, [subject[:_LONGEST] for subject in subjects], day)
    found = [Sighting(_WHERE[subject.partition(":")[0]], at_ms) for subject, at_ms in known.items()]
    graded = connection.execute(
        select(func.min(reviews.c.reviewed_at_ms)).where(
            reviews.c.card_id == card.id, reviews.c.study_day == day
        )
    ).scalar_one()
    if graded is not None:  # an answer is graded once it is revealed, whether or not that was told
        found.append(Sighting("answer", graded))
    return min(found, key=lambda each: each.seen_at_ms, default=None)


def cards_seen(store: Store, card_ids: Sequence[str], *, now: datetime, zone: str) -> list[str]:
    """Those of the cards whose answer was seen on the learner's day of `now`."""
    if not card_ids:
        return []
    with store.read() as connection:
        day = day_of(connection, now, zone)
        revealed = _known(connection, [of_card(card_id) for card_id in card_ids], day)
        graded = set(
            connection.execute(
                select(reviews.c.card_id).where(
                    reviews.c.study_day == day, reviews.c.card_id.in_(list(card_ids))
                )
            ).scalars()
        )
    return [card_id for card_id in card_ids if of_card(card_id) in revealed or card_id in graded]


def day_of(connection: Connection, now: datetime, zone: str) -> str:
    """The learner's study day at an instant."""
    return now_for_learner(connection, to_ms(now), zone, settings.load_in(connection).rollover_hour).day


def _known(connection: Connection, subjects: list[str], day: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(subjects), 500):  # SQLite takes a bounded number of arguments
        query = select(sightings.c.subject, sightings.c.seen_at_ms).where(
            sightings.c.study_day == day, sightings.c.subject.in_(subjects[start : start + 500])
        )
        found |= {row.subject: row.seen_at_ms for row in connection.execute(query)}
    return found
