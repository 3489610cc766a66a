"""What the schedule is set to beyond the settings: fitted parameters, retention by deck, easy days.

Each change is a row that is added to a log and never altered; of those of one kind and deck the newest
holds. So every change can be taken back, by adding the value that held before, and two machines that have the
same changes have the same schedule.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from fsrs.scheduler import DEFAULT_PARAMETERS, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS
from sqlalchemy import Connection, Row, insert, select

from engine.store.schedule_tables import schedule_changes as table
from engine.store.tables import cards
from engine.study.faults import StudyError
from engine.study.schedule import EVERY_DAY, SchedulerParams

Kind = Literal["parameters", "retention", "easy_days"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RETENTION = (0.7, 0.99)
"""Lowest and highest desired retention, as in the settings."""

LONGEST_NONCE = 64
_AT_ONCE = 400


class ScheduleRefused(StudyError):
    """A value that the schedule can't be set to; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the log.

    `value` by kind: {"parameters": […], and what the fit found}, {"retention": 0.9}, {"percent": [Monday …
    Sunday]}; empty, it goes back to the default.
    """

    kind: Kind
    deck: str
    value: Mapping[str, Any]
    made_at_ms: int
    study_day: str
    nonce: str


@dataclass(frozen=True, slots=True)
class SchedulePlan:
    """What holds now. retention: by deck, where it isn't that of the settings. easy_days: percent of a usual
    day's cards, Monday to Sunday."""

    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    retention: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    easy_days: tuple[int, ...] = EVERY_DAY

    @property
    def is_fitted(self) -> bool:
        """Whether the parameters are the learner's own."""
        return self.parameters != DEFAULT_PARAMETERS

    def of_deck(self, base: SchedulerParams, deck: str | None) -> SchedulerParams:
        """The scheduler of a deck's cards. base: that of the settings."""
        return replace(
            base,
            parameters=self.parameters,
            desired_retention=self.retention.get(deck or "", base.desired_retention),
            easy_days=self.easy_days,
        )

    def schedulers(self, base: SchedulerParams) -> tuple[SchedulerParams, ...]:
        """Every scheduler in use: that of most decks first."""
        return tuple(dict.fromkeys(self.of_deck(base, deck) for deck in (None, *sorted(self.retention))))


def plan_in(connection: Connection) -> SchedulePlan:
    """What the changes so far lead to, within a transaction."""
    parameters, retention, easy_days = DEFAULT_PARAMETERS, {}, EVERY_DAY
    for change in _log(connection):  # oldest first: the newest stays
        value = change.value
        if change.kind == "parameters":
            parameters = tuple(value.get("parameters", DEFAULT_PARAMETERS))
        elif change.kind == "easy_days":
            easy_days = tuple(value.get("percent", EVERY_DAY))
        elif "retention" in value:
            retention[change.deck] = float(value["retention"])
        else:
            retention.pop(change.deck, None)
    return SchedulePlan(parameters, MappingProxyType(retention), easy_days)


def schedulers_of(
    connection: Connection, base: SchedulerParams, card_ids: Collection[str]
) -> dict[str, SchedulerParams]:
    """The scheduler of each of these cards. base: that of the settings."""
    plan = plan_in(connection)
    if not plan.retention:
        return dict.fromkeys(card_ids, plan.of_deck(base, None))
    decks: dict[str, str] = {}
    ids = list(card_ids)
    for start in range(0, len(ids), _AT_ONCE):
        some = select(cards.c.id, cards.c.deck).where(cards.c.id.in_(ids[start : start + _AT_ONCE]))
        decks.update((row.id, row.deck) for row in connection.execute(some))
    return {card: plan.of_deck(base, decks.get(card)) for card in ids}


def changes(connection: Connection, kind: Kind | None = None) -> tuple[Change, ...]:
    """The log of changes, the newest first."""
    return tuple(change for change in reversed(_log(connection)) if kind in (None, change.kind))


def add(
    connection: Connection,
    kind: Kind,
    value: Mapping[str, Any],
    *,
    deck: str = "",
    now_ms: int,
    study_day: str,
    zone: str,
    nonce: str,
) -> None:
    """Adds a change within a writing transaction; a nonce sent again adds nothing.

    Raises ScheduleRefused. Whoever calls this keeps the schedulers before and after it (`settings.remember`).
    """
    check(kind, value, deck)
    if not 0 < len(nonce) <= LONGEST_NONCE:
        raise ScheduleRefused(f"The change can't be named {nonce!r}: reload the page and try again.")
    if connection.execute(select(table.c.id).where(table.c.nonce == nonce)).first() is not None:
        return
    last = max((change.made_at_ms for change in _log(connection)), default=0)
    row = {
        "nonce": nonce,
        "kind": kind,
        "deck": deck,
        "value": dict(value),
        "made_at_ms": max(now_ms, last + 1),  # a clock set back doesn't put it before the one it replaces
        "study_day": study_day,
        "zone": zone,
    }
    connection.execute(insert(table), row)


def check(kind: str, value: Mapping[str, Any], deck: str) -> None:
    """Raises ScheduleRefused where `value` can't be kept, in words that say what may be."""
    if kind not in KINDS:
        raise ScheduleRefused(f"{kind!r} isn't one of {', '.join(KINDS)}.")
    if (kind == "retention") != bool(deck):
        raise ScheduleRefused("A desired retention is for one deck, every other change for all: name a deck.")
    if not value:
        return
    if kind == "parameters":
        _check_parameters(value.get("parameters"))
    elif kind == "retention":
        _check_retention(value.get("retention"))
    else:
        _check_easy_days(value.get("percent"))


def _check_parameters(given: object) -> None:
    bounds = tuple(zip(LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True))
    if not isinstance(given, list | tuple) or len(given) != len(bounds):
        raise ScheduleRefused(f"FSRS-6 has {len(bounds)} parameters: fit them anew.")
    for place, (number, (low, high)) in enumerate(zip(given, bounds, strict=True)):
        if not _is_number(number) or not low <= number <= high:
            raise ScheduleRefused(f"Parameter {place} is {number!r}: FSRS-6 takes {low:g} to {high:g} there.")


def _check_retention(given: object) -> None:
    low, high = RETENTION
    if not _is_number(given) or not low <= given <= high:  # type: ignore[operator]  # it is a number
        raise ScheduleRefused(
            f"The desired retention is {given!r}: it must lie between {low:g} and {high:g}."
        )


def _check_easy_days(given: object) -> None:
    if (
        not isinstance(given, list | tuple)
        or len(given) != len(EVERY_DAY)
        or not all(isinstance(percent, int) and 0 <= percent <= 100 for percent in given)
    ):
        raise ScheduleRefused(
            f"Easy days are seven whole percents from 0 to 100, Monday first: not {given!r}."
        )
    if not any(given):
        raise ScheduleRefused("Every day can't be an easy one: leave at least one as it is.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_IN_ORDER = select(table).order_by(table.c.made_at_ms, table.c.nonce)


def _log(connection: Connection) -> list[Change]:
    """Oldest first, in the order that every machine with these changes puts them in."""
    rows: Iterable[Row[Any]] = connection.execute(_IN_ORDER)
    return [
        Change(row.kind, row.deck, MappingProxyType(row.value), row.made_at_ms, row.study_day, row.nonce)
        for row in rows
    ]
