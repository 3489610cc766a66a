"""Each card's memory as its answers explain it, by any parameters of FSRS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, select

from engine.store.tables import reviews
from engine.study import change_log
from engine.study.fit_data import Histories, histories
from engine.study.log_columns import Log
from engine.study.schedule import SchedulerParams
from engine.study.settings import scheduler_of

CLOSE = 0.02
"""A memory within this share of what the answers give is explained by them."""


def memories(
    connection: Connection, log: Log, parameters: Sequence[float], kept: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Stability (days) and difficulty (1 to 10) of cards after their last answer, by these parameters.

    kept: the stability that cards have now. Left out are cards whose beginning isn't in the log, and those
    whose memory came from elsewhere: the answers in the log, by the parameters they were given under, don't
    lead to it.
    """
    of = histories(log)
    if not len(of):
        return {}
    last = of.start[1:] - 1
    places = of.card[last]
    after = of.memories(parameters)
    foreign = _foreign(connection, log, of, kept)
    values = zip(
        places.tolist(), after.stability[last].tolist(), after.difficulty[last].tolist(), strict=True
    )
    found = {log.cards[card]: (stability, difficulty) for card, stability, difficulty in values}
    return {card: memory for card, memory in found.items() if card not in foreign}


def _foreign(connection: Connection, log: Log, of: Histories, kept: Mapping[str, float]) -> set[str]:
    """Cards whose memory isn't what their answers give.

    Told only of cards whose answers were all given under the same parameters: of others it can't be.
    """
    params = [scheduler_of(connection, name) or SchedulerParams() for name in log.schedulers]
    groups = list(dict.fromkeys(each.parameters for each in params))
    group_of = np.array([groups.index(each.parameters) for each in params], np.int64)
    group = group_of[log.columns.scheduler]
    lowest = np.full(len(log.cards), len(groups))
    highest = np.full(len(log.cards), -1)
    np.minimum.at(lowest, log.columns.card, group)
    np.maximum.at(highest, log.columns.card, group)
    last = of.start[1:] - 1
    suspects: dict[str, float] = {}
    for number, parameters in enumerate(groups):
        stability = of.memories(parameters).stability[last]
        for card, given in zip(of.card[last].tolist(), stability.tolist(), strict=True):
            name = log.cards[card]
            uniform = lowest[card] == highest[card] == number
            if uniform and name in kept and not _close(kept[name], given):
                suspects[name] = given
    # put on another day before, or a memory from elsewhere? the last answer says what it led to
    after = _after_last_answer(connection, log, suspects)
    return {card for card, given in suspects.items() if not _close(after.get(card, 0.0), given)}


def _after_last_answer(connection: Connection, log: Log, cards: Mapping[str, float]) -> dict[str, float]:
    """The stability that the last answer to each card led to."""
    columns = log.columns
    order = np.lexsort((columns.id, columns.at))
    last = dict(zip(columns.card[order].tolist(), columns.id[order].tolist(), strict=True))
    of_id = {last[place]: card for place, card in enumerate(log.cards) if card in cards and place in last}
    found: dict[str, float] = {}
    for chunk in change_log.chunks(sorted(of_id)):
        query = select(reviews.c.id, reviews.c.state_after).where(reviews.c.id.in_(chunk))
        for row in connection.execute(query):
            found[of_id[row.id]] = float(row.state_after["stability"])
    return found


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(one, other)
