"""A backlog of so many cards as one types it: what the collection would look like with that many waiting."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.study.faults import StudyError
from engine.study.workload import Cards

MOST = 100_000
"""Cards: more are no backlog that a person could have."""

Fault = Literal["not_a_number", "too_few", "too_many", "no_cards"]
_GROUPED = re.compile(r"\d{1,3}(?:([ .,'\u00a0\u202f\u2009\u2019])\d{3})(?:\1\d{3})*")


class BacklogRefused(StudyError):
    """What was typed is no number of cards, or there is no card to take it from."""

    def __init__(self, code: Fault) -> None:
        self.code = code
        super().__init__(
            {
                "not_a_number": "A backlog is a whole number of cards, such as 120.",
                "too_few": "A backlog has at least one card.",
                "too_many": f"A backlog of more than {MOST} cards can't be worked out.",
                "no_cards": "No card was answered yet, so there is nothing to foretell from.",
            }[code]
        )


@dataclass(frozen=True, slots=True)
class Supposed:
    """The cards with the backlog. times: how often each of the learner's own stands in it.

    days: after how many days without an answer that many would be waiting.
    """

    cards: Cards
    times: int
    days: int


def read(text: str) -> int | None:
    """The number of cards that was typed: digits, also full-width, thousands set apart.

    None where nothing was typed. Raises BacklogRefused.
    """
    typed = text.strip()
    if not typed:
        return None
    if _GROUPED.fullmatch(typed):
        typed = re.sub(r"\D", "", typed)
    if re.fullmatch(r"[-−]\d+", typed):
        raise BacklogRefused("too_few")
    if not typed.isdecimal():
        raise BacklogRefused("not_a_number")
    if len(typed.lstrip("0")) > len(str(MOST)):
        raise BacklogRefused("too_many")
    number = int(typed)
    if number < 1:
        raise BacklogRefused("too_few")
    if number > MOST:
        raise BacklogRefused("too_many")
    return number


def suppose(cards: Cards, number: int) -> Supposed:
    """The cards as they would stand with `number` of them due today or before.

    More than are waiting now: as after days off, and of those that come on the last of them only as many as
    needed. Fewer: the longest overdue are left, the others count as done today. A smaller collection is taken
    several times over. Raises BacklogRefused.
    """
    if not len(cards):
        raise BacklogRefused("no_cards")
    times = math.ceil(number / len(cards))
    stability, difficulty = np.tile(cards.stability, times), np.tile(cards.difficulty, times)
    due, since = np.tile(cards.due, times), np.tile(cards.since, times)
    order = np.argsort(due, kind="stable")
    first, rest = order[:number], order[number:]
    days = max(0, int(due[first].max()))
    interval = np.maximum(since + due, 1)
    due, since = due - days, since + days
    over = rest[due[rest] <= 0]
    if days:
        due[over] = 1
    else:
        due[over], since[over] = interval[over], 0
    return Supposed(Cards(stability, difficulty, due, since, cards.new * times), times, days)
