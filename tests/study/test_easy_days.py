"""Easy days take fewer cards, and a longer interval never comes before a shorter one."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.study.card_state import CardState
from engine.study.fuzz import fuzzed
from engine.study.schedule import SchedulerParams, transitions

SUNDAY = 6
NO_SUNDAYS = SchedulerParams(easy_days=(100, 100, 100, 100, 100, 100, 0))
HALF_SUNDAYS = SchedulerParams(easy_days=(100, 100, 100, 100, 100, 100, 50))
DAY = "2026-11-30"

shares = st.tuples(*[st.sampled_from((0, 50, 100))] * 7).filter(any)


def a_state(stability: float) -> CardState:
    return CardState("review", None, stability, 5.0, 0, DAY, 14_400, 0, "2026-11-15", 5, 0)


def weekdays(params: SchedulerParams, stability: float = 40.0) -> Counter[int]:
    """On which weekdays *good* puts a thousand cards."""
    start = date.fromisoformat(DAY)
    found: Counter[int] = Counter()
    for number in range(1000):
        days = transitions(f"card-{number}", a_state(stability), DAY, params)[2].days
        assert days is not None
        found[(start + timedelta(days=days)).weekday()] += 1
    return found


def test_a_day_that_takes_none_gets_none_where_another_is_near() -> None:
    assert weekdays(SchedulerParams())[SUNDAY] > 50
    assert weekdays(NO_SUNDAYS)[SUNDAY] == 0


def test_a_day_that_takes_half_gets_about_half() -> None:
    usual, half = weekdays(SchedulerParams())[SUNDAY], weekdays(HALF_SUNDAYS)[SUNDAY]
    assert 0.3 * usual < half < 0.75 * usual


def test_an_interval_too_short_to_vary_stays_even_on_an_easy_day() -> None:
    saturday = "2026-12-05"
    state = CardState("learning", 1, 0.5, 6.0, 0, None, 10, 0, saturday, 2, 0)
    assert transitions("card", state, saturday, NO_SUNDAYS)[2].days == 1


@given(shares, st.floats(0, 1, exclude_max=True), st.integers(0, 6), st.integers(3, 400), st.integers(0, 40))
def test_a_longer_interval_is_never_put_before_a_shorter_one(
    percents: tuple[int, ...], at: float, weekday: int, days: int, more: int
) -> None:
    def share(of: int) -> int:
        return percents[(weekday + of) % 7]

    first = fuzzed(days, at, most=36_500, share=share)
    second = fuzzed(days + more, at, most=36_500, share=share)
    both_have_room = all(any(share(day) for day in range(of - 1, of + 2)) for of in (days, days + more))
    assert first <= second or not both_have_room
    assert abs(first - fuzzed(days, at, most=36_500)) <= 2 + days // 4


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 4000))
def test_equal_shares_change_nothing(at: float, days: int) -> None:
    assert fuzzed(days, at, most=36_500, share=lambda _: 100) == fuzzed(days, at, most=36_500)
