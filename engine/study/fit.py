"""FSRS's parameters fitted to one's own log, and whether they foretell its newest answers better.

The newest part of the log is held back. The parameters are fitted to the rest by `fsrs-rs-python`, and only
then compared with those in use on the reviews held back, which the fit has not seen. What is offered are the
very parameters that were compared. No fit is made of a log too short to tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from fsrs.scheduler import DEFAULT_PARAMETERS, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS
from numpy.typing import NDArray

from engine.study.fit_data import Histories, histories
from engine.study.log_columns import Floats, Log
from engine.study.statistics import Calibration, compared, losses
from engine.study.study_day import from_ms

HELD_BACK = 0.2
"""The part of the reviews, the newest, that the parameters are tried on."""

LEAST_FITTED, LEAST_HELD_BACK = 400, 100
"""Reviews below which no fit is made: our own bounds. On fewer held back, chance hides what a fit gains."""

MOST = 200_000
"""Answers that a fit looks at: whole cards are left away by chance beyond it. More changes no digit shown."""

DIGITS = 4
"""Decimals that parameters are kept with: more differ between machines and change no interval."""

Verdict = Literal["better", "same", "worse"]


@dataclass(frozen=True, slots=True)
class NotEnough:
    """Too few reviews to fit: those there are, and those it takes.

    Second answers on one day don't count, nor do those of cards whose beginning isn't in the log
    (`left_out`).
    """

    reviews: int
    needed: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Tried:
    """How well parameters foretold the reviews held back; log_loss: lower is better."""

    log_loss: float
    calibration: Calibration | None


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted parameters and how they did on the reviews held back, beside the others.

    verdict: against those in use; `same` where the difference is within its standard error. gain: log loss
    of those in use less that of the fitted ones, with its standard error. fitted, held_back: reviews.
    from_day: the UTC date from which reviews were held back. left_out: answers of cards whose beginning isn't
    in the log.
    """

    parameters: tuple[float, ...]
    verdict: Verdict
    gain: float
    gain_error: float
    fitted: int
    held_back: int
    from_day: str
    own: Tried
    in_use: Tried
    default: Tried
    left_out: int

    def to_change(self) -> dict[str, Any]:
        """As a change of the schedule keeps it (`schedule_plan`, kind `parameters`)."""
        return {
            "parameters": list(self.parameters),
            "fitted": self.fitted,
            "held_back": self.held_back,
            "log_loss": round(self.own.log_loss, DIGITS),
            "log_loss_before": round(self.in_use.log_loss, DIGITS),
            "log_loss_default": round(self.default.log_loss, DIGITS),
        }


def fit(
    log: Log,
    in_use: Sequence[float] = DEFAULT_PARAMETERS,
    *,
    held_back: float = HELD_BACK,
    relearning_steps: int = 1,
) -> Fit | NotEnough:
    """Fits to the older part of a log and tries the outcome on the newest (the part `held_back`).

    in_use: the parameters that the schedule uses now.
    """
    of = histories(log, most=MOST)
    counted = of.counted
    reviews = int(counted.sum())
    needed = math.ceil(max(LEAST_FITTED / (1 - held_back), LEAST_HELD_BACK / held_back))
    if reviews < needed:
        return NotEnough(reviews, needed, of.left_out)
    split = int(np.sort(of.at[counted])[round(reviews * (1 - held_back))])
    late = counted & (of.at >= split)
    parameters = fitted(of, counted & (of.at < split), relearning_steps=relearning_steps)
    remembered = (of.rating > 1)[late]
    chances = [of.predicted(each)[late] for each in (parameters, in_use, DEFAULT_PARAMETERS)]
    own, now, default = (losses(chance, remembered) for chance in chances)
    gain, error = _gain(own, now, of.card[late])
    verdict: Verdict = "same" if abs(gain) <= error else "better" if gain > 0 else "worse"
    tried = [
        Tried(float(lost.mean()), compared(c, remembered))
        for lost, c in zip((own, now, default), chances, strict=True)
    ]
    return Fit(
        parameters=parameters,
        verdict=verdict,
        gain=gain,
        gain_error=error,
        fitted=reviews - int(late.sum()),
        held_back=int(late.sum()),
        from_day=from_ms(split).date().isoformat(),
        own=tried[0],
        in_use=tried[1],
        default=tried[2],
        left_out=of.left_out,
    )


def fitted(of: Histories, which: NDArray[np.bool_], *, relearning_steps: int = 1) -> tuple[float, ...]:
    """The parameters that foretell the answers `which` best, rounded, within FSRS's bounds."""
    import fsrs_rs_python as rs  # only a fit needs it

    items, cards = [], []
    starts = np.repeat(of.start[:-1], np.diff(of.start))
    reviews = [
        rs.FSRSReview(rating, elapsed)
        for rating, elapsed in zip(of.rating.tolist(), of.elapsed.tolist(), strict=True)
    ]
    for at in np.flatnonzero(which).tolist():
        items.append(rs.FSRSItem(reviews[int(starts[at]) : at + 1]))
        cards.append(int(of.card[at]))
    found = rs.FSRS(list(DEFAULT_PARAMETERS)).compute_parameters(
        items, cards, enable_short_term=True, num_relearning_steps=relearning_steps
    )
    bounds = zip(found, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True)
    return tuple(round(min(max(number, low), high), DIGITS) for number, low, high in bounds)


def _gain(own: Floats, other: Floats, cards: NDArray[Any]) -> tuple[float, float]:
    """How much less the own parameters lost a review, and the standard error of it.

    Reviews of one card depend on each other: the error is that between cards, not between reviews.
    """
    gain = other - own
    mean = float(gain.mean())
    _, card = np.unique(cards, return_inverse=True)
    apart = np.bincount(card, gain - mean)
    return mean, math.sqrt(float((apart**2).sum())) / len(gain)


def told(change: Mapping[str, Any]) -> tuple[float, float] | None:
    """Log loss before and after, as a kept change tells it; None where it doesn't."""
    before, now = change.get("log_loss_before"), change.get("log_loss")
    both = isinstance(before, int | float) and isinstance(now, int | float)
    return (float(before), float(now)) if both else None  # type: ignore[arg-type]
