"""How far off the learner's predictions are, in which direction, by topic and over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, median
from typing import Any, Literal

from engine.claims.evidence import EvidenceRow, Results, row
from engine.claims.hardware_quantities import Hardware, of_key
from engine.claims.predictions import Prediction
from engine.claims.verdict import target
from engine.study.card import Library

CLOSE = 0.1
"""Within this share of the right value a prediction counts as right."""
Against = Literal["measured", "formula", "card"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A prediction beside what it is compared with, in its unit.

    `formula` and `measured` are of the GPU it was made for; `ratio` is predicted ÷ right, 1 where the right
    value lies within what was predicted, None where there is nothing to compare with, or a 0. `against` says
    what "right" is: the measurement where there is one, else the formula, else what the card says.
    """

    prediction: Prediction
    evidence: EvidenceRow
    formula: float | None
    measured: float | None
    ratio: float | None
    against: Against | None

    @property
    def topics(self) -> tuple[str, ...]:
        return self.evidence.card.topics

    @property
    def factor(self) -> float | None:
        """How far off, whichever way: 2 for twice and for half."""
        return None if self.ratio is None else max(self.ratio, 1 / self.ratio)


@dataclass(frozen=True, slots=True)
class Summary:
    """Of `count` predictions: the median factor they are off by, the share within 10 %, too high, too low.

    `bias` is the geometric mean of predicted ÷ right: 1.5 for a learner who says half as much again.
    """

    count: int
    factor: float
    bias: float
    close: float
    high: float
    low: float


def compare(
    made: Iterable[Prediction], library: Library, results: Results, this: Hardware
) -> tuple[Compared, ...]:
    """Each prediction beside the evidence on the GPU it was made for. One whose claim is gone is left out."""
    found = []
    for prediction in made:
        card = library.by_id.get(prediction.card_id)
        claim = next((each for each in card.claims if each.id == prediction.claim_id), None) if card else None
        if card is None or claim is None or claim.says.unit != prediction.unit:
            continue
        evidence = row(card, claim, hardware_named(prediction.gpu, this), results)
        found.append(against(prediction, evidence))
    return tuple(found)


def hardware_named(gpu: str, this: Hardware) -> Hardware:
    """The GPU that a prediction or a record names: a row of the table, this machine's device, or a name."""
    return of_key(gpu) or (this if this.name == gpu else Hardware(name=gpu))


def against(prediction: Prediction, evidence: EvidenceRow) -> Compared:
    """A prediction beside the evidence for its claim, which must be for the GPU it was made for."""
    measured = next((each for each in evidence.measurements if each.is_on(evidence.hardware)), None)
    formula = evidence.predicted
    kind: Against | None
    if measured is not None:
        low = high = measured.value
        kind = "measured"
    elif formula is not None:
        low = high = formula.value
        kind = "formula"
    elif evidence.fault is None:
        low, high = target(evidence.claim.says)
        kind = "card"
    else:
        low = high = 0.0
        kind = None
    return Compared(
        prediction=prediction,
        evidence=evidence,
        formula=None if formula is None else formula.value,
        measured=None if measured is None else measured.value,
        ratio=None if kind is None else ratio(prediction, low, high),
        against=kind,
    )


def ratio(prediction: Prediction, low: float, high: float) -> float | None:
    """Predicted ÷ right, between the nearest ends of both; 1 where they overlap, None where either is 0."""
    if prediction.low <= high and prediction.high >= low:
        return 1.0
    ends = (prediction.low, high) if prediction.low > high else (prediction.high, low)
    return ends[0] / ends[1] if min(ends) > 0 else None


def summary(compared: Iterable[Compared]) -> Summary | None:
    """None where nothing can be compared."""
    ratios = [each.ratio for each in compared if each.ratio is not None]
    if not ratios:
        return None
    logs = [math.log(each) for each in ratios]
    edge = math.log(1 + CLOSE)
    count = len(ratios)
    return Summary(
        count=count,
        factor=math.exp(median(abs(each) for each in logs)),
        bias=math.exp(fmean(logs)),
        close=sum(abs(each) <= edge for each in logs) / count,
        high=sum(each > edge for each in logs) / count,
        low=sum(each < -edge for each in logs) / count,
    )


def by_topic(compared: Sequence[Compared]) -> Mapping[str, Summary]:
    """A summary for each topic, the worst first; a card of several topics counts in each."""
    return _grouped(compared, lambda each: each.topics, key=lambda item: -item[1].factor)


def by_week(compared: Sequence[Compared]) -> Mapping[str, Summary]:
    """A summary for each week, named by the ISO date of its Monday, oldest first."""
    return _grouped(compared, lambda each: (_monday(each.prediction.study_day),), key=lambda item: item[0])


def _monday(study_day: str) -> str:
    day = date.fromisoformat(study_day)
    return (day - timedelta(days=day.weekday())).isoformat()


def _grouped(
    compared: Sequence[Compared],
    of: Callable[[Compared], Iterable[str]],
    key: Callable[[tuple[str, Summary]], Any],
) -> Mapping[str, Summary]:
    groups: dict[str, list[Compared]] = {}
    for each in compared:
        for name in of(each):
            groups.setdefault(name, []).append(each)
    found = [(name, told) for name, group in groups.items() if (told := summary(group)) is not None]
    return dict(sorted(found, key=key))
