"""What the learner predicted, typed before the number was seen, and kept for good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from engine.claims import sightings
from engine.claims.fault import ClaimsError
from engine.claims.typed_numbers import TypedNumberError, predicted
from engine.claims.units import converted
from engine.claims.verdict import target
from engine.faults import BenchcardsError
from engine.store.claim_tables import predictions as table
from engine.store.store import Store
from engine.study.card import Card, ClaimText
from engine.study.study_day import to_ms

LONGEST = 200
"""Characters of a prediction."""
_UNKNOWN_UNIT = re.compile(
    r"\s*(?!(?:approx|approximately|each|guess|ish|max|maximum|maybe|minimum|perhaps|"
    r"probably|roughly|tops|total)\b)"
    r"[a-z/]+\s*[.!?]*\s*",
    re.IGNORECASE,
)
"""A last word behind a number that is neither a unit known here nor said of the number."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A prediction of a claim's number on a GPU. value, low and high are in `unit`, the claim's own.

    gpu: a key of the spec table, else the device's name.
    """

    nonce: str
    made_at_ms: int
    study_day: str
    card_id: str
    claim_id: str
    text: str
    value: float
    low: float
    high: float
    unit: str
    gpu: str


class PredictionRefused(BenchcardsError):
    """A prediction that isn't kept; nothing was stored.

    Codes: empty, no_number, several_numbers, negative, too_large, too_long {longest}, wrong_unit {unit}, seen
    {where, at_ms}: the number was seen in this sitting. `str()` is the message in English.
    """

    def __init__(self, code: str, args: Mapping[str, str | int] | None = None) -> None:
        self.code = code
        self.args_of_code = dict(args or {})
        super().__init__(_ENGLISH[code].format(**self.args_of_code))


_ENGLISH = {
    "empty": "A prediction needs a number.",
    "no_number": "There is no number in it. Write one, with its unit: 5 ms, about 70 %, 20–25 µs.",
    "several_numbers": "There are several numbers in it. Write one, or a range such as 20–25 µs.",
    "negative": "The number asked for can't be below zero.",
    "too_large": "That number is too large.",
    "too_long": "A prediction has at most {longest} characters.",
    "wrong_unit": "That unit can't be given in the claim's ({unit}).",
    "seen": "The number was seen today already: a prediction comes before.",
}


def predict(
    store: Store,
    card: Card,
    claim: ClaimText,
    text: str,
    *,
    nonce: str,
    language: str,
    gpu: str,
    now: datetime,
    zone: str,
) -> Prediction:
    """Keeps a prediction. The same nonce again gives what was kept.

    A number without a unit is in the claim's. Raises PredictionRefused.
    """
    low, high = _read(claim, text, language)
    with store.begin() as connection:
        query = select(table).where(table.c.nonce == nonce)
        known = connection.execute(query).one_or_none()
        if known is not None:
            return _prediction(known._mapping)
        day = sightings.day_of(connection, now, zone)
        before = sightings.seen(connection, card, claim, day)
        if before is not None:
            raise PredictionRefused("seen", {"where": before.where, "at_ms": before.seen_at_ms})
        made = Prediction(
            nonce=nonce,
            made_at_ms=to_ms(now),
            study_day=day,
            card_id=card.id,
            claim_id=claim.id,
            text=text.strip(),
            value=low if low == high else (low + high) / 2,
            low=low,
            high=high,
            unit=claim.says.unit,
            gpu=gpu,
        )
        connection.execute(insert(table), asdict(made))
    return made


def counting(store: Store, card_id: str | None = None, *, since_ms: int = 0) -> tuple[Prediction, ...]:
    """The predictions that count, oldest first: of several on one claim, day and GPU the last one.

    Until the number is seen a prediction may be thought over.
    """
    query = select(table).where(table.c.made_at_ms >= since_ms).order_by(table.c.made_at_ms, table.c.id)
    if card_id is not None:
        query = query.where(table.c.card_id == card_id)
    with store.read() as connection:
        rows = connection.execute(query).all()
    last: dict[tuple[str, ...], Prediction] = {}
    for row in rows:
        made = _prediction(row._mapping)
        key = (made.card_id, made.claim_id, made.study_day, made.gpu)
        last.pop(key, None)
        last[key] = made
    return tuple(last.values())


def _read(claim: ClaimText, text: str, language: str) -> tuple[float, float]:
    """Lowest and highest value that the text means, in the claim's unit."""
    if len(text) > LONGEST:
        raise PredictionRefused("too_long", {"longest": LONGEST})
    unit = claim.says.unit
    try:
        typed = predicted(text, language)
    except TypedNumberError as error:
        raise PredictionRefused(error.code) from error
    if not typed.unit and not typed.noun and _UNKNOWN_UNIT.fullmatch(text, typed.end):
        raise PredictionRefused("wrong_unit", {"unit": unit})  # 5 kg is no 5 ms
    try:
        ends = [converted(value, typed.unit or unit, unit) for value in (typed.low, typed.high)]
    except ClaimsError as error:
        raise PredictionRefused("wrong_unit", {"unit": unit}) from error
    if min(ends) < 0 <= target(claim.says)[0]:
        raise PredictionRefused("negative")
    return min(ends), max(ends)


def _prediction(row: Any) -> Prediction:
    return Prediction(**{name: row[name] for name in Prediction.__slots__})
