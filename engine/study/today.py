"""What time it is for the learner: an instant and a study day that never run backwards."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from engine.study import change_log, review_log
from engine.study.study_day import add_days, day_start_ms, study_day

JITTER_MS = 60_000
"""Clocks are corrected by seconds all the time: only a step back beyond this is worth a warning."""


@dataclass(frozen=True, slots=True)
class Now:
    """The instant and the study day that count.

    Neither lies before that of the last answer, nor of the last change of a card: travelling west or a clock
    set back gives no day twice and no negative interval. The instant lies after that of the last change, so
    that what came last is always known. `set_back` says that the clock stands before the last answer.
    """

    ms: int
    day: str
    day_ends_ms: int
    zone: str
    set_back: bool
    last_answer_ms: int | None


def now_for_learner(connection: Connection, clock_ms: int, zone: str, rollover_hour: int) -> Now:
    """What counts as now when the clock says `clock_ms` in `zone`. Raises UnknownZone."""
    last = review_log.last_given(connection)
    changed = change_log.last_that_counts(connection)
    ms = clock_ms if last is None else max(clock_ms, last.reviewed_at_ms)
    if changed is not None:
        ms = max(ms, changed.at_ms + 1)
    day = study_day(ms, zone, rollover_hour)
    for before in (last, changed):
        if before is not None:
            day = max(day, before.study_day)
    return Now(
        ms=ms,
        day=day,
        day_ends_ms=max(day_start_ms(add_days(day, 1), zone, rollover_hour), ms),
        zone=zone,
        set_back=last is not None and clock_ms < last.reviewed_at_ms - JITTER_MS,
        last_answer_ms=None if last is None else last.reviewed_at_ms,
    )
