"""Says whether a measurement agrees with a claim, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from engine.measure.events import Scalar
from engine.study.card import Says

Outcome = Literal["holds", "differs", "not_measured"]
Reason = Literal[
    "within_tolerance",
    "within_range",
    "as_predicted",
    "off_card",
    "off_range",
    "off_prediction",
    "other_hardware_agrees",
    "other_hardware_differs",
    "no_lab",
    "why_not",
    "never_run",
    "not_in_results",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome` with its reason: a code with arguments, put into words by the interface.

    Arguments: `off` is measured ÷ expected − 1 (0.1: ten per cent more; None over an expected 0),
    `tolerance` what is allowed, `expected` the value compared with, `device` where it was measured,
    `ceiling` which ceiling the prediction stands on (datasheet or measured).
    """

    outcome: Outcome
    reason: Reason
    args: tuple[tuple[str, Scalar], ...] = ()


def target(says: Says) -> tuple[float, float]:
    """The lowest and highest value that the card states."""
    low = says.value if says.low is None else says.low
    high = says.value if says.high is None else says.high
    if low is None or high is None:
        raise ValueError("a claim says a value or a range")
    return low, high


def off(value: float, low: float, high: float) -> float:
    """How far `value` lies outside low…high: 0 inside, else its ratio to the nearer end, minus 1."""
    if low <= value <= high:
        return 0.0
    end = low if value < low else high
    return math.inf if end == 0 else (value - end) / abs(end)


def follows(value: float, says: Says, tolerance: float) -> bool:
    """Whether a computed value gives what the card says."""
    return abs(off(value, *target(says))) <= tolerance


def judge(
    measured: float,
    says: Says,
    *,
    tolerance: float,
    same_hardware: bool,
    predicted: float | None,
    device: str,
    ceiling: str = "datasheet",
) -> Verdict:
    """Compares a measurement, in the claim's unit, with the card or with the prediction.

    On the hardware that the card speaks of, or where the claim speaks of none, the card's own value counts;
    on other hardware the formula's prediction for the device that measured does, where there is one.
    """
    if same_hardware or predicted is None:
        low, high = target(says)
        aside = off(measured, low, high)
        agrees = abs(aside) <= tolerance
        reason: Reason
        if not same_hardware:
            reason = "other_hardware_agrees" if agrees else "other_hardware_differs"
        elif low != high:
            reason = "within_range" if agrees else "off_range"
        else:
            reason = "within_tolerance" if agrees else "off_card"
        expected = low if measured < low else high
    else:
        aside = off(measured, predicted, predicted)
        agrees = abs(aside) <= tolerance
        reason = "as_predicted" if agrees else "off_prediction"
        expected = predicted
    args: dict[str, Scalar] = {
        "off": aside if math.isfinite(aside) else None,
        "tolerance": tolerance,
        "expected": expected,
        "device": device,
    }
    if reason in ("as_predicted", "off_prediction"):
        args["ceiling"] = ceiling
    return Verdict("holds" if agrees else "differs", reason, tuple(args.items()))
