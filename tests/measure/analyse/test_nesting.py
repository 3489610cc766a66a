"""What lies around an instant on a thread, against the plain answer of looking at every event."""

from __future__ import annotations

import itertools
import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measure.analyse.chrome_trace import ChromeTrace, CpuEvent
from engine.measure.analyse.device_time import Gap, GapTime
from engine.measure.analyse.host_side import host_side
from engine.measure.analyse.intervals import (
    Interval,
    length,
    median,
    outside,
    overlap,
    solid,
    union,
    without,
)
from engine.measure.analyse.nesting import NONE, Nesting

THREADS = (("9", "1"), ("9", "2"))


spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=12
)


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


def calls_at(instants: list[int]) -> list[CpuEvent]:
    """A call on each thread at each instant."""
    found = [(instant, thread) for instant in sorted(instants) for thread in THREADS]
    return [
        CpuEvent("call", thread, instant, instant, number) for number, (instant, thread) in enumerate(found)
    ]


@given(nested(), st.lists(st.integers(-1, 101), max_size=8))
def test_the_innermost_and_outermost_are_those_that_looking_at_all_finds(
    events: list[CpuEvent], instants: list[int]
) -> None:
    calls = calls_at(instants)
    nesting = Nesting(events, calls, parents=True)
    *innermost, of_no_call = nesting.innermost()
    paths, outermost = nesting.paths(), nesting.outermost()
    assert (of_no_call, paths[-1], outermost[-1]) == (NONE, NONE, None)
    outer_with_calls = set()
    for place, call in enumerate(calls):
        around = [e for e in events if e.thread == call.thread and e.start <= call.start < e.end]
        number = innermost[place]
        assert nesting.path_at(place) == paths[place]
        if not around:
            assert (number, paths[place], outermost[place]) == (NONE, NONE, None)
            continue
        outer = max(around, key=lambda event: event.end - event.start)
        outer_with_calls.add((outer.thread, outer.start, outer.end))
        assert events[number] in around
        assert events[number].end - events[number].start == min(e.end - e.start for e in around)
        assert outermost[place] == outer.name
        assert nesting.names[paths[place]] == events[number].name
        assert set(nesting.names_on(paths[place])) == {event.name for event in around}
    outer_spans = zip(nesting.outer_threads, nesting.outer_starts, nesting.outer_ends, strict=True)
    assert set(itertools.compress(outer_spans, nesting.outer_calling)) == outer_with_calls


@given(nested())
def test_own_times_add_up_to_the_outermost_ones(events: list[CpuEvent]) -> None:
    nesting = Nesting(events)
    assert sum(nesting.own_ns) == sum(nesting.outer_ends) - sum(nesting.outer_starts)
    assert sum(nesting.counts) == len(events)
    assert all(own >= 0 for own in nesting.own_ns)


@given(nested())
def test_the_parent_is_the_shortest_event_around_the_begin(events: list[CpuEvent]) -> None:
    parents = Nesting(events, parents=True).parents or []
    assert len(parents) == len(events)
    for number, event in enumerate(events):
        around = [n for n, e in enumerate(events[:number])
                  if e.thread == event.thread and e.start <= event.start < e.end]  # fmt: skip
        # of two that are as long as each other the inner one comes later
        expected = min(around, key=lambda n: (events[n].end - events[n].start, -n), default=NONE)
        assert parents[number] == expected


@pytest.mark.parametrize(("thread", "instant", "found"), [(1, 9, NONE), (1, 6, 1), (0, 6, 0), (2, 6, NONE)])
def test_another_threads_operators_are_not_around(thread: int, instant: int, found: int) -> None:
    threads = (*THREADS, ("9", "3"))
    calls = [CpuEvent("call", threads[thread], instant, instant)]
    nesting = Nesting(
        [CpuEvent("a", THREADS[0], 0, 10), CpuEvent("b", THREADS[1], 5, 8)], calls, parents=True
    )
    assert nesting.innermost() == [found, NONE]


def test_where_an_inner_event_ends_after_the_outer_one_the_one_that_runs_on_counts() -> None:
    outer, inner = CpuEvent("outer", THREADS[0], 0, 10), CpuEvent("inner", THREADS[0], 5, 12)
    nesting = Nesting([outer, inner], [CpuEvent("call", THREADS[0], at, at) for at in (6, 11, 12)])
    assert nesting.outermost() == ["outer", "inner", None, None]
    assert list(nesting.outer_calling) == [True]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=12), st.data())
def test_outside_are_those_intervals_that_no_merged_one_holds(
    found: list[tuple[int, int]], data: st.DataObject
) -> None:
    intervals = sorted((start, start + length) for start, length in found)
    merged = union(data.draw(spans))
    expected = [(a, b) for a, b in intervals if not any(start <= a and b <= end for start, end in merged)]
    assert list(outside(intervals, merged)) == expected


def instants(intervals: list[Interval]) -> set[int]:
    return {instant for start, end in intervals for instant in range(start, end)}


@given(spans)
def test_the_time_in_calls_is_that_of_those_that_do_not_wait(found: list[Interval]) -> None:
    def trace_of(names: tuple[str, ...]) -> ChromeTrace:
        calls = [CpuEvent(name, THREADS[0], *span) for span in sorted(found) for name in names]
        return ChromeTrace(0, (), tuple(calls), (), 0)

    starts, ends = host_side(trace_of(("cudaLaunchKernel",))).calls.doing
    assert list(zip(starts, ends, strict=True)) == solid(sorted(found))
    assert host_side(trace_of(("cudaStreamSynchronize",))).calls.doing == ([], [])


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
