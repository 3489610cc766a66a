"""The record of each GPU, its notes, two GPUs side by side, and the report of the week."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.claims import record, report
from engine.claims.evidence import Results
from engine.claims.record import LESSON_CARD, Entry, Machine
from engine.measure.events import Finding, Metric, Scalar, Series
from engine.measure.results import Result
from engine.store import Store
from engine.study.card import ClaimText, Library, MeasuredBy, Says
from tests.claims.test_evidence import CPU, FLOOR, H200, card, floor

T4 = {"type": "cuda", "name": "Tesla T4", "memory_bytes": 15_828_320_256, "sm_count": 40}
MODEL = "tinyllama-1.1b"
COLUMNS = ["item", "batch", "expected_low", "expected_high", "measured", "unit", "ratio", "why"]
STEP = ClaimText(
    id="step",
    label="",
    says=Says(unit="ms", low=12, high=16, on="t4"),
    measured=MeasuredBy("mbu_floor", "ms_per_token", (("model", MODEL), ("mode", "eager"))),
)
LESSON = replace(card(replace(FLOOR, measured=MeasuredBy("decode_gaps", "nothing")), STEP), id=LESSON_CARD)
DECKS = Library(by_id={"one": card(FLOOR), LESSON_CARD: LESSON})


def result(lab: str, device: Mapping[str, Any], *metrics: Metric, day: int = 20, **more: Any) -> Result:
    return Result(lab, device, {}, {}, datetime(2026, 11, day, tzinfo=UTC), 20, metrics, **more)


def ms(mode: str, value: float, **labels: Scalar) -> Metric:
    return Metric("ms_per_token", value, "ms", {"model": MODEL, "mode": mode, "batch": 1, **labels})


def of(
    *, here: Sequence[Result] = (), elsewhere: Sequence[Result] = (), recorded: Sequence[Result] = ()
) -> Results:
    def only(found: Sequence[Result]) -> Any:
        return lambda lab: [each for each in found if each.lab == lab]

    return Results(only(here), only(recorded), only(elsewhere))


def machine(results: Results, name: str) -> Machine:
    found = {each.id: each for each in record.machines(results, ["mbu_floor", "decode_gaps"])}
    return found[name]


def test_each_gpu_has_a_record_of_its_own_the_nearest_first() -> None:
    results = of(
        here=[result("mbu_floor", CPU, floor(500))],
        elsewhere=[result("mbu_floor", T4, ms("eager", 31.2))],
        recorded=[result("mbu_floor", H200, floor(3.13)), result("decode_gaps", T4)],
    )
    found = record.machines(results, ["mbu_floor", "decode_gaps"])
    assert [(each.id, each.origin) for each in found] == [
        ("AMD EPYC 7B13", "here"),
        ("t4", "elsewhere"),
        ("h200", "recorded"),
    ]


def test_expected_is_the_formula_on_that_gpu_and_its_own_findings_come_with_the_measurement() -> None:
    why = Finding("weights_floor", {"ceiling": "datasheet", "gb": 15.0})
    others = (Finding("weights_floor", {"ceiling": "measured"}), Finding("throttled", {"reasons": "power"}))
    results = of(recorded=[result("mbu_floor", H200, floor(6.4), findings=(*others, why))])
    (entry,) = record.measured_claims(machine(results, "h200"), DECKS, results, {"one/floor": "mine"})
    assert entry.expected == pytest.approx((3.127052, 3.127052), rel=1e-6)
    assert entry.ratio == pytest.approx(6.4 / 3.127052, rel=1e-6)
    assert (entry.measured, entry.unit, entry.note, entry.findings) == (6.4, "ms", "mine", (why,))


def test_a_claim_without_a_formula_is_expected_as_its_card_says_on_the_cards_own_gpu_alone() -> None:
    results = of(
        elsewhere=[result("mbu_floor", T4, ms("eager", 31.2))],
        recorded=[result("mbu_floor", H200, ms("eager", 20.3))],
    )
    t4, h200 = (machine(results, name) for name in ("t4", "h200"))
    on_card, elsewhere = (record.measured_claims(each, DECKS, results, {})[0] for each in (t4, h200))
    assert on_card.expected == (12, 16)
    assert on_card.ratio == pytest.approx(31.2 / 16)
    assert (elsewhere.expected, elsewhere.ratio, elsewhere.measured) == (None, None, 20.3)


def test_the_lessons_table_is_what_its_lab_filled() -> None:
    rows: list[list[Scalar]] = [
        ["kernels", 1, 313, 401, 924, "", 2.3, "more_kernels"],
        [
            "operator",
            1,
            "aten::linear",
            None,
            "aten::mul + cudaLaunchKernel",
            "",
            None,
            "operator_of_most_gaps",
        ],
        ["versions", None, None, None, "Tesla T4, torch 2.9.0", "", None, ""],
    ]
    series = (Series("record", COLUMNS, rows),)
    results = of(elsewhere=[result("decode_gaps", T4, series=series)])
    kernels, operator, versions = record.lesson(
        machine(results, "t4"), DECKS, results, {"lesson/kernels/1": "three for each norm"}
    )
    assert kernels == Entry(
        key="lesson/kernels/1", lab="decode_gaps", unit="", expected=(313, 401), measured=924, ratio=2.3,
        item="kernels", batch=1, why="more_kernels", note="three for each norm",
    )  # fmt: skip
    assert (operator.measured, operator.text) == (None, "aten::mul + cudaLaunchKernel")
    assert (versions.key, versions.expected) == ("lesson/versions", None)


def test_where_that_lab_was_not_run_the_claims_of_the_lessons_card_stand_in() -> None:
    results = of(elsewhere=[result("mbu_floor", T4, ms("eager", 31.2))])
    found = record.lesson(machine(results, "t4"), DECKS, results, {})
    assert [(entry.key, entry.measured) for entry in found] == [
        (f"{LESSON_CARD}/floor", None),
        (f"{LESSON_CARD}/step", 31.2),
    ]
    assert record.lesson(machine(results, "t4"), Library(), results, {}) == []


def test_two_gpus_stand_side_by_side_whichever_of_them_lacks_an_item() -> None:
    results = of(
        elsewhere=[result("mbu_floor", T4, ms("eager", 30.0), floor(46.9))],
        recorded=[result("mbu_floor", H200, ms("eager", 20.0))],
    )
    sides = [record.measured_claims(machine(results, name), DECKS, results, {}) for name in ("h200", "t4")]
    pairs = record.side_by_side(*sides)
    assert [(pair.any.key, pair.left is None, pair.ratio) for pair in pairs] == [
        (f"{LESSON_CARD}/step", False, 1.5),
        ("one/floor", True, None),
    ]


def test_the_newest_note_counts_and_an_empty_one_takes_it_back(store: Store) -> None:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    for gpu, item, text in (
        ("t4", "one/floor", "first"),
        ("t4", "one/floor", "  second "),
        ("h200", "one/floor", "of another"),
        ("t4", "gone", "kept"),
        ("t4", "gone", ""),
    ):
        record.write_note(store, gpu, item, text, now)
    assert record.notes(store, "t4") == {"one/floor": "second"}


def test_the_report_of_the_week_has_everything_that_the_lesson_asks_for() -> None:
    decode = result(
        "mbu_floor",
        T4,
        Metric("floor", 6.5, "ms", {"model": MODEL, "weights": "fp16", "batch": 1, "ceiling": "datasheet"}),
        Metric("floor", 8.6, "ms", {"model": MODEL, "weights": "fp16", "batch": 1, "ceiling": "measured"}),
        Metric("first_token", 48.0, "ms", {"model": MODEL, "mode": "eager", "batch": 1}),
        ms("compiled", 0.0, weights="fp16"),  # nonsense that a file from elsewhere may hold
        ms("eager", 30.0, weights="fp16"),
        ms("reduce-overhead", 10.0, weights="fp16"),
        ms("int8", 6.0, weights="int8"),
        Metric("mbu", 65.0, "%", {"model": MODEL, "mode": "reduce-overhead", "batch": 1, "weights": "fp16",
                                  "ceiling": "datasheet"}),
        findings=(Finding("overhead_bound", {}),),
    )  # fmt: skip
    kernels = Series(
        "slowest_kernels",
        ["kernel", "part", "count", "time_per_step", "share"],
        [[f"gemv{place}", "mlp.up_proj", 22.0, 1500.0 - place, 20.0] for place in range(7)],
    )
    gaps = result(
        "decode_gaps",
        T4,
        ms("eager", 31.0),
        Metric("gap_share", 71.0, "%", {"model": MODEL, "mode": "eager", "batch": 1}),
        Metric("gap_share", 40.0, "%", {"model": MODEL, "mode": "eager", "batch": 32}),
        series=(kernels,),
    )
    results = of(elsewhere=[decode, gaps])
    t4 = machine(results, "t4")
    assert report.models(t4, results) == (MODEL,)
    found = report.report(t4, results, MODEL)
    assert (found.floor, found.floor_measured, found.first_token) == (6.5, 8.6, 48.0)
    assert (found.per_token, found.gap_share) == (30.0, 71.0)
    assert found.ratio == pytest.approx(30 / 6.5)
    assert [(kernel.name, kernel.us) for kernel in found.kernels] == [
        (f"gemv{place}", 1500.0 - place) for place in range(5)
    ]
    assert [(fix.mode, fix.change, fix.mbu) for fix in found.fixes] == [
        ("eager", None, None),
        ("reduce-overhead", pytest.approx(1 / 3), 65.0),
        ("int8", 0.6, None),
    ]
    assert found.fixes[-1].of_first == pytest.approx(0.2)
    assert found.findings == (("mbu_floor", Finding("overhead_bound", {})),)


def test_a_report_leaves_out_what_was_not_measured() -> None:
    results = of(elsewhere=[result("decode_gaps", T4, ms("eager", 31.0))])
    found = report.report(machine(results, "t4"), results, MODEL)
    assert (found.floor, found.ratio, found.per_token, found.kernels) == (None, None, 31.0, ())


def test_why_stays_short_with_what_sets_the_pace_before_what_else_was_concluded() -> None:
    labels = {"model": MODEL, "mode": "eager", "batch": "1"}
    floor = Finding("weights_floor", {"model": MODEL, "weights": "bf16"})
    aside = Finding("new_length_costs", {"mode": "eager", "model": MODEL})
    bound = Finding("overhead_bound", {"mode": "eager"})
    other = Finding("memory_bound", {"mode": "int8"})
    assert record.concerning([floor, aside, bound, other], labels) == (bound,)
    assert record.concerning([floor, other, aside, floor], labels) == (aside, floor)
