"""What lies around an instant on a thread, against the plain answer of looking at every event."""

from __future__ import annotations

import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measure.analyse.chrome_trace import CpuEvent
from engine.measure.analyse.device_time import Gap, GapTime
from engine.measure.analyse.intervals import Interval, length, median, overlap, solid, union, without
from engine.measure.analyse.nesting import NONE, Nesting

THREADS = (("9", "1"), ("9", "2"))


@st.composite
def nested(draw: st.DrawFn) -> list[CpuEvent]:
    """Well nested operators on two threads, in the order that the reader gives them."""
    found: list[CpuEvent] = []

    def within(begin: int, end: int, thread: tuple[str, str], depth: int) -> None:
        at = begin
        while at < end and len(found) < 40:
            start = at + draw(st.integers(0, 5))
            until = start + draw(st.integers(1, 30))
            if until > end:
                return
            found.append(CpuEvent(f"op{draw(st.integers(0, 3))}", thread, start, until))
            if depth < 4 and draw(st.booleans()):
                within(start, until, thread, depth + 1)
            at = until

    for thread in THREADS:
        within(0, 100, thread, 0)
    return sorted(found, key=lambda event: (event.start, -event.end))


@given(nested(), st.integers(-1, 101))
def test_the_innermost_and_outermost_are_those_that_looking_at_all_finds(
    events: list[CpuEvent], instant: int
) -> None:
    nesting = Nesting(events)
    for thread in THREADS:
        around = [e for e in events if e.thread == thread and e.start <= instant < e.end]
        (number,) = nesting.innermost({0: CpuEvent("call", thread, instant, instant)}).values()
        if not around:
            assert number == NONE
            continue
        shortest = min(event.end - event.start for event in around)
        longest = max(event.end - event.start for event in around)
        found, outer = events[number], events[nesting.outermost(number, instant)]
        assert found in around
        assert found.end - found.start == shortest
        assert outer.end - outer.start == longest
        assert set(nesting.names_on(nesting.path_of[number])) == {event.name for event in around}


@given(nested())
def test_own_times_add_up_to_the_outermost_ones(events: list[CpuEvent]) -> None:
    nesting = Nesting(events)
    assert sum(nesting.own_ns) == sum(
        nesting.events[root].end - nesting.events[root].start for root in nesting.roots
    )
    assert sum(nesting.counts) == len(events)
    assert all(own >= 0 for own in nesting.own_ns)


@pytest.mark.parametrize(("thread", "instant", "found"), [(1, 9, NONE), (1, 6, 1), (0, 6, 0), (2, 6, NONE)])
def test_another_threads_operators_are_not_around(thread: int, instant: int, found: int) -> None:
    nesting = Nesting([CpuEvent("a", THREADS[0], 0, 10), CpuEvent("b", THREADS[1], 5, 8)])
    threads = (*THREADS, ("9", "3"))
    assert nesting.innermost({7: CpuEvent("call", threads[thread], instant, instant)}) == {7: found}


spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=12
)


def instants(intervals: list[Interval]) -> set[int]:
    return {instant for start, end in intervals for instant in range(start, end)}


@given(spans, spans)
def test_intervals_overlap_and_differ_as_their_instants_do(
    one: list[Interval], other: list[Interval]
) -> None:
    first, second = union(one), union(other)
    assert overlap(first, second) == len(instants(first) & instants(second))
    left = list(without(first, second))
    assert instants(left) == instants(first) - instants(second)
    assert length(left) == len(instants(left))


@given(spans, spans)
def test_the_gap_time_in_windows_is_that_of_their_instants(
    one: list[Interval], windows: list[Interval]
) -> None:
    gaps = union(one)
    time = GapTime([Gap(start, end - start, None, None) for start, end in gaps])
    expected = [len(instants(gaps) & instants([window])) for window in windows]
    assert time.within(windows) == expected
    assert [time.between(*window) for window in windows] == expected


@given(spans, spans)
def test_the_gaps_that_begin_in_windows_count_whole(one: list[Interval], windows: list[Interval]) -> None:
    gaps, waits = union(one), union(windows)
    time = GapTime([Gap(start, end - start, None, None) for start, end in gaps])
    assert time.begun_in(waits) == sum(end - start for start, end in gaps if start in instants(waits))


@given(st.integers(0, 40), spans)
def test_the_gap_time_shared_with_windows_is_that_of_their_instants_whether_few_or_many(
    number: int, windows: list[Interval]
) -> None:
    gaps, shared = [(3 * n, 3 * n + 2) for n in range(number)], union(windows)
    time = GapTime([Gap(start, end - start, None, None) for start, end in gaps])
    assert time.shared_with(shared) == len(instants(gaps) & instants(shared))


@given(st.lists(st.integers(-1000, 1000), min_size=1))
def test_the_median_is_the_one_of_the_standard_library(values: list[int]) -> None:
    assert median(values) == statistics.median(values)


@given(spans, st.integers(0, 10))
def test_solid_closes_holes_up_to_a_length(one: list[Interval], hole: int) -> None:
    merged = solid(sorted(one), hole)
    assert instants(one) <= instants(merged)
    assert all(after[0] - before[1] > hole for before, after in pairwise(merged))
    if not hole:
        assert instants(merged) == instants(one)
