"""Predict, then look: a prediction is kept while its number is unseen, and the store decides that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from engine.claims import predictions, sightings
from engine.claims.predictions import PredictionRefused, predict
from engine.store import Store
from engine.store.tables import reviews
from engine.study.card import ClaimText, MeasuredBy, Says
from tests.claims.test_evidence import FLOOR, card
from tests.store.test_store import a_review

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ZONE = "Asia/Ho_Chi_Minh"
NONCES = iter(f"n{count}" for count in range(1000))


def say(
    store: Store,
    text: str,
    claim: ClaimText = FLOOR,
    *,
    now: datetime = NOW,
    nonce: str | None = None,
    language: str = "en",
) -> predictions.Prediction:
    return predict(
        store,
        card(claim),
        claim,
        text,
        nonce=nonce or next(NONCES),
        language=language,
        gpu="h200",
        now=now,
        zone=ZONE,
    )


@pytest.mark.parametrize(
    ("text", "language", "low", "high"),
    [
        ("5 ms", "en", 5, 5),
        ("4,8 ms", "vi", 4.8, 4.8),
        ("5", "en", 5, 5),
        ("5 max", "en", 5, 5),
        ("about 5000 µs", "en", 5, 5),
        ("20–25 µs", "en", 0.020, 0.025),
        ("约 5 毫秒", "zh", 5, 5),
    ],
)
def test_a_prediction_is_kept_in_the_unit_of_its_claim_with_the_text_as_typed(
    store: Store, text: str, language: str, low: float, high: float
) -> None:
    made = say(store, f" {text} ", language=language)
    assert (made.low, made.high) == pytest.approx((low, high))
    assert (made.text, made.unit, made.gpu, made.study_day) == (text, "ms", "h200", "2026-11-30")
    assert predictions.counting(store) == (made,)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("no idea", "no_number"),
        ("5 ms or 9 s", "several_numbers"),
        ("5 GB", "wrong_unit"),
        ("5 kg", "wrong_unit"),
        ("about 5 apples!", "wrong_unit"),
        ("-3 ms", "negative"),
        ("5" * 201, "too_long"),
    ],
)
def test_what_is_no_prediction_is_refused_and_not_stored(store: Store, text: str, code: str) -> None:
    with pytest.raises(PredictionRefused) as raised:
        say(store, text)
    assert raised.value.code == code
    assert predictions.counting(store) == ()


def same_by_another_claim(store: Store) -> None:
    other = ClaimText(id="again", label="", says=Says(unit="ms", value=5), measured=FLOOR.measured)
    sightings.note(store, sightings.of_row(card(other), other), now=NOW, zone=ZONE)


def graded(store: Store) -> None:
    with store.begin() as connection:
        at = int(NOW.timestamp() * 1000)
        connection.execute(
            insert(reviews), a_review(card_id="one", study_day="2026-11-30", reviewed_at_ms=at)
        )


@pytest.mark.parametrize(
    ("see", "where"),
    [
        (lambda store: sightings.note(store, [sightings.of_card("one")], now=NOW, zone=ZONE), "answer"),
        (graded, "answer"),
        (lambda store: sightings.note(store, [sightings.of_lab("mbu_floor")], now=NOW, zone=ZONE), "lab"),
        (
            lambda store: sightings.note(
                store, [sightings.of_chart("mbu_floor", "floor")], now=NOW, zone=ZONE
            ),
            "chart",
        ),
        (same_by_another_claim, "table"),
    ],
)
def test_after_the_number_was_seen_the_store_takes_no_prediction_until_the_next_day(
    store: Store, see: Callable[[Store], None], where: str
) -> None:
    before = say(store, "5 ms")
    see(store)
    with pytest.raises(PredictionRefused) as raised:
        say(store, "4.48 ms", now=NOW + timedelta(minutes=1))
    assert raised.value.code == "seen"
    assert raised.value.args_of_code == {"where": where, "at_ms": int(NOW.timestamp() * 1000)}
    assert predictions.counting(store) == (before,)
    # the learner's day turns over at 04:00 in their zone
    late = datetime(2026, 11, 30, 20, 59, tzinfo=UTC)
    with pytest.raises(PredictionRefused):
        say(store, "4.48 ms", now=late)
    assert say(store, "4.6 ms", now=late + timedelta(minutes=2)).study_day == "2026-12-01"


@pytest.mark.parametrize(
    "seen",
    [
        sightings.of_card("another"),
        sightings.of_claim("one", "another"),
        sightings.of_chart("mbu_floor", "mbu"),
        sightings.of_lab("fusion"),
        sightings.of_metric(MeasuredBy("mbu_floor", "floor", (("model", "tinyllama-1.1b"),))),
    ],
)
def test_another_number_that_was_seen_closes_nothing(store: Store, seen: str) -> None:
    sightings.note(store, [seen], now=NOW, zone=ZONE)
    assert say(store, "5 ms").value == 5


def test_a_prediction_may_be_thought_over_and_is_sent_twice_without_harm(store: Store) -> None:
    first = say(store, "50 ms", nonce="a")
    assert say(store, "50 ms", nonce="a") == first
    second = say(store, "5 ms", now=NOW + timedelta(minutes=1))
    assert predictions.counting(store, "one") == (second,)
    sightings.note(store, [sightings.of_card("one")], now=NOW, zone=ZONE)
    assert say(store, "50 ms", nonce="a") == first  # it came late, but it was kept before


def test_only_the_first_sighting_of_a_day_is_written(store: Store) -> None:
    for minutes in (0, 5):
        sightings.note(store, ["card:one"], now=NOW + timedelta(minutes=minutes), zone=ZONE)
    many = [f"claim:one/{place}" for place in range(1200)]
    sightings.note(store, many, now=NOW, zone=ZONE)
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM sightings").scalar_one() == 1201
        first = connection.exec_driver_sql("SELECT seen_at_ms FROM sightings WHERE subject = 'card:one'")
        assert first.scalar_one() == int(NOW.timestamp() * 1000)
