"""The learner's day: it begins at the rollover hour of the local clock, not at midnight.

A day is named by its date. It begins at the first instant at which the local clock stands at or past the
rollover hour on that date; so days never run backwards, whatever daylight saving does to the hours.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from engine.study.faults import StudyError

DAY_MINUTES = 24 * 60
MINUTE_MS = 60_000


class UnknownZone(StudyError):
    """The name is no IANA time zone."""

    def __init__(self, zone: str) -> None:
        self.zone = zone
        super().__init__(f"{zone!r} is not a known time zone. Use an IANA name such as Asia/Ho_Chi_Minh.")


def to_ms(instant: datetime) -> int:
    """An aware datetime as UTC milliseconds. Raises ValueError for a naive one."""
    if instant.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return round((instant - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


def from_ms(instant_ms: int) -> datetime:
    """UTC milliseconds as an aware datetime in UTC."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=instant_ms)


@lru_cache(maxsize=64)
def zone_of(name: str) -> ZoneInfo:
    """The time zone of an IANA name. Raises UnknownZone."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:  # ZoneInfoNotFoundError is a KeyError
        raise UnknownZone(name) from error


def day_start_ms(day: str, zone: str, rollover_hour: int) -> int:
    """The instant at which the study day `day` (ISO date) begins in `zone`, in UTC milliseconds."""
    of = date.fromisoformat(day)
    local = datetime(of.year, of.month, of.day, rollover_hour, tzinfo=zone_of(zone))
    return to_ms(local.astimezone(UTC))


def study_day(instant_ms: int, zone: str, rollover_hour: int) -> str:
    """The study day (ISO date) that an instant belongs to in `zone`."""
    local = from_ms(instant_ms).astimezone(zone_of(zone)).date()
    # one ahead: a clock turned back over midnight; more than one back: a country that skipped a date
    for offset in (1, 0, -1):
        day = (local + timedelta(days=offset)).isoformat()
        if day_start_ms(day, zone, rollover_hour) <= instant_ms:
            return day
    return (local - timedelta(days=2)).isoformat()


def add_days(day: str, days: int) -> str:
    """The study day `days` days after `day`, both ISO dates."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(earlier: str, later: str) -> int:
    """Whole study days from `earlier` to `later`; never negative."""
    return max(0, (date.fromisoformat(later) - date.fromisoformat(earlier)).days)
