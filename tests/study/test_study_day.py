"""The learner's day: rollover, daylight saving, travelling, days that a country skipped."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from engine.study.study_day import add_days, day_start_ms, days_between, from_ms, study_day, to_ms

QUARTER = 15 * 60_000
HOUR = 4 * QUARTER
DAY = 24 * HOUR


def clock_changes(zone: str) -> list[int]:
    """The hours, from September 2010 to March 2012, in which the zone's clock is turned."""
    hours = range(ms(2010, 9, 1, 0), ms(2012, 3, 1, 0), HOUR)
    offsets = [from_ms(hour).astimezone(ZoneInfo(zone)).utcoffset() for hour in hours]
    return [hours[0], *(hours[i] for i in range(1, len(hours)) if offsets[i] != offsets[i - 1])]


def ms(year: int, month: int, day: int, hour: int, minute: int = 0, zone: str = "UTC") -> int:
    return to_ms(datetime(year, month, day, hour, minute, tzinfo=ZoneInfo(zone)))


@pytest.mark.parametrize(
    ("hour", "minute", "day"), [(3, 59, "2026-11-29"), (4, 0, "2026-11-30"), (23, 59, "2026-11-30")]
)
def test_the_day_begins_at_four_in_the_morning_local_time(hour: int, minute: int, day: str) -> None:
    zone = "Asia/Ho_Chi_Minh"
    assert study_day(ms(2026, 11, 30, hour, minute, zone), zone, 4) == day


@pytest.mark.parametrize(
    "zone",
    [
        "UTC",
        "Asia/Ho_Chi_Minh",
        "Europe/Berlin",
        "America/New_York",
        "America/Havana",  # turns its clock at midnight
        "America/St_Johns",  # turned it at one minute past midnight until 2011
        "Australia/Lord_Howe",  # turns it by half an hour
        "Pacific/Apia",  # left out 30 December 2011
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "Antarctica/Troll",  # turns it by two hours
    ],
)
@pytest.mark.parametrize("rollover", [0, 1, 2, 3, 4, 12])
def test_days_never_run_backwards_whatever_the_clock_does(zone: str, rollover: int) -> None:
    for change in clock_changes(zone):
        day, begun = study_day(change - 3 * DAY, zone, rollover), None
        for instant in range(change - 3 * DAY, change + 3 * DAY, QUARTER):
            now = study_day(instant, zone, rollover)
            if now == day:
                continue
            assert now > day
            assert instant - QUARTER < day_start_ms(now, zone, rollover) <= instant
            if begun is not None:
                assert 20 * HOUR < instant - begun < 28 * HOUR
            begun, day = instant, now


def test_the_hour_that_a_spring_night_skips_begins_the_day_when_the_clock_jumps() -> None:
    # Berlin, 29 March 2026: 02:00 is followed by 03:00; a rollover at 02:00 has no 02:00
    jump = to_ms(datetime(2026, 3, 29, 1, 0, tzinfo=UTC))
    assert study_day(jump - 1, "Europe/Berlin", 2) == "2026-03-28"
    assert study_day(jump, "Europe/Berlin", 2) == "2026-03-29"


def test_the_hour_that_an_autumn_night_repeats_begins_the_day_once() -> None:
    # Berlin, 25 October 2026: 03:00 summer time is followed by 02:00 winter time
    first_two = to_ms(datetime(2026, 10, 25, 0, 0, tzinfo=UTC))
    days = [study_day(first_two + minutes * 60_000, "Europe/Berlin", 2) for minutes in range(-30, 150)]
    assert days == ["2026-10-24"] * 30 + ["2026-10-25"] * 150


def test_days_are_added_and_counted_by_the_calendar() -> None:
    assert add_days("2028-02-28", 2) == "2028-03-01"
    assert days_between("2028-02-28", "2028-03-01") == 2
    assert days_between("2028-03-01", "2028-02-28") == 0


def test_instants_are_kept_to_the_millisecond() -> None:
    instant = datetime(2026, 11, 30, 7, 1, 2, 345000, tzinfo=UTC)
    assert from_ms(to_ms(instant)) == instant
    with pytest.raises(ValueError, match="time zone"):
        to_ms(datetime(2026, 11, 30))  # noqa: DTZ001
