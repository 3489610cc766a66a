"""Formulas: arithmetic over named quantities with units, and nothing else."""

from __future__ import annotations

import pytest

from engine.claims.fault import ClaimsError
from engine.claims.formula import evaluate, names
from engine.claims.units import Quantity, quantity, value_in

KNOWN: dict[str, Quantity] = {
    "weights": quantity(16, "GB"),
    "bandwidth": quantity(3.35, "TB/s"),
    "step": quantity(25, "ms"),
    "kernels": quantity(350, ""),
    "launch": quantity(40, "us"),
    "peak": quantity(989, "TFLOP/s"),
    "nothing": quantity(0, "ms"),
}


def value(text: str, unit: str) -> float:
    return value_in(evaluate(text, KNOWN), unit)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("weights / bandwidth", "ms", 4.7761194),
        ("weights / bandwidth / step", "percent", 19.1044776),
        ("kernels * launch", "ms", 14.0),
        ("peak / bandwidth", "FLOP/B", 295.2238806),
        ("max(kernels * launch, weights / bandwidth)", "ms", 14.0),
        ("min(kernels * launch, weights / bandwidth, step)", "us", 4776.1194030),
        ("-(step - 2 * step)", "ms", 25.0),
        ("2 ** 10 * launch ** 1", "ms", 40.96),
        ("kernels ** -1 * 700", "", 2.0),
        ("1 - 12 / 18", "percent", 33.3333333),
        ("weights\n  / bandwidth", "us", 4776.1194030),
        ("1 / step", "token/s", 40.0),
    ],
)
def test_a_formula_gives_its_value_in_the_unit_asked_for(text: str, unit: str, expected: float) -> None:
    assert value(text, unit) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "weights.units",
        "weights[0]",
        "abs(step)",
        "max(step)",
        "max(step, step, key=step)",
        "max(*kernels)",
        "lambda: step",
        "step if kernels else launch",
        "step and launch",
        "step < launch",
        "'25 ms'",
        "True",
        "None",
        "1j",
        "step // launch",
        "step % launch",
        "~kernels",
        "not step",
        "[step]",
        "(step, launch)",
        "f'{step}'",
        "(x := step)",
        "step @ launch",
        "step ** kernels",
        "2 ** 2 ** 9",
        "9 ** 999",
        "step +",
        "",
        "step; launch",
        "step\x00",
        "(" * 300 + "step" + ")" * 300,
        "+".join(["step"] * 500),
        "-" * 100 + "step",
    ],
)
def test_whatever_is_more_than_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ClaimsError):
        evaluate(text, KNOWN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weights + step", "the units don't fit: a quantity in ms can't be added to a quantity in GB"),
        ("step - 1", "a plain number can't be subtracted from a quantity in ms"),
        ("max(step, weights)", "max compares a quantity in ms with a quantity in GB"),
        ("weigths / step", "there is no quantity `weigths`: did you mean `weights`?"),
        ("zzz", "there is no quantity `zzz`: name it under `quantities`"),
        ("step / nothing", "divides by zero"),
        ("nothing ** -1", "divides by zero"),
        ("1e308 * 1e308", "isn't a finite number"),
        ("1e308 ** 16", "too large"),
        ("weights.real", "'weights.real' isn't allowed"),
        ("step ** kernels", "an exponent must be a number"),
    ],
)
def test_a_wrong_formula_says_what_is_wrong_with_it(text: str, message: str) -> None:
    with pytest.raises(ClaimsError) as caught:
        evaluate(text, KNOWN)
    assert message in str(caught.value)


def test_a_result_in_the_wrong_unit_is_refused() -> None:
    with pytest.raises(ClaimsError, match="can't be given in GB"):
        value("weights / bandwidth", "GB")


def test_bytes_do_not_pass_for_floating_point_operations() -> None:
    with pytest.raises(ClaimsError, match="can't be given in FLOP/B"):
        value("bandwidth / peak", "FLOP/B")


def test_the_names_of_a_formula_are_its_quantities_and_not_its_functions() -> None:
    assert names("max(kernels * launch, weights / bandwidth) + max") == {
        "kernels",
        "launch",
        "weights",
        "bandwidth",
        "max",
    }
