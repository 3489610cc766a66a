"""How far off predictions are, which way, in which topics, and whether it gets better."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.claims.calibration import Compared, by_topic, by_week, compare, summary
from engine.claims.evidence import Results
from engine.claims.hardware_quantities import Hardware
from engine.claims.predictions import Prediction
from engine.study.card import Card, ClaimText, Library, Says
from tests.claims.test_evidence import CPU, FLOOR, card, floor, result

THIS = Hardware(name="AMD EPYC 7B13")
KERNELS = ClaimText(id="kernels", label="", says=Says(unit="", low=300, high=400))
LAYER = ClaimText(id="layer", label="", says=Says(unit="", value=1), formula="1 / 0")


def library(*cards: Card) -> Library:
    return Library(by_id={each.id: each for each in cards})


BOTH = library(replace(card(FLOOR, KERNELS, LAYER), topics=("decode", "mbu")))


def made(
    low: float,
    high: float | None = None,
    *,
    gpu: str = "h100-sxm",
    claim: str = "floor",
    unit: str = "ms",
    day: str = "2026-11-30",
) -> Prediction:
    top = low if high is None else high
    return Prediction("n", 1, day, "one", claim, "", (low + top) / 2, low, top, unit, gpu)


def look(
    *predictions: Prediction, results: Results | None = None, decks: Library = BOTH
) -> tuple[Compared, ...]:
    return compare(predictions, decks, results or Results(lambda lab: (), lambda lab: ()), THIS)


def test_a_prediction_is_held_against_the_formula_on_its_gpu_and_the_measurement_where_there_is_one() -> None:
    recorded = Results(lambda lab: (), lambda lab: [result(floor(3.2))])
    h100, h200 = look(made(9), made(6.4, gpu="h200"), results=recorded)
    assert (h100.against, h100.measured) == ("formula", None)
    assert h100.ratio == pytest.approx(9 / 4.480552, rel=1e-6)
    assert (h200.against, h200.measured) == ("measured", 3.2)
    assert h200.formula == pytest.approx(3.127052, rel=1e-6)
    assert h200.ratio == pytest.approx(2)


def test_a_measurement_on_this_machine_counts_for_a_device_that_no_table_has() -> None:
    here = Results(lambda lab: [result(floor(500.0), device=CPU)], lambda lab: [result(floor(3.2))])
    (found,) = look(made(250, gpu="AMD EPYC 7B13"), results=here)
    assert found.against == "measured"
    assert found.ratio == pytest.approx(0.5)


def test_a_range_that_holds_the_right_value_is_right_and_the_nearer_end_counts_else() -> None:
    ratios = [
        found.ratio
        for found in look(
            made(4, 5),
            made(1, 2.240276),
            made(350, claim="kernels", unit=""),
            made(200, claim="kernels", unit=""),
            made(0),
        )
    ]
    assert ratios == [1.0, pytest.approx(0.5, rel=1e-5), 1.0, pytest.approx(2 / 3), None]


def test_a_claim_that_is_gone_or_speaks_of_another_unit_now_is_left_out_and_a_faulty_one_not_compared() -> (
    None
):
    assert look(made(5, claim="gone"), made(5, unit="s")) == ()
    assert look(made(5), decks=library()) == ()
    (faulty,) = look(made(5, claim="layer", unit=""))
    assert (faulty.ratio, faulty.against) == (None, None)


def test_the_summary_says_how_far_and_which_way() -> None:
    right = 4.480552
    found = summary(look(*(made(right * by) for by in (4, 2, 1.05, 0.5))))
    assert found is not None
    assert (found.count, found.close, found.high, found.low) == (4, 0.25, 0.5, 0.25)
    assert found.factor == pytest.approx(2)
    assert found.bias == pytest.approx((4 * 2 * 1.05 * 0.5) ** 0.25, rel=1e-6)
    assert summary(look(made(0))) is None


def test_topics_come_worst_first_and_weeks_in_order() -> None:
    decks = library(
        replace(card(FLOOR), topics=("decode",)), replace(card(FLOOR), id="two", topics=("mbu", "decode"))
    )
    near, far = made(4.5), replace(made(45, day="2026-12-08"), card_id="two")
    found = look(far, near, decks=decks)
    assert [(name, told.count) for name, told in by_topic(found).items()] == [("mbu", 1), ("decode", 2)]
    assert [(name, told.count) for name, told in by_week(found).items()] == [
        ("2026-11-30", 1),
        ("2026-12-07", 1),
    ]
