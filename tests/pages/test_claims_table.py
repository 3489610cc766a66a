"""The table of a card's claims, as HTML."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app_pages.claims_table import Reader, claims_table
from engine.claims.evidence import Results, evidence
from engine.claims.hardware_quantities import of_device
from engine.measure.events import Metric
from engine.measure.results import Result
from engine.study.card import Card, ClaimText, Correction, MeasuredBy, Says, Source

H200 = {"type": "cuda", "name": "NVIDIA H200", "memory_bytes": 150_000_000_000, "sm_count": 132}
CPU = {"type": "cpu", "name": "A <b>CPU</b>"}
FLOOR = ClaimText(
    id="floor",
    label="Mức sàn <một bước>",
    says=Says(unit="ms", value=4.8, on="h100-sxm"),
    formula="weight_bytes / memory_bandwidth",
    model="llama-3-8b",
    tolerance=0.1,
    measured=MeasuredBy("mbu_floor", "floor", (("ceiling", "datasheet"),)),
)
RIDGE = ClaimText(
    id="ridge",
    label="Điểm gãy",
    says=Says(unit="FLOP/B", value=153, on="t4"),
    formula="peak_fp16 / memory_bandwidth",
)


def table(claims: tuple[ClaimText, ...], results: Results, language: str = "en") -> str:
    card = Card(
        id="one",
        deck="d",
        kind="question",
        title="t",
        language="vi",
        prompt="p",
        answer=(),
        source=Source("d", "s"),
        claims=claims,
    )
    reader = Reader(language, "Asia/Ho_Chi_Minh", {"mbu_floor": "Floor & MBU"})
    return claims_table(evidence(card, of_device(CPU), results), reader)


def recorded(lab: str) -> list[Result]:
    metric = Metric("floor", 3.13, "ms", {"ceiling": "datasheet"}, low=3.1, high=3.16)
    return [Result(lab, H200, {}, {}, datetime(2026, 11, 20, 12, tzinfo=UTC), 20, (metric,))]


def nothing(lab: str) -> list[Result]:
    return []


def test_a_recorded_measurement_is_marked_with_its_gpu_and_date_and_held_against_its_own_prediction() -> None:
    html = table((FLOOR,), Results(nothing, recorded))
    assert "recorded on NVIDIA H200, 20 Nov 2026" in html
    assert "On NVIDIA H200 the formula gives 3.13\u00a0ms" in html
    assert '<span class="verdict holds">holds</span>' in html
    assert "3.10–3.16\u00a0ms" in html


def test_texts_are_escaped_and_carry_the_cards_language() -> None:
    html = table((FLOOR,), Results(nothing, nothing))
    assert '<th scope="row" lang="vi">Mức sàn &lt;một bước&gt;</th>' in html
    assert "“Floor &amp; MBU”" in html


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    assert "4,8\u00a0ms" in table((FLOOR,), Results(nothing, recorded), "vi")
    assert "3,10–3,16\u00a0ms" in table((FLOOR,), Results(nothing, recorded), "vi")


def test_a_figure_that_does_not_follow_is_marked_with_the_value_that_does() -> None:
    html = table((RIDGE,), Results(nothing, nothing))
    assert "on Tesla T4 the formula gives 203\u00a0FLOP/B" in html


def test_a_correction_gives_its_reason_in_the_cards_language() -> None:
    corrected = replace(RIDGE, correction=Correction(Says(unit="FLOP/B", value=203), "65 ÷ 0,32, < 204"))
    html = table((corrected,), Results(nothing, nothing))
    assert "the formula gives 203\u00a0FLOP/B" in html
    assert '<span class="correction" lang="vi">65 ÷ 0,32, &lt; 204</span>' in html


def test_what_only_a_formula_checks_stands_folded_below() -> None:
    html = table((RIDGE, FLOOR), Results(nothing, recorded))
    assert html.index("Mức sàn") < html.index("<details>") < html.index("Điểm gãy")


def test_the_same_advice_is_given_once() -> None:
    other = ClaimText(
        id="other", label="x", says=Says(unit="", value=1), measured=MeasuredBy("mbu_floor", "kernels")
    )
    html = table((FLOOR, other), Results(nothing, nothing))
    assert html.count("Run the lab") == 1


def test_a_wrong_claim_is_a_row_with_its_fault() -> None:
    wrong = ClaimText(id="wrong", label="x", says=Says(unit="ms", value=1), formula="weight_bytes")
    html = table((wrong, FLOOR), Results(nothing, recorded))
    assert "one.claims.wrong.model: `weight_bytes` belongs to a model" in html
    assert "Mức sàn" in html
