"""What the next months bring by FSRS: what a desired retention costs, and what a backlog does.

The learner's own cards are answered in a simulation, day by day: each review is remembered with the chance
that FSRS gives it, and the card goes where FSRS sends it. Small collections are simulated many times over and
the mean is taken, so that no figure hangs on one throw of the dice. Seeded: the same cards give the same
answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.study import memory_model
from engine.study.log_columns import KINDS, Ints, Log
from engine.study.memory_model import AGAIN, EASY, GOOD, HARD, Memory
from engine.study.schedule import LONGEST_DAYS, SchedulerParams
from engine.study.standing import Standing

SIMULATED = 4000
"""Cards that are simulated at least: a smaller collection is taken several times."""

MOST_SIMULATED = 20_000
"""Cards that are simulated at most: of a larger collection a part, and the figures are scaled up."""

SECONDS = 20.0
"""What an answer is taken to cost where there is no log yet: our own guess, said so beside the figure."""

_NEVER = LONGEST_DAYS * 2
"""Days until a card comes that was never answered."""

LEAST_FOR_HABITS = 100
"""Answers of one kind below which FSRS's own figures are taken for how the learner grades."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How the learner grades, as shares.

    first: again, hard, good, easy of new cards. remembered: hard, good, easy of remembered reviews. seconds:
    an answer. The defaults are those of fsrs-rs 6.6 (`default_simulator_config`).
    """

    first: tuple[float, float, float, float] = (0.24, 0.094, 0.495, 0.171)
    remembered: tuple[float, float, float] = (0.224, 0.631, 0.145)
    seconds: float = SECONDS
    measured: bool = False
    """Whether `seconds` is the learner's own."""


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards as the simulation takes them, a value a card in each array.

    due, since: days, as in `Standing`. new: cards never answered.
    """

    stability: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    due: NDArray[np.int64]
    since: NDArray[np.int64]
    new: int

    def __len__(self) -> int:
        return len(self.stability)


@dataclass(frozen=True, slots=True)
class Work:
    """What is simulated. reviews_per_day, new_per_day: limits. pause: days from today without an answer."""

    params: SchedulerParams
    days: int
    reviews_per_day: int
    new_per_day: int
    pause: int = 0
    habits: Habits = field(default_factory=Habits)


@dataclass(frozen=True, slots=True)
class Outlook:
    """A value a day in each, today first.

    reviews: done, of cards in review. answers: with those in learning and after forgetting. waiting: due and
    not done at the day's end. forgotten: of the reviews. known: cards expected to be remembered at the end.
    """

    reviews: tuple[float, ...]
    answers: tuple[float, ...]
    waiting: tuple[float, ...]
    forgotten: tuple[float, ...]
    known: float
    seconds: float
    """An answer."""

    @property
    def reviews_a_day(self) -> float:
        return sum(self.reviews) / len(self.reviews)

    @property
    def minutes_a_day(self) -> float:
        return sum(self.answers) * self.seconds / 60 / len(self.answers)


@dataclass(frozen=True, slots=True)
class Backlog:
    """What cards that wait cost, beside the same days without them.

    cards: due today or before. minutes: to answer them. clear_after: days until none is left waiting; None:
    not within the days simulated. forgotten: how many more of them are expected to be forgotten when they
    come than would have been on their day.
    """

    cards: float
    minutes: float
    clear_after: int | None
    forgotten: float
    outlook: Outlook


def habits(log: Log) -> Habits:
    """How the learner grades, from the log where it has enough of each."""
    of = log.columns
    first = np.bincount(of.rating[of.kind == KINDS.index("new")], minlength=5)[1:5]
    later = np.bincount(of.rating[of.kind == KINDS.index("review")], minlength=5)[2:5]
    known = Habits()
    took = of.took[-1000:]
    return Habits(
        first=_shares(first) if first.sum() >= LEAST_FOR_HABITS else known.first,  # type: ignore[arg-type]
        remembered=_shares(later) if later.sum() >= LEAST_FOR_HABITS else known.remembered,  # type: ignore[arg-type]
        seconds=float(np.median(took)) / 1000 if len(took) else known.seconds,
        measured=len(took) > 0,
    )


def cards_of(standing: Standing) -> Cards:
    """The cards that were answered and have a memory, as they stand."""
    has = np.isfinite(standing.stability) & np.isfinite(standing.difficulty)
    return Cards(
        stability=standing.stability[has],
        difficulty=standing.difficulty[has],
        due=standing.due[has],
        since=np.maximum(standing.since[has], 0),  # the last answer may lie in a zone that is a day ahead
        new=standing.new,
    )


def outlook(cards: Cards, work: Work, *, seed: int = 1) -> Outlook:
    """The days ahead as the simulation has them, in means of the learner's own collection."""
    run = _Run(cards, work, np.random.default_rng(seed))
    for day in range(work.days):
        run.day(day)
    return run.outlook()


