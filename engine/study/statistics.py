"""What the log says of the learner's work and memory, in numbers that can be drawn.

Worked out from the columns of the log (`log_columns`), so that a million answers take a fraction of a second.
Days are stored study days: a journey through time zones rewrites none of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.study.log_columns import KINDS, Floats, Ints, Log
from engine.study.numbering import day_numbers
from engine.study.study_day import DAY_MINUTES, add_days

MATURE_DAYS = 21
"""From this interval on a card counts as mature: Anki's definition (its manual, "Getting started")."""

LEAST_FOR_CALIBRATION = 100
"""Reviews below which a comparison of predicted and true recall says nothing."""

EDGES = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 1.0)
"""Of the bins that predicted recall is put into: narrower where most reviews lie."""


@dataclass(frozen=True, slots=True)
class DayDone:
    """Answers of a study day by what the card was before; how many were *again*; the minutes they took."""

    day: str
    new: int
    learning: int
    young: int
    mature: int
    again: int
    minutes: float

    @property
    def answers(self) -> int:
        return self.new + self.learning + self.young + self.mature


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row with an answer: up to today (or yesterday: today isn't over), and the longest."""

    now: int
    longest: int
    days: int
    """Study days with an answer at all."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Of reviews of one kind, how many there were and how many were remembered."""

    reviews: int
    remembered: int

    @property
    def share(self) -> float | None:
        """The part that was remembered; None where there was no review."""
        return self.remembered / self.reviews if self.reviews else None

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of the share (Wilson's)."""
        if not self.reviews:
            return 1.0
        n, p, z = self.reviews, self.remembered / self.reviews, 1.96
        return z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)


@dataclass(frozen=True, slots=True)
class TrueRetention:
    """Recall at the first review of a card on a day, of cards that had stayed away a day or more."""

    young: Recall
    mature: Recall

    @property
    def both(self) -> Recall:
        return Recall(
            self.young.reviews + self.mature.reviews, self.young.remembered + self.mature.remembered
        )


@dataclass(frozen=True, slots=True)
class Bin:
    """Reviews whose chance of recall, by FSRS, lay close together: the mean chance, and what came of it."""

    predicted: float
    remembered: float
    reviews: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """FSRS's chances against what was remembered.

    log_loss: lower is better. error: root mean square of predicted − remembered over the bins, weighted by
    their reviews.
    """

    bins: tuple[Bin, ...]
    reviews: int
    log_loss: float
    error: float


@dataclass(frozen=True, slots=True)
class Part:
    """A deck's or topic's share of the work. minutes: of all its answers."""

    name: str
    answers: int
    minutes: float
    retention: TrueRetention


def day_number(day: str) -> int:
    """A study day as the columns count it: days since 1970-01-01."""
    return day_numbers[day]


def day_name(number: int) -> str:
    """The ISO date of a day that `day_number` counted."""
    return add_days("1970-01-01", number)


@lru_cache(maxsize=2)  # several figures of a page go by it
def days_done(log: Log) -> tuple[DayDone, ...]:
    """Every study day with an answer, in order."""
    of = log.columns
    if not len(log):
        return ()
    start = int(of.day.min())
    place = of.day - start
    length = int(place.max()) + 1
    mature = of.interval >= MATURE_DAYS * DAY_MINUTES
    in_review = of.kind == KINDS.index("review")
    sorts = {
        "new": of.kind == KINDS.index("new"),
        "young": in_review & ~mature,
        "mature": in_review & mature,
        "again": of.rating == 1,
    }
    count = {name: np.bincount(place[which], minlength=length) for name, which in sorts.items()}
    whole = np.bincount(place, minlength=length)
    minutes = np.bincount(place, of.took / 60_000, minlength=length)
    learning = whole - count["new"] - count["young"] - count["mature"]
    return tuple(
        DayDone(
            day=day_name(start + at),
            new=int(count["new"][at]),
            learning=int(learning[at]),
            young=int(count["young"][at]),
            mature=int(count["mature"][at]),
            again=int(count["again"][at]),
            minutes=float(minutes[at]),
        )
        for at in np.flatnonzero(whole).tolist()
    )


def streak(days: Sequence[DayDone], today: str) -> Streak:
    """How many study days in a row have an answer."""
    longest = run = 0
    before: str | None = None
    for each in days:
        run = run + 1 if before is not None and add_days(before, 1) == each.day else 1
        longest, before = max(longest, run), each.day
    now = run if before is not None and before >= add_days(today, -1) else 0
    return Streak(now=now, longest=longest, days=len(days))


def true_retention(log: Log, *, since: str | None = None) -> TrueRetention:
    """Recall of young and mature cards (from the study day `since` on)."""
    return _retention(log, _tested(log) & _since(log, since))


def calibration(log: Log, *, since: str | None = None) -> Calibration | None:
    """FSRS's chances against what was remembered; None with fewer than LEAST_FOR_CALIBRATION reviews.

    Each chance is that of the card's state when it was shown, by the parameters of that time.
    """
    predicted = log.predicted
    which = _tested(log) & _since(log, since) & np.isfinite(predicted)
    return compared(predicted[which], (log.columns.rating > 1)[which])


def compared(predicted: Floats, remembered: NDArray[np.bool_]) -> Calibration | None:
    """Chances in [0, 1] against outcomes; None with fewer than LEAST_FOR_CALIBRATION of them."""
    if len(predicted) < LEAST_FOR_CALIBRATION:
        return None
    place = np.clip(np.digitize(predicted, EDGES) - 1, 0, len(EDGES) - 2)
    count = np.bincount(place, minlength=len(EDGES) - 1)
    chance = np.bincount(place, predicted, minlength=len(count))
    came = np.bincount(place, remembered, minlength=len(count))
    bins = tuple(
        Bin(float(chance[at] / count[at]), float(came[at] / count[at]), int(count[at]))
        for at in np.flatnonzero(count).tolist()
    )
    squares = sum(each.reviews * (each.predicted - each.remembered) ** 2 for each in bins)
    return Calibration(
        bins=bins,
        reviews=len(predicted),
        log_loss=float(losses(predicted, remembered).mean()),
        error=math.sqrt(squares / len(predicted)),
    )


def losses(predicted: Floats, remembered: NDArray[np.bool_]) -> Floats:
    """The log loss of each review: what its outcome cost a forecast that gave it this chance."""
    chance = np.clip(predicted, 1e-6, 1 - 1e-6)
    return np.asarray(-np.log(np.where(remembered, chance, 1 - chance)))


def by_part(log: Log, parts: Mapping[str, Ints]) -> tuple[Part, ...]:
    """The work and the recall of each deck or topic that has an answer, most answers first.

    parts: the places of its cards in `log.cards` by name; a card may be in several.
    """
    of = log.columns
    size = len(log.cards)
    answers = np.bincount(of.card, minlength=size)
    minutes = np.bincount(of.card, of.took / 60_000, minlength=size)
    tested = _tested(log)
    mature = _mature(log)
    counts = [
        np.bincount(of.card[which], minlength=size)
        for which in (
            tested & ~mature,
            tested & ~mature & (of.rating > 1),
            tested & mature,
            tested & mature & (of.rating > 1),
        )
    ]
    found = []
    for name, cards in parts.items():
        young, young_known, old, old_known = (int(count[cards].sum()) for count in counts)
        found.append(
            Part(
                name=name,
                answers=int(answers[cards].sum()),
                minutes=float(minutes[cards].sum()),
                retention=TrueRetention(Recall(young, young_known), Recall(old, old_known)),
            )
        )
    return tuple(sorted((each for each in found if each.answers), key=lambda each: -each.answers))


def seconds_an_answer(log: Log) -> float | None:
    """The median time of an answer in seconds, of the newest thousand; None without any."""
    took: Ints = log.columns.took[-1000:]
    return float(np.median(took)) / 1000 if len(took) else None


def _tested(log: Log) -> NDArray[np.bool_]:
    """The first answer to a card on a day, where the interval before it was of a day or more."""
    return np.asarray(log.first_of_day & (log.columns.interval >= DAY_MINUTES))


def _mature(log: Log) -> NDArray[np.bool_]:
    return np.asarray(log.columns.interval >= MATURE_DAYS * DAY_MINUTES)


def _since(log: Log, day: str | None) -> NDArray[np.bool_]:
    if day is None:
        return np.ones(len(log), bool)
    return np.asarray(log.columns.day >= day_number(day))


def _retention(log: Log, which: NDArray[np.bool_]) -> TrueRetention:
    mature, remembered = _mature(log), log.columns.rating > 1

    def recall(of: NDArray[np.bool_]) -> Recall:
        return Recall(int(of.sum()), int((of & remembered).sum()))

    return TrueRetention(young=recall(which & ~mature), mature=recall(which & mature))
