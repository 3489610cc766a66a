"""Histories of cards as a fit needs them: ratings and the study days between them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.study import memory_model
from engine.study.log_columns import KINDS, Floats, Ints, Log
from engine.study.memory_model import Memory


@dataclass(frozen=True, slots=True)
class Histories:
    """Answers grouped by history, in order. A history begins with the answer to a new card.

    start: where each history begins, and the number of answers at the end. rating: 1 to 4. elapsed: study
    days since the answer before, 0 for the first. at: UTC milliseconds. card: place in the log's cards.
    left_out: answers of cards whose beginning isn't in the log (brought from elsewhere).
    """

    start: Ints
    rating: Ints
    elapsed: Ints
    at: Ints
    card: Ints
    left_out: int

    def __len__(self) -> int:
        return len(self.rating)

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The answers whose recall FSRS foretells: given on a later day than the one before."""
        return np.asarray(self.elapsed > 0)

    @property
    def place(self) -> Ints:
        """Each answer's place in its history, from 0."""
        return np.arange(len(self)) - np.repeat(self.start[:-1], np.diff(self.start))

    def predicted(self, parameters: Sequence[float]) -> Floats:
        """The chance of recall that these parameters give each answer; NaN for the first of a history."""
        memory = self.memories(parameters)
        before = Memory(np.roll(memory.stability, 1), np.roll(memory.difficulty, 1))
        found = memory_model.recall(parameters, before, self.elapsed) if len(self) else np.empty(0)
        found[self.start[:-1]] = np.nan
        return found

    def memories(self, parameters: Sequence[float]) -> Memory:
        """Each card's memory after each of its answers, by these parameters."""
        place = self.place
        by_place = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place)) if len(self) else np.empty(0, np.int64)
        stability, difficulty = np.zeros(len(self)), np.zeros(len(self))
        for step, end in enumerate(ends.tolist()):
            here = by_place[0 if step == 0 else ends[step - 1] : end]
            if step == 0:
                memory = memory_model.first(parameters, self.rating[here])
            else:
                before = Memory(stability[here - 1], difficulty[here - 1])
                memory = memory_model.after(parameters, before, self.elapsed[here], self.rating[here])
            stability[here], difficulty[here] = memory.stability, memory.difficulty
        return Memory(stability, difficulty)


def histories(log: Log, *, most: int | None = None) -> Histories:
    """The histories of a log.

    most: where there are more answers, whole cards are left away by chance (the same ones each time) until
    about so many are left.
    """
    of = log.columns
    keep = np.ones(len(log), bool)
    if most is not None and len(log) > most:
        share = most / len(log)
        kept = [zlib.crc32(card.encode()) / (1 << 32) < share for card in log.cards]
        keep = np.array(kept, bool)[of.card]
    order = np.lexsort((of.id, of.at, of.card))
    order = order[keep[order]]
    card, kind = of.card[order], of.kind[order]
    begins = np.asarray(kind == KINDS.index("new"))
    other_card = np.ones(len(order), bool)
    other_card[1:] = card[1:] != card[:-1]
    # answers before a card's first beginning have a state that the log doesn't explain
    group = np.cumsum(begins)
    at_card = np.maximum.accumulate(np.where(other_card, group - begins, -1)) if len(order) else group
    known = group > at_card
    order, begins = order[known], begins[known]
    day = of.day[order].astype(np.int64)
    elapsed = np.zeros(len(order), np.int64)
    elapsed[1:] = np.maximum(day[1:] - day[:-1], 0)
    elapsed[begins] = 0
    return Histories(
        start=np.append(np.flatnonzero(begins), len(order)),
        rating=of.rating[order].astype(np.int64),
        elapsed=elapsed,
        at=of.at[order],
        card=of.card[order],
        left_out=int((~known).sum()),
    )