def cost_of_retention(
    cards: Cards, work: Work, retentions: Sequence[float], *, seed: int = 1
) -> dict[float, Outlook]:
    """What each desired retention would bring, all cards put on the days that it gives them."""
    found = {}
    for retention in retentions:
        params = replace(work.params, desired_retention=retention)
        spaced = memory_model.interval(
            params.parameters, cards.stability, retention, work.params.maximum_days
        )
        moved = Cards(cards.stability, cards.difficulty, spaced - cards.since, cards.since, cards.new)
        changed = Work(params, work.days, work.reviews_per_day, work.new_per_day, work.pause, work.habits)
        found[retention] = outlook(moved, changed, seed=seed)
    return found


def backlog(cards: Cards, work: Work, *, seed: int = 1) -> Backlog:
    """What the cards waiting (after `work.pause` days without an answer) cost at the limit of the work."""
    ahead = outlook(cards, work, seed=seed)
    start = work.pause
    waiting = cards.due <= start
    elapsed = np.maximum(cards.since + start, 0)
    on_their_day = np.maximum(cards.since + cards.due, 0)
    memory = Memory(cards.stability[waiting], cards.difficulty[waiting])
    # where in the queue a card stands decides how much longer it waits
    place = np.argsort(np.argsort(cards.due[waiting], kind="stable"), kind="stable")
    longer = place // max(work.reviews_per_day, 1)
    then = memory_model.recall(work.params.parameters, memory, elapsed[waiting] + longer)
    in_time = memory_model.recall(work.params.parameters, memory, on_their_day[waiting])
    number = int(waiting.sum())
    forgotten = sum(ahead.forgotten) / sum(ahead.reviews) if sum(ahead.reviews) else 0.0
    answers_each = 1 + forgotten * len(
        work.params.relearning_steps
    )  # new cards cost theirs without a backlog
    return Backlog(
        cards=number,
        minutes=number * answers_each * work.habits.seconds / 60,
        clear_after=next((day for day in range(start, work.days) if ahead.waiting[day] < 0.5), None),
        forgotten=float((in_time - then).sum()),
        outlook=ahead,
    )


