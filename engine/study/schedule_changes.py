"""Changes what the schedule is set to beyond the settings, and says what it was set to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from engine.store import Store
from engine.study import schedule_plan
from engine.study.schedule_plan import Change, Kind, SchedulePlan, ScheduleRefused, plan_in
from engine.study.settings import load_in, remember
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner

__all__ = ["Change", "SchedulePlan", "ScheduleRefused", "change", "history", "plan"]


def plan(store: Store) -> SchedulePlan:
    """What holds now."""
    with store.read() as connection:
        return plan_in(connection)


def history(store: Store, kind: Kind | None = None) -> tuple[Change, ...]:
    """Every change that was made, the newest first."""
    with store.read() as connection:
        return schedule_plan.changes(connection, kind)


def change(
    store: Store,
    kind: Kind,
    value: Mapping[str, Any],
    *,
    deck: str = "",
    now: datetime,
    zone: str,
    nonce: str,
) -> SchedulePlan:
    """Makes a change and returns what holds then; an empty `value` goes back to the default.

    Intervals that were shown before it are still the ones given; cards keep the days they are due on until
    they are answered. Raises ScheduleRefused, UnknownZone.
    """
    with store.begin() as connection:
        settings = load_in(connection)
        moment = now_for_learner(connection, to_ms(now), zone, settings.rollover_hour)
        before = plan_in(connection)
        schedule_plan.add(
            connection,
            kind,
            value,
            deck=deck,
            now_ms=moment.ms,
            study_day=moment.day,
            zone=zone,
            nonce=nonce,
        )
        after = plan_in(connection)
        for params in (*before.schedulers(settings.scheduler), *after.schedulers(settings.scheduler)):
            remember(connection, params)
        return after
