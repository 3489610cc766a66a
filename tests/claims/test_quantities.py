"""Quantities worked out from others, corrections, and the faults of both with their place in the deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from engine.claims.compute import check, compute, faults, on_card
from engine.claims.fault import ClaimsError
from engine.claims.hardware_quantities import of_key
from engine.study.card import ClaimText, Correction, Says
from engine.study.library import load_library

DECK = """\
deck:
  id: own
  title: Own
  language: en
  document: Notes
  quantities:
    kernels: "350"
    launch_cost: 40 us
    cpu_step: kernels * launch_cost
    unused: launch_cost * kernels
cards:
  - id: own-step
    kind: question
    title: A step
    prompt: How long is it?
    answer:
      - heading: Fourteen
        text: 14 ms.
    claims:
      - id: step
        label: A step
        says: {SAYS}
        formula: FORMULA
        EXTRA
"""


def claim(
    formula: str,
    value: float = 14,
    unit: str = "ms",
    *,
    on: str | None = None,
    model: str | None = None,
    right: float | None = None,
    **quantities: str,
) -> ClaimText:
    return ClaimText(
        id="one",
        label="one",
        says=Says(unit=unit, value=value, on=on),
        formula=formula,
        model=model,
        quantities=tuple(quantities.items()),
        correction=None if right is None else Correction(Says(unit=unit, value=right, on=on), "because"),
    )


def deck(
    tmp_path: Path, says: str = "value: 14, unit: ms", formula: str = "cpu_step", extra: str = ""
) -> Path:
    path = tmp_path / "own.yaml"
    text = DECK.replace("SAYS", says).replace("FORMULA", formula)
    path.write_text(text.replace("        EXTRA\n", extra), encoding="utf-8")
    return path


def found_faults(path: Path) -> list[str]:
    library = load_library([path], lab_names=None, cache=None)
    return [f"{fault.line}: {fault.field}: {fault.message}" for fault in (*library.faults, *faults(library))]


def test_a_quantity_may_be_worked_out_from_others_of_the_claim_the_model_and_the_device() -> None:
    step = claim(
        "max(cpu_step, gpu_step)",
        on="t4",
        model="tinyllama-1.1b",
        cpu_step="kernels * launch_cost",
        gpu_step="weight_bytes / memory_bandwidth + kernels * 4 * one_us",
        kernels="350",
        launch_cost="40 us",
        one_us="1 us",
    )
    check(step)
    found = on_card(step)
    assert found is not None
    assert found.value == pytest.approx(14)
    assert found.on_device
    slower = compute(replace(step, formula="gpu_step"), of_key("t4"))
    assert slower is not None
    assert slower.value == pytest.approx(6.46572 + 1.4, rel=1e-4)


@pytest.mark.parametrize(
    ("quantities", "field", "message"),
    [
        ({"a": "b * 2", "b": "a / 2"}, "quantities.a", "is worked out from itself: a → b → a"),
        ({"a": "a + 1"}, "quantities.a", "is worked out from itself: a → a"),
        ({"a": "b / (b - b)", "b": "1 ms"}, "quantities.a", "divides by zero"),
        ({"a": "b + c", "b": "1 ms", "c": "1 B"}, "quantities.a", "the units don't fit"),
        ({"a": "bb * 2", "b": "1 ms"}, "quantities.a", "there is no quantity `bb`: did you mean `b`?"),
        ({"a": "__import__('os')"}, "quantities.a", "isn't allowed"),
        ({"a": "5 mss"}, "quantities.a", "isn't a unit"),
        ({"a": "1 ms", "other": "5 mss"}, "quantities.other", "isn't a unit"),
    ],
)
def test_a_quantity_that_cant_be_worked_out_is_named(
    quantities: Mapping[str, str], field: str, message: str
) -> None:
    with pytest.raises(ClaimsError) as caught:
        check(replace(claim("a"), quantities=tuple(quantities.items())))
    assert caught.value.field == field
    assert message in caught.value.message


def test_the_quantities_of_a_deck_serve_the_claims_that_need_them_and_no_others(tmp_path: Path) -> None:
    path = deck(tmp_path)
    assert found_faults(path) == []
    (step,) = load_library([path], lab_names=None, cache=None).by_id["own-step"].claims
    assert dict(step.quantities) == {
        "cpu_step": "kernels * launch_cost",
        "kernels": "350",
        "launch_cost": "40 us",
    }


def test_a_figure_that_does_not_follow_is_a_fault_at_the_line_of_its_claim(tmp_path: Path) -> None:
    (fault,) = found_faults(deck(tmp_path, says="value: 20, unit: ms"))
    assert fault.startswith("20: own-step.claims.step.says: the formula gives 14 ms, the card says 20 ms")
    assert "`correction`" in fault


def test_a_correction_that_the_formula_gives_settles_it_and_arrives_on_the_card(tmp_path: Path) -> None:
    extra = "        correction: {value: 0.014, unit: s, reason: forty times three hundred and fifty}\n"
    path = deck(tmp_path, says="value: 20, unit: ms", extra=extra)
    assert found_faults(path) == []
    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        (step,) = load_library([path], lab_names=None, cache=cache).by_id["own-step"].claims
        assert step.says.value == 20
        assert step.correction == Correction(
            Says(unit="s", value=0.014), "forty times three hundred and fifty"
        )
        assert step.line == 20


@pytest.mark.parametrize(
    ("says", "extra", "message"),
    [
        ("value: 14, unit: ms", "correction: {value: 15, reason: r}", "correction: isn't needed"),
        ("value: 20, unit: ms", "correction: {value: 15, reason: r}", "which isn't the 15 ms given as right"),
        ("value: 20, unit: ms", "correction: {value: 15, unit: B, reason: r}", "can't be given in ms"),
        ("value: 20, unit: ms", "correction: {reason: r}", "needs either `value`, or `low` and `high`"),
        ("value: 20, unit: ms", "correction: {value: 14}", "correction.reason: is missing"),
    ],
)
def test_a_correction_that_is_none_is_a_fault(tmp_path: Path, says: str, extra: str, message: str) -> None:
    found = found_faults(deck(tmp_path, says=says, extra=f"        {extra}\n"))
    assert len(found) == 1
    assert message in found[0]


def test_a_correction_needs_a_formula_that_gives_it(tmp_path: Path) -> None:
    path = deck(tmp_path, extra="        correction: {value: 15, reason: r}\n")
    text = path.read_text(encoding="utf-8").replace("        formula: cpu_step\n", "        why_not: w\n")
    path.write_text(text, encoding="utf-8")
    (fault,) = found_faults(path)
    assert "correction: needs a `formula`" in fault


def test_a_formula_of_the_device_is_not_held_against_a_card_that_names_no_hardware() -> None:
    check(claim("memory_bytes / memory_bandwidth", 1))
    with pytest.raises(ClaimsError, match="the card says 1 ms"):
        check(claim("memory_bytes / memory_bandwidth", 1, on="t4"))
