"""Quantities as decks write them."""

from __future__ import annotations

import pytest

from engine.claims.fault import ClaimsError
from engine.claims.units import converted, quantity, read, value_in


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("25 ms", "us", 25_000),
        ("25ms", "s", 0.025),
        ("40 µs", "us", 40),
        ("2039 GB/s", "TB/s", 2.039),
        ("25.5 token/s", "token/s", 25.5),
        ("72 percent", "", 0.72),
        ("72 %", "percent", 72),
        ("350", "", 350),
        ("1e3 KiB", "B", 1_024_000),
        ("128 KB", "B", 128_000),
        ("67 TFLOP/s", "GFLOP/s", 67_000),
        ("-.5 ms", "us", -500),
        ("3 ×", "", 3),
    ],
)
def test_a_quantity_is_a_number_with_a_unit(text: str, unit: str, expected: float) -> None:
    assert value_in(read(text), unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text", ["", "ms", "25 parsecs", "2,5 ms", "25 ms/", "25 /s", "nan", "1 s*s", "3 m s"]
)
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ClaimsError):
        read(text)


def test_an_unknown_unit_says_what_is_close() -> None:
    with pytest.raises(ClaimsError, match="'TFLOPS' isn't a unit: did you mean TFLOP\\?"):
        quantity(1, "TFLOPS/s")


def test_units_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(ClaimsError, match="a quantity in ms can't be given in GB"):
        converted(1, "ms", "GB")
