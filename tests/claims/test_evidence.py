"""A claim, its prediction, its measurement and its verdict, on whichever hardware each belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.claims.evidence import EvidenceRow, Results, only_on, row
from engine.claims.hardware_quantities import Hardware, of_device, of_key
from engine.measure.ceilings import Ceilings
from engine.measure.events import Metric
from engine.measure.results import Result
from engine.study.card import Card, ClaimText, MeasuredBy, Says, Source

H200 = {"type": "cuda", "name": "NVIDIA H200", "memory_bytes": 150_000_000_000, "sm_count": 132}
CPU = {"type": "cpu", "name": "AMD EPYC 7B13", "sm_count": 2}
FLOOR = ClaimText(
    id="floor",
    label="floor",
    says=Says(unit="ms", value=4.8, on="h100-sxm"),
    formula="weight_bytes / memory_bandwidth",
    model="llama-3-8b",
    tolerance=0.1,
    measured=MeasuredBy("mbu_floor", "floor", (("ceiling", "datasheet"), ("model", "llama-3-8b"))),
)


def card(*claims: ClaimText) -> Card:
    return Card(
        id="one",
        deck="d",
        kind="question",
        title="t",
        language="en",
        prompt="p",
        answer=(),
        source=Source("d", "s"),
        claims=claims,
        file="cards/d.yaml",
        line=7,
    )


def result(*metrics: Metric, device: Mapping[str, Any] = H200, **params: str | int) -> Result:
    return Result(
        lab="mbu_floor",
        device=device,
        environment={"torch": "2.13.0"},
        params=params,
        started_at=datetime(2026, 11, 20, tzinfo=UTC),
        seconds=20,
        metrics=metrics,
    )


def floor(value: float, unit: str = "ms", **labels: str | int) -> Metric:
    return Metric("floor", value, unit, {"ceiling": "datasheet", "model": "llama-3-8b", **labels})


def look(
    claim: ClaimText,
    *,
    here: Sequence[Result] = (),
    recorded: Sequence[Result] = (),
    on: Hardware | None = None,
) -> EvidenceRow:
    hardware = on or of_key("h200")
    assert hardware is not None
    return row(card(claim), claim, hardware, Results(lambda lab: here, lambda lab: recorded))


def test_the_formula_checks_the_card_on_its_hardware_and_predicts_for_this_one() -> None:
    found = look(FLOOR)
    assert found.computed is not None
    assert found.predicted is not None
    assert found.computed.value == pytest.approx(4.480552, rel=1e-6)  # 15.009849344 GB over 3.35 TB/s
    assert found.follows is True
    assert found.predicted.value == pytest.approx(3.127052, rel=1e-6)  # over 4.8 TB/s
    assert found.verdict.outcome == "not_measured"
    assert found.verdict.reason == "never_run"


def test_a_card_whose_figure_does_not_follow_from_its_own_inputs_is_found() -> None:
    ridge = ClaimText(
        id="ridge",
        label="",
        says=Says(unit="FLOP/B", value=153, on="t4"),
        formula="peak_fp16 / memory_bandwidth",
    )
    found = look(ridge)
    assert found.computed is not None
    assert found.computed.value == pytest.approx(203.125)
    assert found.follows is False


def test_on_other_hardware_the_measurement_is_held_against_the_prediction_not_the_card() -> None:
    found = look(FLOOR, here=[result(floor(3130, "us"))])
    assert found.here is not None
    assert found.here.value == pytest.approx(3.13)
    assert (found.verdict.outcome, found.verdict.reason) == ("holds", "as_predicted")
    assert dict(found.verdict.args)["off"] == pytest.approx(3.13 / 3.127052 - 1, rel=1e-4)
    slow = look(FLOOR, here=[result(floor(4.8))])
    assert (slow.verdict.outcome, slow.verdict.reason) == ("differs", "off_prediction")


def test_on_the_hardware_of_the_card_its_own_value_counts() -> None:
    h100 = {"type": "cuda", "name": "NVIDIA H100 80GB HBM3", "memory_bytes": 85_520_809_984, "sm_count": 132}
    found = look(FLOOR, here=[result(floor(4.5), device=h100)], on=of_device(h100))
    assert (found.verdict.outcome, found.verdict.reason) == ("holds", "within_tolerance")
    off = look(FLOOR, here=[result(floor(6.0), device=h100)], on=of_device(h100))
    assert (off.verdict.outcome, off.verdict.reason) == ("differs", "off_card")
    assert dict(off.verdict.args)["off"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("value", "outcome", "off"), [(290, "holds", -10 / 300), (420, "holds", 0.05), (946, "differs", 1.365)]
)
def test_a_range_holds_inside_and_up_to_its_tolerance_beside(value: float, outcome: str, off: float) -> None:
    kernels = ClaimText(
        id="kernels",
        label="",
        says=Says(unit="", low=300, high=400),
        measured=MeasuredBy("mbu_floor", "kernels_per_step"),
    )
    found = look(kernels, here=[result(Metric("kernels_per_step", value, ""))])
    assert found.verdict.outcome == outcome
    assert dict(found.verdict.args)["off"] == pytest.approx(off)


def test_what_was_measured_here_comes_before_what_is_recorded_and_both_stay_apart() -> None:
    here = result(floor(9.0), device={**H200, "name": "NVIDIA H200 NVL"})
    found = look(FLOOR, here=[here], recorded=[result(floor(3.2))], on=of_key("h200-nvl"))
    assert found.measured is found.here
    as_if = look(FLOOR, here=[here], recorded=[result(floor(3.2))], on=of_key("h200"))
    assert as_if.measured is as_if.recorded  # the GPU that was asked for comes first
    assert found.recorded is not None
    assert found.recorded.recorded
    assert found.recorded.value == pytest.approx(3.2)
    only_recorded = look(FLOOR, recorded=[result(floor(3.2))])
    assert only_recorded.here is None
    assert only_recorded.verdict.reason == "as_predicted"


def test_the_newest_run_that_measured_this_claim_counts_not_the_newest_run() -> None:
    other = result(Metric("floor", 1.0, "ms", {"ceiling": "datasheet", "model": "tinyllama-1.1b"}))
    found = look(FLOOR, here=[other, result(floor(3.2)), result(floor(5.0))])
    assert found.here is not None
    assert found.here.value == pytest.approx(3.2)
    assert look(FLOOR, here=[other]).verdict.reason == "not_in_results"


def test_labels_are_compared_as_decks_write_them() -> None:
    claim = ClaimText(
        id="step",
        label="",
        says=Says(unit="ms", value=14),
        measured=MeasuredBy("mbu_floor", "ms_per_token", (("batch", "1"), ("graph", "true"))),
    )
    metric = Metric("ms_per_token", 14.1, "ms", {"batch": 1, "graph": True, "mode": "eager"})
    assert look(claim, here=[result(metric)]).verdict.outcome == "holds"


def test_of_several_metrics_the_one_the_run_was_set_to_counts() -> None:
    claim = ClaimText(
        id="x",
        label="",
        says=Says(unit="", value=3),
        measured=MeasuredBy("fusion", "speedup", (("variant", "compiled"),)),
    )
    metrics = [
        Metric("speedup", speed, "", {"variant": "compiled", "operands": operands, "rows": rows})
        for operands, rows, speed in (("row", 4096, 1.7), ("row", 16384, 3.0), ("scalar", 16384, 2.0))
    ]
    found = look(claim, here=[result(*metrics, operands="row", rows=16384)])
    assert found.here is not None
    assert found.here.value == 3.0


def test_a_cpu_is_predicted_by_its_measured_copy_and_that_is_said() -> None:
    cpu = of_device(CPU, kept=Ceilings(copy_bandwidth=20e9))
    metric = Metric("floor", 750, "ms", {"ceiling": "measured", "model": "llama-3-8b"})
    copy = Metric("copy_bandwidth", 20, "GB/s")
    found = look(FLOOR, here=[result(metric, copy, device=CPU)], on=cpu)
    assert found.predicted is not None
    assert found.predicted.ceiling == "measured"
    assert found.predicted.value == pytest.approx(750.492, rel=1e-5)
    assert found.verdict.reason == "as_predicted"
    assert dict(found.verdict.args)["ceiling"] == "measured"


def test_a_device_without_ceilings_has_no_prediction() -> None:
    found = look(FLOOR, on=of_device(CPU))
    assert found.predicted is None
    assert found.computed is not None


def test_without_a_formula_other_hardware_is_held_against_the_card_and_that_is_said() -> None:
    claim = ClaimText(
        id="rate",
        label="",
        says=Says(unit="token/s", value=107, on="a100-80"),
        measured=MeasuredBy("mbu_floor", "tokens_per_second"),
    )
    found = look(claim, here=[result(Metric("tokens_per_second", 176, "token/s"))])
    assert (found.verdict.outcome, found.verdict.reason) == ("differs", "other_hardware_differs")


@pytest.mark.parametrize(
    ("claim", "place", "message"),
    [
        ({"formula": "weigth_bytes / memory_bandwidth"}, "formula", "did you mean `weight_bytes`?"),
        ({"formula": "weight_bytes"}, "unit", "a quantity in B can't be given in ms"),
        ({"model": "llama-9"}, "model", "'llama-9' isn't one of the models"),
        ({"model": None}, "model", "`weight_bytes` belongs to a model"),
        ({"quantities": (("x", "25 parsecs"),)}, "quantities.x", "'parsecs' isn't a unit"),
        ({"says": Says(unit="ms", value=1, on="h100")}, "says.on", "'h100' isn't in the table of GPUs"),
        ({"says": Says(unit="msec", value=1)}, "unit", "did you mean"),
        ({"formula": "weight_bytes / (memory_bandwidth - memory_bandwidth)"}, "formula", "divides by zero"),
    ],
)
def test_a_wrong_claim_says_where_and_what(claim: dict[str, Any], place: str, message: str) -> None:
    base = {name: getattr(FLOOR, name) for name in ("id", "label", "says", "formula", "model", "measured")}
    found = look(ClaimText(**(base | claim)))
    assert found.fault is not None
    assert str(found.fault).startswith(f"cards/d.yaml:7: one.claims.floor.{place}: ")
    assert message in str(found.fault)


def test_a_claim_that_cannot_be_checked_says_why() -> None:
    found = look(ClaimText(id="x", label="", says=Says(unit="", value=1), why_not="a report"))
    assert found.verdict.reason == "why_not"
    assert dict(found.verdict.args) == {"text": "a report"}


def test_results_can_be_narrowed_to_one_gpu() -> None:
    h200 = of_key("h200")
    t4 = of_key("t4")
    assert h200 is not None
    assert t4 is not None
    both = Results(lambda lab: [result(device=CPU)], lambda lab: [result()])
    assert [len(only_on(both, h200).recorded("x")), len(only_on(both, h200).here("x"))] == [1, 0]
    assert not only_on(both, t4).recorded("x")
