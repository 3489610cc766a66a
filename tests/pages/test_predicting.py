"""Predictions of the review page on their way to the store."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app_pages.review_card.faces import key_of, render
from app_pages.review_card.predicting import Predicting
from app_pages.review_card.talk import Ledger, Refusal
from app_pages.words import phrase
from engine.claims import predictions, sightings
from engine.store import Store
from engine.study.card import Library
from engine.study.desk import Desk
from tests.claims.test_evidence import FLOOR, card

NOW = datetime(2026, 11, 30, 7, 5, tzinfo=UTC)
ZONE = "Asia/Ho_Chi_Minh"
CARD = card(FLOOR)
OP = {"type": "predict", "nonce": "n1", "card_id": "one", "claim_id": "floor", "text": "5 ms"}


def carry_out(store: Store, *ops: dict[str, str], picked: str | None = "b200") -> dict[str, object]:
    """What a fresh session's ledger says of each operation."""
    ledger = Ledger()
    ledger.carry_out(
        ops,
        desk=Desk(store),
        zone=ZONE,
        now=NOW,
        predicting=Predicting(store, lambda: Library(by_id={"one": CARD}), "en", ZONE, picked),
    )
    return dict(ledger.of(ops))


def test_a_prediction_is_on_disk_once_however_often_it_is_sent(store: Store) -> None:
    assert carry_out(store, OP, OP) == {"n1": None}
    assert carry_out(store, OP) == {"n1": None}  # another session: the page was loaded anew
    (made,) = predictions.counting(store)
    assert (made.text, made.gpu, made.nonce) == ("5 ms", "b200", "n1")


def test_with_no_gpu_picked_and_none_here_it_is_for_the_one_that_the_card_speaks_of(store: Store) -> None:
    carry_out(store, OP, picked=None)
    (made,) = predictions.counting(store)
    assert made.gpu == "h100-sxm"


@pytest.mark.parametrize("language", ["en", "vi", "zh"])
def test_one_that_comes_too_late_is_refused_with_the_time_in_the_readers_zone(
    store: Store, language: str
) -> None:
    sightings.note(store, [sightings.of_card("one")], now=NOW, zone=ZONE)
    refused = carry_out(store, OP)["n1"]
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.bring_back) == ("predict.seen.answer", False)
    assert "14:05" in phrase(language, f"review.refused.{refused.code}", **refused.args)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"claim_id": "gone"}, "malformed_prediction"),
        ({"card_id": "gone"}, "malformed_prediction"),
        ({"text": "?"}, "predict.no_number"),
        ({"text": "5 GB"}, "predict.wrong_unit"),
    ],
)
def test_what_is_no_prediction_is_refused_in_words(store: Store, changes: dict[str, str], code: str) -> None:
    refused = carry_out(store, {**OP, **changes})["n1"]
    assert isinstance(refused, Refusal)
    assert refused.code == code
    for language in ("en", "vi", "zh"):
        assert phrase(language, f"review.refused.{code}", **{"title": "", **refused.args})
    assert predictions.counting(store) == ()


def test_a_face_names_what_can_be_predicted_and_never_its_value() -> None:
    assert render(CARD, "Deck")["claims"] == [
        {"id": "floor", "label": "floor", "unit": "ms", "on": "H100 SXM5 80 GB"}
    ]
    assert key_of(CARD, "Deck") != key_of(card(), "Deck")