class _Run:
    """One simulation: the cards' arrays, and what was counted each day."""

    def __init__(self, cards: Cards, work: Work, dice: np.random.Generator) -> None:
        self.work, self.dice = work, dice
        number, fresh = len(cards), cards.new
        whole = max(1, number + fresh)
        if whole > MOST_SIMULATED:
            taken = dice.choice(number, round(number * MOST_SIMULATED / whole), replace=False)
            fresh = round(fresh * MOST_SIMULATED / whole)
        else:
            times = math.ceil(SIMULATED / whole)
            taken, fresh = np.tile(np.arange(number), times), fresh * times
        self.scale = whole / max(1, len(taken) + fresh)
        """Cards of the learner's for each that is simulated."""
        self.stability = np.concatenate([cards.stability[taken], np.zeros(fresh)])
        self.difficulty = np.concatenate([cards.difficulty[taken], np.zeros(fresh)])
        self.due = np.concatenate([cards.due[taken], np.full(fresh, _NEVER)])
        self.last = np.concatenate([-cards.since[taken], np.zeros(fresh, np.int64)])
        self.started = len(taken)
        """Cards before this place were answered; those from it on are new."""
        self.learnt = 0
        self.counted: list[tuple[float, float, float, float]] = []

    def day(self, day: int) -> None:
        """Answers what is due within the limits."""
        if day < self.work.pause:
            self.counted.append((0.0, 0.0, float((self.due <= day).sum()), 0.0))
            return
        limit = round(self.work.reviews_per_day / self.scale)
        due = np.flatnonzero(self.due <= day)
        waiting = max(0, len(due) - limit)
        if waiting:
            due = due[np.argsort(self.due[due], kind="stable")[:limit]]
        forgotten, again = self._review(due, day)
        # of a part of the collection not every day has a whole new card
        wanted = self.work.new_per_day * (day - self.work.pause + 1) / self.scale
        fresh = min(round(wanted) - self.learnt, len(self.due) - self.started)
        self.learnt += fresh
        learnt = self._learn(fresh, day)
        self.counted.append(
            (float(len(due)), float(len(due) + again + learnt), float(waiting), float(forgotten))
        )

    def _review(self, due: Ints, day: int) -> tuple[int, int]:
        """Reviews these cards; how many were forgotten, and the answers it took to learn them again."""
        params = self.work.params.parameters
        memory, elapsed = Memory(self.stability[due], self.difficulty[due]), day - self.last[due]
        known = self.dice.random(len(due)) < memory_model.recall(params, memory, elapsed)
        grade = self.dice.choice([HARD, GOOD, EASY], len(due), p=self.work.habits.remembered)
        memory = memory_model.after(params, memory, elapsed, np.where(known, grade, AGAIN))
        steps = len(self.work.params.relearning_steps)
        for _ in range(steps):  # good at each step of relearning, on the same day
            same_day = np.zeros(len(due), np.int64)
            relearnt = memory_model.after(params, memory, same_day, np.full(len(due), GOOD))
            memory = Memory(
                np.where(known, memory.stability, relearnt.stability),
                np.where(known, memory.difficulty, relearnt.difficulty),
            )
        self._put(due, memory, day)
        forgotten = int((~known).sum())
        return forgotten, forgotten * steps

    def _learn(self, number: int, day: int) -> int:
        """Shows so many new cards; how many answers that took."""
        params = self.work.params
        new = np.arange(self.started, self.started + number)
        rating = self.dice.choice([AGAIN, HARD, GOOD, EASY], number, p=self.work.habits.first)
        memory = memory_model.first(params.parameters, rating)
        steps = np.where(rating == EASY, 0, len(params.learning_steps))
        for step in range(len(params.learning_steps)):
            learnt = memory_model.after(
                params.parameters, memory, np.zeros(number, np.int64), np.full(number, GOOD)
            )
            memory = Memory(
                np.where(steps > step, learnt.stability, memory.stability),
                np.where(steps > step, learnt.difficulty, memory.difficulty),
            )
        self._put(new, memory, day)
        self.started += number
        return number + int(steps.sum())

    def _put(self, cards: Ints, memory: Memory, day: int) -> None:
        params = self.work.params
        days = memory_model.interval(
            params.parameters, memory.stability, params.desired_retention, params.maximum_days
        )
        self.stability[cards], self.difficulty[cards] = memory.stability, memory.difficulty
        self.last[cards], self.due[cards] = day, day + days

    def outlook(self) -> Outlook:
        reviews, answers, waiting, forgotten = (
            tuple(value * self.scale for value in values) for values in zip(*self.counted, strict=True)
        )
        here = slice(0, self.started)
        memory = Memory(self.stability[here], self.difficulty[here])
        chance = memory_model.recall(self.work.params.parameters, memory, self.work.days - self.last[here])
        return Outlook(
            reviews=reviews,
            answers=answers,
            waiting=waiting,
            forgotten=forgotten,
            known=float(chance.sum()) * self.scale,
            seconds=self.work.habits.seconds,
        )


def _shares(counts: NDArray[np.int64]) -> tuple[float, ...]:
    whole = counts.sum()
    return tuple(float(count / whole) for count in counts)
