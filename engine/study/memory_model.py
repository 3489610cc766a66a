"""FSRS-6 over arrays of cards: the formulas of `fsrs` 6.3.2 (scheduler.py), a million steps a second.

A test holds that each step is that of `fsrs`. Days are study days: 0 is the same day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from fsrs.scheduler import MAX_DIFFICULTY, MIN_DIFFICULTY, STABILITY_MIN

from engine.study.log_columns import Floats, Ints, retrievability

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
DECAY = 20
"""The place of the forgetting curve's exponent among the parameters."""


@dataclass(frozen=True, slots=True)
class Memory:
    """stability: days until recall falls to 90 %. difficulty: 1 to 10. A value a card in each."""

    stability: Floats
    difficulty: Floats


def first(parameters: Sequence[float], rating: Ints) -> Memory:
    """After the first answer to each card."""
    stability = np.maximum(np.asarray(parameters[:4])[rating - 1], STABILITY_MIN)
    return Memory(stability, np.clip(_first_difficulty(parameters, rating), MIN_DIFFICULTY, MAX_DIFFICULTY))


def recall(parameters: Sequence[float], memory: Memory, elapsed: Ints) -> Floats:
    """The chance that each card is remembered `elapsed` days after its last answer."""
    return retrievability(memory.stability, elapsed.astype(np.float64), parameters[DECAY])


def after(parameters: Sequence[float], memory: Memory, elapsed: Ints, rating: Ints) -> Memory:
    """After another answer, `elapsed` days after the one before."""
    stability = np.where(
        elapsed < 1,
        _same_day(parameters, memory.stability, rating),
        np.where(
            rating == AGAIN,
            _forgotten(parameters, memory, elapsed),
            _remembered(parameters, memory, elapsed, rating),
        ),
    )
    return Memory(np.maximum(stability, STABILITY_MIN), _difficulty(parameters, memory.difficulty, rating))


def interval(parameters: Sequence[float], stability: Floats, retention: float, longest: int) -> Ints:
    """Whole days until recall falls to `retention`, from 1 to `longest`."""
    decay = -parameters[DECAY]
    factor = 0.9 ** (1 / decay) - 1
    days = np.rint(stability / factor * (retention ** (1 / decay) - 1))
    return np.asarray(np.clip(days, 1, longest), np.int64)


def _first_difficulty(parameters: Sequence[float], rating: Ints) -> Floats:
    return np.asarray(parameters[4] - np.exp(parameters[5] * (rating - 1.0)) + 1)


def _difficulty(parameters: Sequence[float], difficulty: Floats, rating: Ints) -> Floats:
    moved = difficulty + (10.0 - difficulty) * -(parameters[6] * (rating - 3.0)) / 9.0
    easy = _first_difficulty(parameters, np.asarray(EASY))
    back = parameters[7] * easy + (1 - parameters[7]) * moved
    return np.asarray(np.clip(back, MIN_DIFFICULTY, MAX_DIFFICULTY))


def _same_day(parameters: Sequence[float], stability: Floats, rating: Ints) -> Floats:
    growth = np.exp(parameters[17] * (rating - 3.0 + parameters[18])) * stability ** -parameters[19]
    return np.asarray(stability * np.where(rating == AGAIN, growth, np.maximum(growth, 1.0)))


def _forgotten(parameters: Sequence[float], memory: Memory, elapsed: Ints) -> Floats:
    chance = recall(parameters, memory, elapsed)
    long_term: Floats = np.asarray(
        parameters[11]
        * memory.difficulty ** -parameters[12]
        * ((memory.stability + 1) ** parameters[13] - 1)
        * np.exp((1 - chance) * parameters[14])
    )
    return np.asarray(np.minimum(long_term, memory.stability / np.exp(parameters[17] * parameters[18])))


def _remembered(parameters: Sequence[float], memory: Memory, elapsed: Ints, rating: Ints) -> Floats:
    chance = recall(parameters, memory, elapsed)
    penalty = np.where(rating == HARD, parameters[15], 1.0)
    bonus = np.where(rating == EASY, parameters[16], 1.0)
    growth: Floats = np.asarray(
        np.exp(parameters[8])
        * (11 - memory.difficulty)
        * memory.stability ** -parameters[9]
        * (np.exp((1 - chance) * parameters[10]) - 1)
    )
    return np.asarray(memory.stability * (1 + growth * penalty * bonus))
